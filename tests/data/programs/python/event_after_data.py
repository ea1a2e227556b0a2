# expect: holds
import threading

ready = threading.Event()
data = None


def produce():
    global data
    data = "payload"
    ready.set()


producer = threading.Thread(target=produce)
producer.start()
ready.wait()
assert data == "payload"
producer.join()
