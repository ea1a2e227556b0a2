# expect: violated assertion
"""The failure needs three preemptions: x must be changed at exactly the right moments."""
import threading

x = 0
bad = False


def first():
    global x, bad
    x = 1
    if x == 2:
        x = 3
        if x == 4:
            x = 5
            if x == 6:
                bad = True


def second():
    global x
    if x == 1:
        x = 2
    if x == 3:
        x = 4
    if x == 5:
        x = 6


threads = [threading.Thread(target=first), threading.Thread(target=second)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not bad
