# expect: violated assertion
import threading

class Frozen:
    def __init__(self): object.__setattr__(self, "n", 0)
    def __setattr__(self, name, value): raise TypeError

box = Frozen()

def work():
    object.__setattr__(box, "n", box.n + 1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert box.n == 2
