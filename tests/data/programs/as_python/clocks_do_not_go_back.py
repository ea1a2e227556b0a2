# expect: holds
import queue
import threading
import time

lock, event, q = threading.Lock(), threading.Event(), queue.Queue()
times = []
stamp = 0.0


def by_queue():
    time.sleep(3)
    q.put(time.monotonic())


def by_lock():
    time.sleep(1)
    with lock:
        times.append(time.monotonic())


def by_event():
    global stamp
    time.sleep(2)
    stamp = time.time()
    event.set()


threads = [threading.Thread(target=t) for t in (by_queue, by_lock, by_event)]
for t in threads:
    t.start()
assert q.get() <= time.monotonic()
with lock:
    assert not times or times[-1] <= time.monotonic()
event.wait()
assert stamp <= time.time()
for t in threads:
    t.join()
