# expect: incomplete; reason: asks.Again
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

n = 0

lock = asks.Again()

def work():
    global n
    with lock, lock:
        v = n
        n = v + 1

threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert n == 2
