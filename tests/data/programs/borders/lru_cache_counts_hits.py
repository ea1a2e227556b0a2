# expect: violated assertion
import functools, threading

@functools.cache
def answer():
    return 42

def work():
    answer()


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert answer.cache_info().hits == 1
