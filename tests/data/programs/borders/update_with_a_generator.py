# expect: violated assertion
import threading

d = {"a": 0, "b": 0}


def one():
    d.update((name, 1) for name in ("a", "b"))


def two():
    d.update((name, 2) for name in ("a", "b"))


threads = [threading.Thread(target=f) for f in (one, two)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert d["a"] == d["b"]
