# expect: holds
import threading

own = threading.local()
seen = []


def work(n):
    own.value = n
    assert own.value == n
    assert threading.current_thread().name.startswith("worker")
    seen.append(own.value)


threads = [threading.Thread(target=work, args=(n,), name=f"worker-{n}") for n in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert sorted(seen) == [0, 1]
assert not hasattr(own, "value")
