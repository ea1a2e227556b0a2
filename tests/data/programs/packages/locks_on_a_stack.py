# expect: violated deadlock; why: one thread takes them through a tool of Python
import contextlib, sys, threading
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "site-packages"))
import asks


def work():
    with contextlib.ExitStack() as stack:
        stack.enter_context(asks.one_lock), stack.enter_context(asks.other_lock)


def work_the_other_way():
    with asks.other_lock, asks.one_lock:
        pass


threads = [threading.Thread(target=f) for f in (work, work_the_other_way)]
for t in threads:
    t.start()
for t in threads:
    t.join()
