# expect: holds
import threading
import weakref


class Thing:
    def __init__(self):
        self.value = 0

    def __del__(self):
        pass


thing = Thing()
reference = weakref.ref(thing)
lock = threading.Lock()


def work():
    with lock:
        reference().value += 1


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert reference() is thing
assert thing.value == 2
