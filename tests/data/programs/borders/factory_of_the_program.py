# expect: violated assertion
import threading
from collections import defaultdict
calls = 0

def make():
    global calls
    calls += 1
    return []

groups = defaultdict(make)

def work():
    groups["a"].append(1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(groups["a"]) == 2  # both may find it missing, and one list is lost
