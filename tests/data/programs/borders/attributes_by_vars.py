# expect: violated assertion
import threading

class Account:
    def __init__(self): self.sum = 0

account = Account()

def work():
    vars(account)["sum"] += 1


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert account.sum == 2
