# expect: violated assertion
"""The event is set before what it announces is there."""
import threading

ready = threading.Event()
data = None


def produce():
    global data
    ready.set()
    data = "payload"


producer = threading.Thread(target=produce)
producer.start()
ready.wait()
assert data == "payload"
producer.join()
