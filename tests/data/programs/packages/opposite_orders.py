# expect: violated deadlock
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

one, other = asks.Again(), asks.Again()


def work():
    with one, other:
        pass


def work_the_other_way():
    with other, one:
        pass


threads = [threading.Thread(target=f) for f in (work, work_the_other_way)]
for t in threads:
    t.start()
for t in threads:
    t.join()
