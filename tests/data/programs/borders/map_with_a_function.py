# expect: violated assertion
import threading
count = 0

def step(v):
    global count
    count += v
    return count

def work():
    list(map(step, [1]))


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert count == 2
