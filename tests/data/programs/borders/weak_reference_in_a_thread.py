# expect: incomplete; reason: lives longer; why: in Python the assertion never fails, and a test for None always succeeds
import threading
import weakref


class Node:
    pass


def first():
    node = Node()
    reference = weakref.ref(node)
    del node
    assert reference() is None


def second():
    pass


threads = [threading.Thread(target=f) for f in (first, second)]
for t in threads:
    t.start()
for t in threads:
    t.join()
