# expect: violated deadlock
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

lock = asks.ReadersWriters()


def work():
    with lock.read(), lock.write():
        pass


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
