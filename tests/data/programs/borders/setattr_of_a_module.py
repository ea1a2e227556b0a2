# expect: violated assertion
import sys, threading
count = 0

def work():
    module = sys.modules[__name__]
    setattr(module, "count", module.count + 1)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert count == 2
