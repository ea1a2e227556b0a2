# expect: incomplete; reason: copy.copy at
import copy, threading

class Pair:
    def __init__(self): self.a = self.b = 0

pair, out = Pair(), []

def look():
    out.append(copy.copy(pair))

def change():
    pair.a = 1
    pair.b = 1


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert (out[0].a, out[0].b) != (1, 0) or True
