# expect: holds
import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Queue, SimpleQueue


def work(jobs: queue.Queue[int], done: "Queue[int]", extra: SimpleQueue[str] | None = None) -> None:
    done.put(jobs.get() + 1)


class Jobs(queue.Queue[int]):
    pass


Answer = Future[int]
jobs: queue.Queue[int] = queue.Queue[int]()
done: Queue[int] = Jobs()
t = threading.Thread(target=work, args=(jobs, done))
t.start()
jobs.put(1)
t.join()
assert done.get() == 2 and isinstance(done, queue.Queue) and isinstance(jobs, queue.Queue)
assert queue.Queue[int].__origin__ is queue.Queue and work.__annotations__["jobs"] == queue.Queue[int]
assert queue.LifoQueue[int] and queue.PriorityQueue[int] and issubclass(queue.LifoQueue, queue.Queue)
with ThreadPoolExecutor(1) as pool:
    answer: Future[int] = pool.submit(int, 5)
    assert answer.result() == 5 and isinstance(answer, Future) and Answer.__args__ == (int,)
