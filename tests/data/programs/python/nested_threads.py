# expect: violated assertion
"""Threads that start threads."""
import threading

seen = []


def leaf():
    seen.append("leaf")


def branch():
    threading.Thread(target=leaf).start()


threads = [threading.Thread(target=branch) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(seen) == 2  # the leaves were not waited for
