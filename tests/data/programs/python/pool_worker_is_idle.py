# expect: violated assertion
"""A worker that is idle takes the second task: then there are two threads, not three."""
import threading
from concurrent.futures import ThreadPoolExecutor


def square(n):
    return n * n


with ThreadPoolExecutor(max_workers=2) as pool:
    pool.submit(square, 1)
    pool.submit(square, 2)
    started = threading.active_count()
assert started == 3
