# expect: violated assertion; executions: 2; why: whose children come first is seen by what their mothers gave them
import threading

lock, order = threading.Lock(), []


def child(tag):
    with lock:
        order.append(tag)


def mother(tag):
    children = [threading.Thread(target=child, args=(tag,)) for _ in range(2)]
    for t in children:
        t.start()
    for t in children:
        t.join()


mothers = [threading.Thread(target=mother, args=([],)) for _ in range(2)]
for t in mothers:
    t.start()
for t in mothers:
    t.join()
assert not (order[0] is order[3] and order[0] is not order[1])
