# expect: violated assertion
"""The threads look alike, but a block that is still open knows which came first in its list."""
import threading

order = []


class Watch:
    def __init__(self, threads):
        self.first = threads[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        assert order[0] is self.first


def work():
    order.append(threading.current_thread())


def start(threads):
    for t in threads:
        t.start()
    return Watch(threads)


threads = [threading.Thread(target=work) for _ in range(2)]
with start(threads):
    for t in threads:
        t.join()
