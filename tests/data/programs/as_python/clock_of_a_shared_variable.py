# expect: holds
import threading
import time

stamp = 0.0
stamps = {}


def work():
    global stamp
    time.sleep(5)
    stamp = time.monotonic()
    stamps["work"] = time.monotonic()


threading.Thread(target=work).start()
assert stamp <= time.monotonic()
assert stamps.get("work", 0.0) <= time.monotonic()
