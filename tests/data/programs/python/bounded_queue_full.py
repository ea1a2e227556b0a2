# expect: violated deadlock
"""Producer and consumer in one thread: the queue is full before anybody takes."""
import queue
import threading

tasks = queue.Queue(maxsize=1)
done = threading.Event()


def produce():
    tasks.put(1)
    tasks.put(2)
    done.set()


producer = threading.Thread(target=produce)
producer.start()
done.wait()
tasks.get()
tasks.get()
producer.join()
