# expect: violated assertion
import threading
data = bytearray(1)
view = memoryview(data)

def work():
    view[0] = data[0] + 1


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert data[0] == 2
