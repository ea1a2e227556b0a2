# expect: violated exception
import threading


def work():
    raise ValueError("unknown")


t = threading.Thread(target=work)
t.start()
t.join()
