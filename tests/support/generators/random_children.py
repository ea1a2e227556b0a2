"""Random Python programs with pools, and with threads that start threads.

Tasks and children do a few things to shared variables.  With some probability something tells them apart: the name of
their thread, a variable of the thread, an argument, an object that one of those has who started them.
"""

from __future__ import annotations

from random import Random

HEAD = """\
import threading
from concurrent.futures import ThreadPoolExecutor, wait

lock, own = threading.Lock(), threading.local()
order, cell, x = [], [0, 0, 0], 0


"""
COMMON = (
    "with lock:\n    order.append('a')", "with lock:\n    x += 1", "x += 1", "with lock:\n    cell[0] += 1",
    "if x == 1:\n    with lock:\n        order.append('b')", "with lock:\n    order.append(x)",
)  # fmt: skip
GIVEN = ("with lock:\n    order.append(given)", "if given:\n    x += 1", "with lock:\n    order.append(given)")
ODD = (
    "if threading.current_thread().name.endswith('1'):\n    x += 1",
    "own.seen = getattr(own, 'seen', 0) + 1\nif own.seen == 2:\n    x += 1",
    "threading.current_thread().seen = getattr(threading.current_thread(), 'seen', 0) + 1\n"
    "if threading.current_thread().seen == 2:\n    x += 1",
)  # fmt: skip


def program(seed: int) -> str:
    random = Random(f"children {seed}")
    return HEAD + (_pool(random) if random.random() < 0.5 else _mothers(random))


BUSY = "with lock:\n    x += 1\n{first}.join()\norder.append(x)"  # main waits for one of them only


def _body(random: Random, most: int, given: bool) -> str:
    """What a task or a child does."""
    lines = ["global x"]
    for _ in range(random.randint(1, most)):
        odd, own = random.random() < 0.12, given and random.random() < 0.4
        lines += random.choice(ODD if odd else GIVEN if own else COMMON).splitlines()
    return "\n".join(f"    {line}" for line in lines)


def _pool(random: Random) -> str:
    """A pool of two or three workers, and what is done with the results."""
    given, count = random.random() < 0.6, random.randint(2, 3)
    argument = random.choice(("[]", "k", "shared")) if given else ""
    by_map = given and random.random() < 0.4
    called = f"[*pool.map(task, [{argument} for k in range({count})])]"
    submitted = f"[pool.submit({', '.join(['task', argument] if given else ['task'])}) for k in range({count})]"
    lines = [
        f"def task({'given' if given else ''}):", _body(random, 2, given),
        f"    return {random.choice(('x', 'None', '1'))}", "", "shared = []",
        f"with ThreadPoolExecutor({random.choice((2, 2, 3))}) as pool:",
        f"    done = {called if by_map else submitted}", f"    {random.choice(('x += 1', 'pass', 'pass'))}",
        "order.append(done)" if by_map else random.choice(("order.extend(f.result() for f in done)", "wait(done)")),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _mothers(random: Random) -> str:
    """Threads that start others, and wait for them, or not."""
    given, waits = random.random() < 0.5, random.random() < 0.7
    target = f"target=child{', args=(tag,)' if given else ''}"
    lines = [
        f"def child({'given' if given else ''}):", _body(random, 2, given), "", "def mother(tag):",
        _body(random, 1, False) if random.random() < 0.5 else "    global x",
        f"    tag = {random.choice(('tag', '[]'))}",
        f"    some = [threading.Thread({target}) for _ in range({random.choice((1, 1, 2))})]",
        "    for t in some:\n        t.start()",
        "    for t in some:\n        t.join()" if waits else "",
        _body(random, 1, False).replace("    global x\n", "") if waits and random.random() < 0.3 else "", "",
        f"tags = {random.choice(('[[], []]', '[[]] * 2'))}",
        "mothers = [threading.Thread(target=mother, args=(tag,)) for tag in tags]",
        "for t in mothers:\n    t.start()", BUSY.format(first="mothers[0]") if random.random() < 0.3 else "",
        "for t in mothers:\n    t.join()",
    ]  # fmt: skip
    return "\n".join(line for line in lines if line) + "\n"
