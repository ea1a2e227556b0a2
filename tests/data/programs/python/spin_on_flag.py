# expect: holds
"""A loop that waits for a flag: it is not repeated until the flag has changed."""
import threading
import time

done = False
value = 0


def work():
    global done, value
    value = 42
    done = True


threading.Thread(target=work).start()
while not done:
    time.sleep(0.1)
assert value == 42
