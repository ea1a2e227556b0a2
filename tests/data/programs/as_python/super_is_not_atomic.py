# expect: violated assertion
import threading


class Bag(dict):
    def add(self, key):
        self[key] = super().get(key, 0) + 1


bag = Bag()
threads = [threading.Thread(target=bag.add, args=("a",)) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert bag["a"] == 2
