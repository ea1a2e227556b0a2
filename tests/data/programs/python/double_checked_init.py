# expect: violated assertion
"""The object is published before it is complete."""
import threading


class Service:
    instance = None
    lock = threading.Lock()

    def __init__(self):
        self.ready = False

    @classmethod
    def get(cls):
        if cls.instance is None:
            with cls.lock:
                if cls.instance is None:
                    cls.instance = Service()
                    cls.instance.ready = True
        return cls.instance


def use():
    assert Service.get().ready


threads = [threading.Thread(target=use) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
