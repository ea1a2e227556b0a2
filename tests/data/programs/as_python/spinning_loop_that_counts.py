# expect: incomplete; reason: waits for others and counts its turns
import threading

flag = []


def work():
    flag.append(1)


def wait():
    n = 0
    while not flag:
        n += 1
    return n


threading.Thread(target=work).start()
assert wait() >= 0
