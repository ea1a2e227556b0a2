# expect: violated assertion
import array, threading
numbers = array.array("i", [0])

def work():
    numbers[0] = numbers[0] + 1


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert numbers[0] == 2
