# expect: holds
import queue
import threading

tasks = queue.LifoQueue()
done = []


def work():
    while True:
        done.append(tasks.get())
        tasks.task_done()


for i in range(2):
    tasks.put(i)
threading.Thread(target=work, daemon=True).start()
tasks.join()
assert sorted(done) == [0, 1]
