# expect: incomplete; reason: eval at
import threading
x = 0

def look():
    assert eval("x + x") in (0, 2)

def change():
    global x
    x = 1


threads = [threading.Thread(target=f) for f in (look, change,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
