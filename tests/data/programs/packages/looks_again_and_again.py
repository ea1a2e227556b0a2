# expect: incomplete; reason: asks with a time.sleep
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

ready, value = threading.Event(), 0


def work():
    global value
    value = 1
    ready.set()


threading.Thread(target=work).start()
asks.until(ready.is_set)
assert value == 1
