# expect: violated lock-misuse
"""Whoever gives back in `finally` what was perhaps not taken, gives back too much."""
import threading

slot = threading.BoundedSemaphore(1)


def work():
    try:
        if not slot.acquire(blocking=False):
            return
    finally:
        slot.release()


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
