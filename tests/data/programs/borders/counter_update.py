# expect: incomplete; reason: collections.Counter.update at
import threading
from collections import Counter
votes = Counter()

def work():
    votes.update(["a"])


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert votes["a"] in (1, 2)
