"""Random small Python programs with threads: shared variables, containers, locks, conditions on data."""

from __future__ import annotations

from random import Random

HEAD = """import queue
import threading

x = y = 0
d = {}
items = []
a, b = threading.Lock(), threading.Lock()
event = threading.Event()
s = threading.Semaphore(1)
c = threading.Condition()
q = queue.Queue()
more, nest = [1], [[1], [2]]
it, pairs = iter([4, 5, 6]), zip([1, 2], [3, 4])


class Box:
    def __init__(self):
        self.v = 0


box = Box()

"""
TAIL = """

threads = [threading.Thread(target=t) for t in (%s,)]
for t in threads:
    t.start()
for t in threads:
    t.join()
"""
STATEMENTS = [
    "x = {n}", "y = x + {n}", "x += 1", "box.v = x", "x = box.v + y", "box.v += {n}", "items.append({n})",
    "d[{k}] = {n}", "x = d.get({k}, 7)", "y = len(items)", "d.pop({k}, None)", "y = len(d)", "x = y", "event.set()",
    "x = items[0] if items else 9", "y = sum(items)", "d[{k}] = d.get({k}, 0) + 1", "y = {n} if event.is_set() else 5",
]  # fmt: skip


SEVERAL = [  # steps that touch several objects, look into objects, or draw from what others draw from
    "items.extend(more)", "more.append({n})", "more += items", "items[:] = more", "x = len(items + more)",
    "y = int(items == more)", "y = len(repr(nest))", "nest[{k}].append({n})", "x = int([1] in nest)", "x = next(it, 0)",
    "y = sum(it)", "x = sum(p + q for p, q in pairs)", "y = len(f'{{nest}}{{more}}')", "x = max(nest)[0]",
    "d.update(enumerate(more))",
]  # fmt: skip
SYNCHRONISATION = [
    "q.put({n})", "y = q.get() if not q.empty() else 4", "x = int(s.acquire(blocking=False))", "s.release()",
    "y = int(a.locked())", "with c: c.notify()", "with c: y = int(c.wait(timeout=1))", "x = int(event.wait(0.1))",
    "event.clear()", "with c: x = y; c.notify_all()", "y = q.qsize()", "with s: x += 1",
    "with c: y = 1 if x else int(c.wait(1))",
]  # fmt: skip


def block(random: Random, size: int, indent: str, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(size):
        kind = random.randrange(8)
        if kind == 0 and depth:
            test = random.choice(["x == {n}", "y > x", "items", "{k} in d", "box.v == 0", "not event.is_set()"])
            lines += [f"{indent}if {fill(random, test)}:", *block(random, 1, indent + "    ", depth - 1)]
        elif kind in (1, 2) and depth:
            lines += [
                f"{indent}with {random.choice('ab')}:",
                *block(random, random.randint(1, 2), indent + "    ", depth - 1),
            ]
        else:
            (statements,) = random.choices([SYNCHRONISATION, SEVERAL, STATEMENTS], [3, 3, 4])
            lines.append(indent + fill(random, random.choice(statements)))
    return lines


def fill(random: Random, text: str) -> str:
    return text.format(n=random.randrange(3), k=random.randrange(2))


def program(seed: int) -> str:
    random = Random(seed)
    count = random.choice([2, 2, 2, 3])
    size = 3 if count == 2 else 1
    parts = [HEAD]
    names = []
    alike = random.random() < 0.5
    body: list[str] = []
    for i in range(count):
        if not body or not alike:
            body = block(random, random.randint(1, size), "    ", 2)
        names.append(f"work{i}")
        parts.append("\n".join([f"def work{i}():", "    global x, y, more", *body]) + "\n\n")
    return "".join(parts) + TAIL % ", ".join(["work0"] * count if alike else names)
