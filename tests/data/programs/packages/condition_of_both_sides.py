# expect: incomplete; reason: asks.Box
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

mine, seen = threading.Condition(asks.Guarded().lock), []
box = asks.Box(threading.RLock())


def work():
    with mine:
        seen.append(1)
        mine.notify()
    box.put(2)


threading.Thread(target=work).start()
with mine:
    while not seen:
        mine.wait()
assert box.take() == 2
