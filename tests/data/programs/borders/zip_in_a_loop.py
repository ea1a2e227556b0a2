# expect: violated assertion
import threading
a, b, out = [1, 2], [1, 2], []

def look():
    for x, y in zip(a, b):
        out.append(x + y)

def change():
    a[1] = b[1] = 3


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out != [2, 5]
