# expect: violated deadlock
import threading

forks = [threading.Lock() for _ in range(3)]


def dine(left, right):
    with left, right:
        pass


threads = [threading.Thread(target=dine, args=(forks[i], forks[(i + 1) % 3])) for i in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
