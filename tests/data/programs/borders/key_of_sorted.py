# expect: holds
import threading
xs, out = [2, 1], []

def look():
    out.append(sorted(xs, key=lambda v: -v))

def change():
    xs[:] = [4, 3]


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out in ([[2, 1]], [[4, 3]])  # the list is copied first
