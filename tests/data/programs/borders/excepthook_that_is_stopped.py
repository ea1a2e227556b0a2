# expect: violated assertion; why: the function for exceptions of threads is code of the program, with switches in it
import threading

failed = 0


def note(arguments):
    global failed
    failed += 1


threading.excepthook = note


def first():
    raise ValueError


second = first


threads = [threading.Thread(target=f) for f in (first, second)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert failed == 2
