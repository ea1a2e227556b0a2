# expect: violated assertion
import threading
from dataclasses import dataclass

@dataclass
class Pair:
    a: int = 0
    b: int = 0

one, other, out = Pair(), Pair(), []

def look():
    out.append(one == other)

def change():
    one.a = other.a = 1
    one.b = other.b = 1


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert out == [True]
