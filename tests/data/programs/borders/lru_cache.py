# expect: violated assertion
import functools, threading
calls = []

@functools.lru_cache(maxsize=None)
def square(n):
    calls.append(n)
    return n * n

def work():
    assert square(3) == 9


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(calls) == 1  # both may miss the cache
