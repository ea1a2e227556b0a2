# expect: holds
import threading


class Account:
    def __init__(self):
        self.balance = 100
        self.lock = threading.RLock()

    def enough(self, amount):
        with self.lock:
            return self.balance >= amount

    def withdraw(self, amount):
        with self.lock:
            if self.enough(amount):
                self.balance = self.balance - amount


account = Account()
threads = [threading.Thread(target=account.withdraw, args=(80,)) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert account.balance == 20
