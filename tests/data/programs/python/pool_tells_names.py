# expect: violated assertion; why: workers of a pool are alike until somebody asks for their names
import threading
from concurrent.futures import ThreadPoolExecutor

lock, names = threading.Lock(), []


def task():
    with lock:
        names.append(threading.current_thread().name)


with ThreadPoolExecutor(2) as pool:
    for _ in range(2):
        pool.submit(task)
assert not names[0].endswith("_1")
