# expect: holds
import queue
import sys

q = queue.Queue()
assert hasattr(q, "shutdown") == (sys.version_info >= (3, 13))
assert hasattr(queue, "ShutDown") == (sys.version_info >= (3, 13))
if hasattr(q, "shutdown"):
    q.put(1)
    q.shutdown()
    assert q.get() == 1
    try:
        q.get()
    except queue.ShutDown:
        pass
    try:
        q.put(1)
    except queue.ShutDown:
        pass
    else:
        raise AssertionError
