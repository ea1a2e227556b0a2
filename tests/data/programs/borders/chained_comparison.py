# expect: incomplete; reason: chained comparison at
import threading

a, b, c = [1], [1], [1]


def look():
    a == b == c


def change():
    b.append(2)
    c.append(2)


threads = [threading.Thread(target=f) for f in (look, change)]
for t in threads:
    t.start()
for t in threads:
    t.join()
