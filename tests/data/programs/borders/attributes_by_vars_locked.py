# expect: holds
import threading

class Account:
    def __init__(self, **named): self.__dict__.update(named)

account, lock = Account(sum=0), threading.Lock()

def work():
    with lock:
        vars(account)["sum"] += 1
        str(vars(account))


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert account.sum == 2
