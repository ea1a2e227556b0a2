# expect: holds
import threading

barrier = threading.Barrier(2)
first = [0, 0]
total = [0, 0]


def work(i):
    first[i] = i + 1
    barrier.wait()
    total[i] = sum(first)


threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert total == [3, 3]
