# expect: incomplete; reason: ctypes
import ctypes, threading
count = ctypes.c_int(0)

def work():
    count.value += 1


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
