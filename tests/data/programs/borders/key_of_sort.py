# expect: incomplete; reason: list.sort at
import threading
xs, out = [2, 1], []

def order():
    xs.sort(key=lambda v: v)

def look():
    out.append(len(xs))


threads = [threading.Thread(target=f) for f in (order, look,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out == [2]  # CPython empties a list while it is sorted
