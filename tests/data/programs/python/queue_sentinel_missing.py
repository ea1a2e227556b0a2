# expect: violated deadlock
"""Two workers, one sentinel: the second waits for ever."""
import queue
import threading

tasks = queue.Queue()


def work():
    while tasks.get() is not None:
        pass


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
tasks.put(1)
tasks.put(None)
for t in threads:
    t.join()
