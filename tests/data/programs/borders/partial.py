# expect: violated assertion
import functools, threading
count = 0

def add(n):
    global count
    count += n

work = functools.partial(add, 1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert count == 2
