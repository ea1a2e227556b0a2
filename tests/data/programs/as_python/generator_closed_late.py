# expect: incomplete; reason: lives longer under control
import threading

closed = []


def numbers():
    try:
        yield 1
        yield 2
    finally:
        closed.append(1)


def first(values):
    for value in values:
        return value


def work():
    first(numbers())


thread = threading.Thread(target=work)
thread.start()
thread.join()
assert closed == [1]
