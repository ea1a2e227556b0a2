# expect: violated assertion
import threading

class Box:
    __slots__ = ("n",)

box = Box()
box.n = 0

def work():
    Box.n.__set__(box, Box.n.__get__(box) + 1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert box.n == 2
