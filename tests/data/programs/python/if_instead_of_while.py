# expect: violated exception
"""Two consumers are woken for one item: the second must look again."""
import threading

condition = threading.Condition()
items = []


def consume():
    with condition:
        if not items:
            condition.wait()
        items.pop()


def produce():
    with condition:
        items.append(1)
        condition.notify_all()


consumers = [threading.Thread(target=consume, daemon=True) for _ in range(2)]
for t in consumers:
    t.start()
producer = threading.Thread(target=produce)
producer.start()
producer.join()
