# expect: incomplete; reason: list.remove at
import threading

class Name:
    def __init__(self, text): self.text = text
    def __eq__(self, other): return self.text == other.text
    def __hash__(self): return hash(self.text)

xs = [Name("a"), Name("b")]

def drop():
    xs.remove(Name("b"))

def change():
    xs.insert(0, Name("c"))


threads = [threading.Thread(target=f) for f in (drop, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert [x.text for x in xs] == ["c", "a"]
