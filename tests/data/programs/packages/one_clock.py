# expect: holds
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

import time

cache = asks.Expiring(5)
cache.put("a", 1)
assert cache.get("a") == 1
time.sleep(6)
assert cache.get("a") is None
