# expect: holds
import queue
import threading


class Unique(queue.Queue):
    def _init(self, maxsize):
        self.queue = set()

    def _qsize(self):
        return len(self.queue)

    def _put(self, item):
        self.queue.add(item)

    def _get(self):
        return self.queue.pop()


q = Unique()
threads = [threading.Thread(target=q.put, args=(1,)) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert q.get() == 1 and q.empty() and q.qsize() == 0 and q.unfinished_tasks == 2
