# expect: holds
import sys
import threading


def work():
    sys.exit(1)


t = threading.Thread(target=work)
t.start()
t.join()
assert not t.is_alive()
