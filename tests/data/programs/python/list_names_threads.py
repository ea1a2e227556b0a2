# expect: violated assertion
"""The threads look alike, but the main thread looks afterwards which one was first."""
import threading

order = []


def work():
    order.append(threading.current_thread())


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert order[0] is threads[0]
