# expect: violated deadlock; why: the program itself takes locks that a package has made, in opposite orders
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks


def work():
    with asks.one_lock, asks.other_lock:
        pass


def work_the_other_way():
    with asks.other_lock, asks.one_lock:
        pass


threads = [threading.Thread(target=f) for f in (work, work_the_other_way)]
for t in threads:
    t.start()
for t in threads:
    t.join()
