# expect: violated assertion
import threading

class Box: n = 0

def work():
    type.__setattr__(Box, "n", Box.n + 1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert Box.n == 2
