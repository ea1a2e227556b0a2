# expect: holds
import queue
import threading

tasks = queue.Queue(maxsize=1)


def produce():
    for i in range(3):
        tasks.put(i)


producer = threading.Thread(target=produce)
producer.start()
assert [tasks.get() for _ in range(3)] == [0, 1, 2]
producer.join()
