# expect: violated assertion
"""Two transfers at the same time: each is checked, but not both together.

    isospin check examples/python/bank.py
"""
import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()

    def withdraw(self, amount):
        if self.balance >= amount:  # looks without the lock ...
            with self.lock:
                self.balance -= amount  # ... and acts with it


account = Account(100)
threads = [threading.Thread(target=account.withdraw, args=(80,)) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert account.balance >= 0
