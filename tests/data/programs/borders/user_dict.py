# expect: incomplete; reason: collections.abc.Mapping.get at
import threading
from collections import UserDict

class Table(UserDict): pass

table = Table()

def work():
    table["a"] = table.get("a", 0) + 1


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert table["a"] in (1, 2)
