# expect: holds
import threading

log = []
threads = [threading.Thread(target=log.append, args=(i,)) for i in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert sorted(log) == [0, 1, 2]
