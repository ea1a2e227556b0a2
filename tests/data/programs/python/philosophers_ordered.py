# expect: holds
import threading

forks = [threading.Lock() for _ in range(3)]


def dine(left, right):
    with left, right:
        pass


pairs = [(0, 1), (1, 2), (0, 2)]  # the lower one first
threads = [threading.Thread(target=dine, args=(forks[i], forks[j])) for i, j in pairs]
for t in threads:
    t.start()
for t in threads:
    t.join()
