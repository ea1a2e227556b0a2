# expect: incomplete
import os, threading

def work():
    os.environ["ISOSPIN_TEST"] = os.environ.get("ISOSPIN_TEST", "") + "x"


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
