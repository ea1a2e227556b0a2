# expect: incomplete; reason: lives longer under control
import threading

closed = []


class Resource:
    def __del__(self):
        closed.append(self.name)


def work():
    resource = Resource()
    resource.name = 1


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(closed) < 2 or closed == [1, 1]
