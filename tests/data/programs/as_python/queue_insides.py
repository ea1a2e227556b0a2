# expect: holds
import queue
import threading

q = queue.Queue(maxsize=2)


def work():
    with q.mutex:
        q.queue.append(1)
        q.unfinished_tasks += 1
        q.not_empty.notify()


t = threading.Thread(target=work)
t.start()
assert q.get() == 1
q.task_done()
q.join()
t.join()
with q.mutex:
    assert not q.queue and q.maxsize == 2
    q.queue.clear()
    q.not_full.notify_all()
    q.all_tasks_done.notify_all()
