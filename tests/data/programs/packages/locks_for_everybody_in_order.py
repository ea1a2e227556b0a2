# expect: holds
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

n = 0


def work():
    global n
    with asks.one_lock, asks.other_lock:
        n += 1


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert n == 2
