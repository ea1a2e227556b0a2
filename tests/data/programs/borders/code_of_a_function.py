# expect: incomplete; reason: function.__code__; why: all methods are found elsewhere then, and no access says so
import threading


def says():
    return "meow"


def other():
    return "bark"


same = []


def first():
    same.append(says() == says())


def second():
    says.__code__ = other.__code__


threads = [threading.Thread(target=f) for f in (first, second)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert same == [True]
