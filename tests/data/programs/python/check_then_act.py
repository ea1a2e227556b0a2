# expect: violated assertion
"""Both see enough money, both take it."""
import threading


class Account:
    def __init__(self):
        self.balance = 100

    def withdraw(self, amount):
        if self.balance >= amount:
            self.balance = self.balance - amount


account = Account()
threads = [threading.Thread(target=account.withdraw, args=(80,)) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert account.balance >= 0
