# expect: holds
import functools, sys, threading
calls = []

class Box:
    @functools.cached_property
    def value(self):
        calls.append(1)
        return len(calls)

box = Box()

def work():
    assert box.value == 1 or sys.version_info >= (3, 12)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(calls) == 1 or sys.version_info >= (3, 12)  # there it has no lock any more
