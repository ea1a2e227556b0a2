# expect: holds
from concurrent.futures import ThreadPoolExecutor, as_completed


def square(n):
    return n * n


with ThreadPoolExecutor(max_workers=2) as pool:
    futures = [pool.submit(square, n) for n in (1, 2)]
    assert sorted(f.result() for f in as_completed(futures)) == [1, 4]
