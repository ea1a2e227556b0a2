# expect: holds
import importlib.resources, threading
from importlib import import_module
lines = []

def work():
    lines.append(1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(lines) == 2
assert import_module("json").loads("1") == 1
