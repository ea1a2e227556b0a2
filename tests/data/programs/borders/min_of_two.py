# expect: holds
import threading


class Name:
    def __init__(self, v): self.v = v
    def __lt__(self, other): return self.v < other.v


xs, out = [Name(1), Name(2)], []


def look():
    out.append(min(xs).v)


def change():
    xs[0] = Name(9)
    xs[1] = Name(0)


threads = [threading.Thread(target=f) for f in (look, change)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out in ([1], [2], [0])
