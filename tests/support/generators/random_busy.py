"""Random Python programs whose main thread does something beside workers that are alike.

It puts items, takes results, locks, sets events, reads variables, and waits for the workers in the end: for all of
them, one by one, or not at all.  With some probability handles lead somewhere: a worker gives its own away, main looks
at one of them, asks whether it lives, or waits for it.
"""

from __future__ import annotations

from random import Random

HEAD = """\
import queue
import threading

lock, gate, slots = threading.Lock(), threading.Event(), threading.Semaphore(1)
tasks, results = queue.Queue(), queue.Queue({room})
order, cell, x = [], [0, 0, 0], 0


"""
WORKERS = (  # what a worker does
    "with lock:\n    x += 1", "with lock:\n    order.append('a')", "x += 1", "with lock:\n    order.append(x)",
    "results.put(1)", "results.put(x)", "slots.release()", "with slots:\n    cell[0] += 1",
    "if gate.is_set():\n    cell[1] += 1", "gate.wait()", "with lock:\n    cell[0] += 1", "cell[2] = x",
    "for _ in range(2):\n    results.put(2)",
)  # fmt: skip
LOOPS = (  # or until it is told to stop
    "while (item := tasks.get()) is not None:\n    {body}",
    "for _ in range(2):\n    item = tasks.get()\n    {body}\n    tasks.task_done()",
)
ODD = (
    "threading.current_thread().rank = x", "results.put(threading.current_thread())",
    "with lock:\n    order.append(threads[0].is_alive())",
    "with lock:\n    order.append(threading.current_thread() is threads[0])",
    "with lock:\n    order.append(self)",
)  # fmt: skip
MAINS = (
    "with lock:\n    x += 10", "with lock:\n    order.append('m')", "order.append(x)", "x += 10", "cell[0] += 10",
    "order.append(results.get())", "order.append(results.get())", "gate.set()", "slots.release()",
    "with lock:\n    order.append(x)", "tasks.put(1)", "order.append(cell[2])", "got = [results.get(), x]",
    "order.append(results.qsize())",
)  # fmt: skip
LOOKS = (  # at handles
    "order.append(threads[0].is_alive())", "threads[0].join()\norder.append(x)",
    "order.append([t is got for t in threads])",
    "order.append(getattr(threads[-1], 'rank', None))", "got = results.get()", "threads[-1].join()",
)  # fmt: skip
LASTS = (
    *("for t in threads:\n    t.join()",) * 3, "for t in reversed(threads):\n    t.join()\n    order.append(x)", "pass",
)  # fmt: skip
CLASS = "class Worker(threading.Thread):\n    def run(self):\n"


def program(seed: int) -> str:
    random = Random(f"busy {seed}")
    count = random.choice((2, 2, 2, 3))
    kind = random.random() < 0.2
    lines = ["got = None", _worker(random, count, kind), f"threads = [{_made(kind)} for _ in range({count})]"]
    lines += ["for t in threads:\n    t.start()", *_main(random, count), random.choice(LASTS)]
    if random.random() < 0.5:
        lines.append(random.choice((*MAINS[:4], *LOOKS[2:4])))
    return HEAD.format(room=random.choice((0, 0, 1))) + "\n".join(lines) + "\n"


def _made(kind: bool) -> str:
    return "Worker()" if kind else "threading.Thread(target=work)"


def _indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())


def _worker(random: Random, count: int, kind: bool) -> str:
    """Its code: a few things, or a loop over items."""
    parts = [_part(random) for _ in range(random.randint(1, 3 if count == 2 else 2))]
    if random.random() < 0.4:
        parts = [random.choice(LOOPS).format(body=_indented(parts[0], 4).strip()), *parts[1:2]]
    body = "\n".join(["global x", *parts])
    return CLASS + _indented(body, 8) if kind else "def work(self=None):\n" + _indented(body, 4)


def _part(random: Random) -> str:
    return random.choice(ODD if random.random() < 0.1 else WORKERS)


def _main(random: Random, count: int) -> list[str]:
    """What is done beside the workers; enough is put for loops to end, mostly."""
    parts = [random.choice(LOOKS if random.random() < 0.12 else MAINS) for _ in range(random.randint(1, 3))]
    stop = "for t in threads:\n    tasks.put(None)"
    return [*parts, *random.choice(([], [stop], [stop], ["for t in threads:\n    tasks.put(1)", stop]))]
