# expect: holds
import json, threading
lock, texts = threading.Lock(), []

def work():
    text = json.dumps({"a": [1, 2], "b": {"c": None}})
    assert json.loads(text)["a"] == [1, 2]
    with lock:
        texts.append(text)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(set(texts)) == 1
