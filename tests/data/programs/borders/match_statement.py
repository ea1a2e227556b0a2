# expect: incomplete; reason: match at
import threading


class Pair:
    __match_args__ = ("x", "y")

    def __init__(self): self.x = self.y = 0


pair, seen = Pair(), []


def look():
    match pair:
        case Pair(x, y):
            seen.append(x == y)


def change():
    pair.x = 1
    pair.y = 1


threads = [threading.Thread(target=f) for f in (look, change)]
for t in threads:
    t.start()
for t in threads:
    t.join()
