# expect: violated assertion
import threading

class Account: pass

account = Account()
account.sum = 0

def work():
    account.__dict__["sum"] = account.sum + 1


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert account.sum == 2
