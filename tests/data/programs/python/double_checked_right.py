# expect: holds
import threading


class Service:
    instance = None
    made = 0
    lock = threading.Lock()

    def __init__(self):
        self.ready = True
        Service.made += 1

    @classmethod
    def get(cls):
        if cls.instance is None:
            with cls.lock:
                if cls.instance is None:
                    cls.instance = Service()
        return cls.instance


def use():
    assert Service.get().ready


threads = [threading.Thread(target=use) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert Service.made == 1
