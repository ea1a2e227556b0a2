# expect: holds
import threading


class Odd(dict):
    def keys(self):
        raise RuntimeError("nobody calls this")

    values = items = __iter__ = __len__ = __contains__ = keys


class Lazy(list):
    def __iter__(self):
        raise RuntimeError("nobody calls this")

    __len__ = __bool__ = __iter__


odd, lazy, out, lock = Odd(a=[1]), Lazy([[1]]), [], threading.Lock()


def work():
    with lock:
        odd["a"].append(2)
        out.append(repr(odd))
        lazy[0].append(3)
        out.append(repr(lazy))
        odd["b"] = 1
        lazy.append(odd)


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(out) == 4 and dict.__len__(odd) == 2 and list.__len__(lazy) == 3
