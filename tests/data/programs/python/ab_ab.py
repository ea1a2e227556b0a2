# expect: holds
import threading

a, b = threading.Lock(), threading.Lock()


def work():
    with a, b:
        pass


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not a.locked()
assert not b.locked()
