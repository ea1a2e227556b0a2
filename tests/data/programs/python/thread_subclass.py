# expect: violated assertion
import threading


class Adder(threading.Thread):
    total = 0

    def run(self):
        Adder.total = Adder.total + 1


threads = [Adder() for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert Adder.total == 2
