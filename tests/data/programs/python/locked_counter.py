# expect: holds
import threading

count = 0
lock = threading.Lock()


def work():
    global count
    with lock:
        count += 1


threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert count == 3
