# expect: holds
"""A wait with a time-out in a loop: it is not repeated for ever, and the lock is free meanwhile."""
import threading

condition = threading.Condition()
ready = False


def work():
    global ready
    with condition:
        ready = True  # and no notification


threading.Thread(target=work).start()
with condition:
    while not ready:
        condition.wait(timeout=0.1)
