# expect: incomplete; reason: lives longer; why: in Python this thread always fails; the reference is gone when it ends
import threading
import weakref


class Node:
    def name(self):
        return "node"


def first():
    node = Node()
    method = weakref.WeakMethod(node.name)
    del node
    if method() is None:
        raise ValueError


def second():
    pass


threads = [threading.Thread(target=f) for f in (first, second)]
for t in threads:
    t.start()
for t in threads:
    t.join()
