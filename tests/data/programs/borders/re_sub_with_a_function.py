# expect: violated assertion
import re, threading
count = 0

def number(match):
    global count
    count += 1
    return str(count)

def work():
    re.sub("a", number, "xay")


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert count == 2
