# expect: violated exception; why: to open a file for writing empties it, and then the other one reads
import os, tempfile, threading
path = os.path.join(tempfile.mkdtemp(), "count")
with open(path, "w") as file:
    file.write("0")

def work():
    with open(path) as file:
        n = int(file.read())
    with open(path, "w") as file:
        file.write(str(n + 1))


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
