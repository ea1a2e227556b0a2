# expect: violated assertion
"""Two threads count without a lock: x += 1 is a read and a write."""
import threading

count = 0


def work():
    global count
    count += 1


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert count == 2
