# expect: holds
import threading, typing
from collections import namedtuple
from dataclasses import make_dataclass
from enum import Enum
Point = namedtuple("Point", "x y")
Color = Enum("Color", "RED BLUE")
Pair = typing.NamedTuple("Pair", [("a", int)])
T = typing.TypeVar("T")
lock = threading.Lock()

def work():
    with lock:
        assert Point.__module__ == __name__ == "__main__", Point.__module__
        assert Color.__module__ == __name__, Color.__module__
        assert Pair.__module__ == __name__, Pair.__module__
        assert T.__module__ == __name__
        assert namedtuple("Inner", "a").__module__ == __name__


threads = [threading.Thread(target=f) for f in (work, work)]
for t in threads:
    t.start()
for t in threads:
    t.join()
