# expect: holds
import threading
a, b, out = [1, 2], [1, 2], []

def look():
    out.append(list(zip(a, b)))

def change():
    a.append(3)
    b.append(3)
    a.append(4)


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(out[0]) in (2, 3)
assert all(x == y for x, y in out[0])
