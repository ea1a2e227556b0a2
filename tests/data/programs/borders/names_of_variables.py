# expect: holds
import threading
lock = threading.Lock()

def work():
    a = b = 1
    def inner():
        nonlocal a
        a += 1
    inner()
    with lock:
        assert sorted(locals()) == ["a", "b", "inner"], locals()
        assert "_iso_module" not in dir()
        assert not [n for n in globals() if n.startswith("_iso")], [n for n in globals() if n.startswith("_iso")]

def other():
    x = [0]
    x[0] += 1
    return {**vars()}


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert other() == {"x": [1]}
