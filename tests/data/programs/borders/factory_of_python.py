# expect: holds
import threading
from collections import defaultdict
groups = defaultdict(list)

def work():
    groups["a"].append(1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(groups["a"]) == 2
