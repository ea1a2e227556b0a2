# expect: holds
import json, threading
data, lock = {"a": 1}, threading.Lock()

def work():
    with lock:
        data["a"] += 1
        json.dumps(data)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert data == {"a": 3}
