# expect: holds
"""Four customers, three tickets: nobody gets one that is not there.  They can come in 24 orders, and are all alike.

    isospin check examples/python/shop.py
"""
import threading

lock, tickets, sold = threading.Lock(), 3, 0


def buy():
    global tickets, sold
    with lock:
        if tickets > 0:
            tickets -= 1
            sold += 1


customers = [threading.Thread(target=buy) for _ in range(4)]
for c in customers:
    c.start()
for c in customers:
    c.join()
assert tickets == 0
assert sold == 3
