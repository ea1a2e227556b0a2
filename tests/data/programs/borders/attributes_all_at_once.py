# expect: violated assertion
import threading

class Box: pass

box, out = Box(), []

def one():
    box.a = 1
    box.b = 1

def two():
    out.append(dict(vars(box)))


threads = [threading.Thread(target=f) for f in (one, two,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out[0] != {"a": 1}
