# expect: violated assertion
import operator, threading
xs = [0]

def work():
    operator.setitem(xs, 0, operator.getitem(xs, 0) + 1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert xs == [2]
