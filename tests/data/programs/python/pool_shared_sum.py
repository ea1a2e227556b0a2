# expect: violated assertion
from concurrent.futures import ThreadPoolExecutor

total = 0


def add(n):
    global total
    total = total + n


with ThreadPoolExecutor(max_workers=2) as pool:
    pool.submit(add, 1)
    pool.submit(add, 2)
assert total == 3
