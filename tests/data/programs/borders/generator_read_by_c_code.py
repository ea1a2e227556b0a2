# expect: violated assertion
import threading
x, y, out = 0, 0, []

def both():
    yield x
    yield y

def look():
    out.append(list(both()))

def change():
    global x, y
    x = 1
    y = 1


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out != [[0, 1]]
