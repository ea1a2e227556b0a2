# expect: incomplete; reason: waits for others and counts its turns
import threading
import time

flag = False
n = 0


def work():
    global flag
    flag = True


threading.Thread(target=work).start()
while not flag:
    n += 1
    time.sleep(0.01)
