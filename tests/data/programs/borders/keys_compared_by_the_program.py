# expect: incomplete; reason: dict[Name] at
import threading

class Name:
    def __init__(self, text): self.text = text
    def __eq__(self, other): return self.text == other.text
    def __hash__(self): return hash(self.text)

found = {}

def one():
    found[Name("a")] = 1

def two():
    found[Name("a")] = 2


threads = [threading.Thread(target=f) for f in (one, two,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(found) == 1
