# expect: incomplete; reason: lives longer under control
import threading

closed = []


class Resource:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        closed.append(self.name)


def work():
    resource = Resource("a")
    resource.name += "b"


thread = threading.Thread(target=work)
thread.start()
thread.join()
assert closed == ["ab"]
