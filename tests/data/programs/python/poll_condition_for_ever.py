# expect: violated deadlock
"""Nobody makes it ready."""
import threading

condition = threading.Condition()
ready = False


def work():
    with condition:
        condition.notify()


threading.Thread(target=work).start()
with condition:
    while not ready:
        condition.wait(timeout=0.1)
