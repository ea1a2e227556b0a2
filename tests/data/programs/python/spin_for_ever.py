# expect: violated deadlock
"""Nobody sets the flag if the other thread came too early."""
import threading
import time

stop = False


def work():
    global stop
    stop = False
    while not stop:
        time.sleep(0.1)


worker = threading.Thread(target=work)
worker.start()
stop = True
worker.join()
