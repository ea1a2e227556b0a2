# expect: violated assertion
import threading
count = 0

def one():
    globals()["count"] = 1

def two():
    assert count == count


threads = [threading.Thread(target=f) for f in (one, two,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
