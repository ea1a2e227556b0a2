# expect: violated exception
import threading
from collections import UserDict

table = UserDict(a=1)


def look():
    for name in table:
        pass


def change():
    table["b"] = 2


threads = [threading.Thread(target=f) for f in (look, change)]
for t in threads:
    t.start()
for t in threads:
    t.join()
