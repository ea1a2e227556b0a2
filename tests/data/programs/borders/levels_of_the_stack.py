# expect: holds
import sys, threading, warnings
lock = threading.Lock()

def warn():
    warnings.warn("careful", stacklevel=2)

def work():
    with lock, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn()
        assert caught[0].filename == __file__ and caught[0].lineno == 11, caught[0]

def caller():
    return sys._getframe(1).f_code.co_name

def outer():
    return caller()

assert outer() == "outer"
work()
t = threading.Thread(target=int)
t.start()
t.join()
work()
