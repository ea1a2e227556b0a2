# expect: violated assertion
import functools, threading
xs, out = [1, 2, 3], []

def look():
    out.append(functools.reduce(lambda a, b: a + b, xs))

def change():
    xs[0] = 9
    xs[2] = 0


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out != [3]  # the first two are read at once, the third later
