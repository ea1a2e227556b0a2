# expect: incomplete; reason: pathlib.Path.exists at
import pathlib, threading
here = pathlib.Path(__file__)

def work():
    assert (here.parent / here.name).exists()


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
