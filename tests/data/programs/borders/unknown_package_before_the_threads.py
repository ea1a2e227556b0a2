# expect: holds
import attr, threading

@attr.s
class Pair:
    a = attr.ib(default=0)

number = Pair(5).a
numbers = []

def work():
    numbers.append(number)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert numbers == [5, 5]
assert attr.asdict(Pair(1)) == {'a': 1}
