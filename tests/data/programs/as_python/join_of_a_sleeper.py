# expect: holds
import threading
import time
from concurrent.futures import ThreadPoolExecutor

begin = time.monotonic()
sleeper = threading.Thread(target=time.sleep, args=(1,))
sleeper.start()
sleeper.join()
assert time.monotonic() - begin >= 1

begin = time.perf_counter()
with ThreadPoolExecutor(1) as pool:
    pool.submit(time.sleep, 1).result()
assert time.perf_counter() - begin >= 1
