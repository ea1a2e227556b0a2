# expect: holds
import threading

failed, lock = 0, threading.Lock()


def note(arguments):
    global failed
    with lock:
        failed += 1


threading.excepthook = note


def first():
    raise ValueError


second = first


threads = [threading.Thread(target=f) for f in (first, second)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert failed == 2
