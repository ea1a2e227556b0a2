"""Random programs whose threads use a package that asks by itself which thread it runs in.

Each statement adds one to a number, under some lock of the package or none: right are those programs in which all
statements that other threads come across have a lock in common.
"""

from __future__ import annotations

import random
from textwrap import indent

from tests.support import paths

SETUP = f"""
import sys, threading
sys.path.append({str(paths.PROGRAMS / "packages" / "site-packages")!r})
import asks

n, again, other, guarded = 0, asks.Again(), asks.Again(), asks.Guarded()

def add():
    global n
    v = n
    n = v + 1
"""
ADD = """
add()
with again: add()
with again, again: add()
with again: guarded(add)
with other: add()
with asks.FileLock(): add()
with asks.FileLock("b"), again: add()
guarded(add)
guarded(guarded, add)
guarded(asks.Guarded(), add)
asks.Guarded()(add)
""".strip().splitlines()
ASK = """
asks.here.mine = I
assert asks.here.__dict__.get("mine", I) == I
assert asks.get_ident() == threading.get_ident()
assert not asks.is_main()
with other: assert asks.here.__dict__.get("mine", I) == I
""".strip().splitlines()
RUN = """
threads = [threading.Thread(target=f) for f in ({functions})]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert n == {total}
"""


def program(seed: int) -> str:
    random_ = random.Random(seed)
    locks = random_.sample(ADD, random_.choice((1, 1, 2, 3)))
    bodies = []
    for number in range(random_.choice((2, 2, 3))):
        lines = [random_.choice(locks), *random_.choices(ASK, k=random_.randint(0, 2))]
        random_.shuffle(lines)
        body = indent("\n".join(lines).replace("I", str(number)), "    ")
        bodies.append(f"def t{number}():\n{body}\n")
    names = ", ".join(f"t{n}" for n in range(len(bodies)))
    return SETUP + "\n" + "\n".join(bodies) + RUN.format(functions=names, total=len(bodies))
