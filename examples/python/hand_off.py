# expect: holds
"""A condition variable, used as it should be."""
import threading

condition = threading.Condition()
ready = False
got = []


def consumer():
    with condition:
        while not ready:
            condition.wait()
        got.append("item")


def producer():
    global ready
    with condition:
        ready = True
        condition.notify()


threads = [threading.Thread(target=consumer), threading.Thread(target=producer)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert got == ["item"]
