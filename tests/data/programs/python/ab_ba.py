# expect: violated deadlock
import threading

a, b = threading.Lock(), threading.Lock()


def one():
    with a, b:
        pass


def two():
    with b, a:
        pass


threads = [threading.Thread(target=one), threading.Thread(target=two)]
for t in threads:
    t.start()
for t in threads:
    t.join()
