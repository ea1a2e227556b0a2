# expect: incomplete; reason: exec at
import threading
space = {"x": 0}

def work():
    exec("x = x + 1", space)


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
