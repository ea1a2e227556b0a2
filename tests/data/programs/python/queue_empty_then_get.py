# expect: violated deadlock
"""empty() says nothing about what get() will find."""
import queue
import threading

tasks = queue.Queue()
tasks.put("only")


def work():
    if not tasks.empty():
        tasks.get()


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
