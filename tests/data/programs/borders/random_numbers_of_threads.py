# expect: holds
import random, threading

def work():
    assert 1 <= random.randint(1, 6) <= 6
    assert random.choice([1, 2]) in (1, 2)
    random.sample([1, 2, 3], 2)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
