# expect: violated assertion
import threading
from contextlib import contextmanager
count = 0

@contextmanager
def counting():
    global count
    n = count
    yield
    count = n + 1

def work():
    with counting():
        pass


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert count == 2
