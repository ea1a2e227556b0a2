# expect: incomplete; reason: _io.TextIOWrapper
import threading

file = open(__file__)


def work():
    with file:
        pass


threads = [threading.Thread(target=f) for f in (work, print)]
for t in threads:
    t.start()
for t in threads:
    t.join()
