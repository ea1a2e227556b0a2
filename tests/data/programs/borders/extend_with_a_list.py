# expect: holds
import threading
xs, out = [], []

def add():
    xs.extend([1, 2])

def look():
    out.append(len(xs))


threads = [threading.Thread(target=f) for f in (add, look,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out != [1]
