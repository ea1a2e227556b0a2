# expect: violated assertion
import threading

made = []
cache = {}


def get(key):
    if key not in cache:
        made.append(key)
        cache[key] = object()
    return cache[key]


threads = [threading.Thread(target=get, args=("k",)) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(made) == 1
