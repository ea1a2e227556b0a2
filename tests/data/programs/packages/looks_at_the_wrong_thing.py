# expect: violated assertion
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

ready, value = threading.Event(), 0


def work():
    global value
    ready.set()
    value = 1


threading.Thread(target=work).start()
asks.until(ready.is_set)
assert value == 1
