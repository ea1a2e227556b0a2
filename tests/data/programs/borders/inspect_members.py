# expect: incomplete; reason: inspect.getmembers at
import inspect, threading

class Box: pass

box = Box()

def one():
    box.a = 1

def two():
    inspect.getmembers(box)


threads = [threading.Thread(target=f) for f in (one, two,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
