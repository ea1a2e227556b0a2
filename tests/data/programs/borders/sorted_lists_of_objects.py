# expect: incomplete; reason: sorted at
import threading


class Name:
    def __init__(self, v): self.v = v
    def __lt__(self, other): return self.v < other.v
    def __eq__(self, other): return self.v == other.v


first, second = [Name(1), Name(1)], [Name(1), Name(2)]
out = []


def look():
    out.append(sorted([first, second]))  # copied first, but the lists in it are compared step by step


def change():
    second[1] = Name(0)
    second[0] = Name(0)


threads = [threading.Thread(target=f) for f in (look, change)]
for t in threads:
    t.start()
for t in threads:
    t.join()
