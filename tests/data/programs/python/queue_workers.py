# expect: holds
import queue
import threading

tasks, results = queue.Queue(), queue.Queue()


def work():
    while (task := tasks.get()) is not None:
        results.put(task * task)


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for task in (1, 2):
    tasks.put(task)
for _ in threads:
    tasks.put(None)
for t in threads:
    t.join()
assert sorted([results.get(), results.get()]) == [1, 4]
