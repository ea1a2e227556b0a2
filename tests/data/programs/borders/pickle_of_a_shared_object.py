# expect: incomplete; reason: pickle.dumps at
import pickle, threading

class Pair:
    def __init__(self): self.a = self.b = 0
    def __getstate__(self): return {"a": self.a, "b": self.b}

pairs, out = [Pair()], []

def look():
    out.append(pickle.dumps(pairs))

def change():
    pairs.append(Pair())


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
