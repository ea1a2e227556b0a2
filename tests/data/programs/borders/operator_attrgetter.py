# expect: violated assertion
import operator, threading

class Box: pass

box, get = Box(), operator.attrgetter("n")
box.n = 0

def work():
    box.n = get(box) + 1


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert box.n == 2
