# expect: violated assertion
import threading
import time

flag = False
value = None


def work():
    global flag, value
    flag = True
    value = 1


threading.Thread(target=work).start()
n = 0
while not flag:
    n += 1
    time.sleep(0.01)
assert value == 1
