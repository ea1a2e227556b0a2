# expect: violated deadlock
"""A task waits for a task that has no thread left."""
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(max_workers=1)


def outer():
    return pool.submit(lambda: 1).result()


assert pool.submit(outer).result() == 1
