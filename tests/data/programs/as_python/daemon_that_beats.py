# expect: incomplete; reason: waits for others and counts its turns
import threading
import time

beats = 0


def beat():
    global beats
    while True:
        beats += 1
        time.sleep(1)


threading.Thread(target=beat, daemon=True).start()
other = threading.Thread(target=lambda: None)
other.start()
other.join()
assert beats >= 0
