# expect: violated exception
"""Somebody inserts while somebody iterates."""
import threading

users = {"a": 1, "b": 2}


def report():
    for name in users:
        str(name)


def register():
    users["c"] = 3


threads = [threading.Thread(target=report), threading.Thread(target=register)]
for t in threads:
    t.start()
for t in threads:
    t.join()
