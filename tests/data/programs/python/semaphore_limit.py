# expect: holds
import threading

slots = threading.BoundedSemaphore(2)
lock = threading.Lock()
inside = 0


def work():
    global inside
    with slots:
        with lock:
            inside += 1
            assert inside <= 2
        with lock:
            inside -= 1


threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
