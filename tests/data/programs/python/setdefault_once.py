# expect: holds
"""dict.setdefault is one operation."""
import threading

cache = {}
seen = [None, None]


def get(i):
    seen[i] = cache.setdefault("k", object())


threads = [threading.Thread(target=get, args=(i,)) for i in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert seen[0] is seen[1]
