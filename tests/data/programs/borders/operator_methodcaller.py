# expect: violated assertion
import operator, threading

class Box:
    n = 0
    def add(self): self.n += 1

box, add = Box(), operator.methodcaller("add")

def work():
    add(box)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert box.n == 2
