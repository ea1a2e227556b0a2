# expect: violated assertion
import threading

class Money:
    def __init__(self, n): self.n = n
    def __radd__(self, other): return other + self.n

xs, out = [Money(1), Money(2)], []

def look():
    out.append(sum(xs))

def change():
    xs[0] = Money(9)
    xs[1] = Money(0)


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out != [1]
