# expect: holds
import heapq, threading
heap, lock = [], threading.Lock()

def work():
    with lock:
        heapq.heappush(heap, (len(heap), "x"))
    with lock:
        heapq.heappop(heap)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert heap == []
