# expect: violated lost-wakeup
"""The waiter does not look whether it is too late to wait."""
import threading

condition = threading.Condition()


def waiter():
    with condition:
        condition.wait()


def notifier():
    with condition:
        condition.notify()


threads = [threading.Thread(target=waiter), threading.Thread(target=notifier)]
for t in threads:
    t.start()
for t in threads:
    t.join()
