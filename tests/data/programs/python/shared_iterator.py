# expect: holds
"""itertools.count is a counter that needs no lock."""
import itertools
import threading

numbers = itertools.count()
seen = []


def work():
    seen.append(next(numbers))


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert sorted(seen) == [0, 1]
