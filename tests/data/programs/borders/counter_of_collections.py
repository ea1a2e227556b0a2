# expect: violated assertion
import threading
from collections import Counter
votes = Counter()

def work():
    votes["a"] += 1


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert votes["a"] == 2
