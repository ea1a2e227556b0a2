# expect: violated assertion; why: main has the handles of both, and looks at what each has left on its own
import threading

lock, count = threading.Lock(), 0


def work():
    global count
    with lock:
        threading.current_thread().rank = count
        count += 1


first, second = threading.Thread(target=work), threading.Thread(target=work)
first.start()
second.start()
with lock:
    count += 10
for t in [first, second]:
    t.join()
assert first.rank <= second.rank
