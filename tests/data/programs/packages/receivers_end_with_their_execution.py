# expect: violated assertion
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

n = 0


def receive():
    global n
    v = n
    n = v + 1


asks.receivers.add(receive)
assert len(asks.receivers) == 1
threads = [threading.Thread(target=asks.send) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert n == 2
