# expect: incomplete; reason: json.dumps at
import json, threading
data = {"a": [1]}

def look():
    json.dumps(data)

def change():
    data["b"] = [2]


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
