# expect: incomplete; reason: does not come in a process in which nothing was executed before
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

assert asks.execute() == 1
