# expect: incomplete; reason: work
import threading
count = 0
exec("def work():\n    global count\n    count += 1\n")


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
