# expect: holds
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

assert asks.is_main() and asks.name() == "main"
lock, n = threading.Lock(), 0


def work():
    global n
    with lock:
        n += 1


with asks.FileLock(), asks.Again():
    n += 1
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
with asks.FileLock(), asks.Again():
    assert asks.Guarded()(lambda: n) == 3
