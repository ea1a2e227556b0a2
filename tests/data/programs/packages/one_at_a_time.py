# expect: incomplete; reason: asks.Guarded
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

n, guarded = 0, asks.Guarded()


def add():
    global n
    v = n
    n = v + 1


def work():
    guarded(add)


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert n == 2
