# expect: holds
import threading

users = {"a": 1, "b": 2}


def report():
    for name in list(users):
        str(name)


def register():
    users["c"] = 3


threads = [threading.Thread(target=report), threading.Thread(target=register)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(users) == 3
