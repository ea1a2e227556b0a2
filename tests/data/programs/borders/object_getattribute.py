# expect: violated assertion
import threading

class Box: n = 0

box = Box()
box.n = 0

def work():
    box.n = object.__getattribute__(box, "n") + 1


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert box.n == 2
