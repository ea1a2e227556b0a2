# expect: holds
import threading

class Name:
    def __init__(self, text): self.text = text
    def __hash__(self): return hash(self.text)

a, b, found = Name("a"), Name("b"), {}

def one():
    found[a] = 1

def two():
    found[b] = 2


threads = [threading.Thread(target=f) for f in (one, two,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(found) == 2
