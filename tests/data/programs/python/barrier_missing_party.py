# expect: violated deadlock
import threading

barrier = threading.Barrier(3)
threads = [threading.Thread(target=barrier.wait) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
