# expect: incomplete
import attr, threading

@attr.s
class Pair:
    a = attr.ib(default=0)

one, other = Pair(), Pair()

def look():
    one == other

def change():
    one.a = 1


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
