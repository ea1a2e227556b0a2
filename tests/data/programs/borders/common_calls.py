# expect: holds
import math, random, re, string, threading, time
from collections import Counter, deque, namedtuple
from functools import reduce
Point = namedtuple("Point", "x y")
lock, done, log = threading.Lock(), deque(), []
random.seed(7)

def work():
    point = Point(1, y=2)._replace(x=3)
    words = sorted("b a c".split(), key=lambda w: w.upper())
    text = f"{point.x:>4} {words!r} {math.sqrt(4)} {string.ascii_letters[:3]}"
    time.sleep(random.random())
    total = sum(n * n for n in range(3)) + reduce(lambda a, b: a + b, [1, 2]) + max(point, key=lambda v: -v)
    print(text, re.findall("[0-9]", text), Counter(words).most_common(1), list(map(str, words)), total)
    with lock:
        done.append(total)
        log.append("%s %d" % (text, total))


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert list(done) == [10, 10]
assert len(log) == 2
