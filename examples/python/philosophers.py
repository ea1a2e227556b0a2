# expect: violated deadlock
"""Four philosophers take the left fork first; that they sit in a circle is declared, and checked.

    isospin check examples/python/philosophers.py
"""
import threading

import isospin

COUNT = 4
forks = [threading.Lock() for _ in range(COUNT)]


def dine(left, right):
    with left, right:
        pass


threads = [threading.Thread(target=dine, args=(forks[i], forks[(i + 1) % COUNT])) for i in range(COUNT)]
isospin.permutation(threads, forks)
for t in threads:
    t.start()
for t in threads:
    t.join()
