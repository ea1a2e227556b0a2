# expect: incomplete; reason: a thread that a library starts
import sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks

done = []
worker = asks.Worker()
worker.submit(lambda: done.append(asks.name()))
worker.close()
assert done == ["worker"]
