# expect: incomplete; reason: asks.Depth
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

depth = asks.Depth()


def work():
    assert depth.enter() == 1


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
