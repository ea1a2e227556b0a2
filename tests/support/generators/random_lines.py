"""Random Python programs with queues and pools: threads that put and take, and tasks that share variables."""

from __future__ import annotations

from random import Random

QUEUES = """
import queue, threading
q = queue.{kind}
out = {{}}
def note(who, what):
    out.setdefault(who, []).append(what)
{threads}
threads = [{started}]
for t in threads: t.start()
{main}
for t in threads: t.join()
"""
POOLS = """
import threading
from concurrent.futures import ThreadPoolExecutor
out, x, keep = {{}}, 0, threading.local()
lock = threading.Lock()
pool = ThreadPoolExecutor(max_workers={workers})
{tasks}
futures = []
{main}
pool.shutdown({how})
out["x"] = x
"""


def queue_program(seed: int) -> str:
    """Up to three threads beside main at one queue."""
    random = Random(seed)
    kind = random.choice(["Queue()", "Queue()", "Queue(1)", "Queue(2)", "SimpleQueue()"])
    tasks = random.random() < 0.3 and kind != "SimpleQueue()"
    count = random.choice([1, 2, 2, 3])
    names = [f"t{n}" for n in range(count)]
    alike = random.random() < 0.4  # all run the same
    texts = [_thread(random, kind, "t0" if alike else n, tasks) for n in (names[:1] if alike else names)]
    started = ", ".join(f"threading.Thread(target={'t0' if alike else n}, daemon=False)" for n in names)
    main = [_queue_step(random, kind, "main", tasks) for _ in range(random.choice([0, 1, 2]))]
    if tasks and random.random() < 0.5:
        main.append("q.join()")
    return QUEUES.format(kind=kind, threads="\n".join(texts), started=started, main="\n".join(main))


def _thread(random: Random, kind: str, name: str, tasks: bool) -> str:
    steps = [_queue_step(random, kind, name, tasks) for _ in range(random.choice([1, 2, 2]))]
    return f"def {name}():\n" + "".join(f"    {line}\n" for step in steps for line in step.splitlines())


def _queue_step(random: Random, kind: str, who: str, tasks: bool) -> str:
    draw = random.random()
    done = "; q.task_done()" if tasks and random.random() < 0.8 else ""
    if draw < 0.45:
        return f"q.put({random.randrange(3)})"
    if draw < 0.85:
        return f"note({who!r}, q.get()){done}"
    if draw < 0.9:
        return f"note({who!r}, q.qsize())"
    if draw < 0.95:
        return f"try: note({who!r}, q.get_nowait()){done}\nexcept queue.Empty: note({who!r}, 'empty')"
    if "(1)" in kind or "(2)" in kind:
        return f"try: q.put({random.randrange(3)}, timeout=1)\nexcept queue.Full: note({who!r}, 'full')"
    return f"note({who!r}, q.empty())"


def pool_program(seed: int) -> str:
    """A few tasks in a pool, which share a variable, or submit another one."""
    random = Random(seed)
    names = [f"task{n}" for n in range(random.choice([1, 2, 2]))]
    tasks = "\n".join(_task(random, n, names) for n in names)
    main = []
    for _ in range(random.choice([2, 2, 3])):
        main.append(f"futures.append(pool.submit({random.choice(names)}))")
        if random.random() < 0.25:
            main.append("out.setdefault('seen', []).append(futures[-1].result())")
        elif random.random() < 0.15:
            main.append("out.setdefault('done', []).append(futures[0].done())")
    how = random.choice(["", "", "", "cancel_futures=True"])
    return POOLS.format(workers=random.choice([1, 2, 2, 2]), tasks=tasks, main="\n".join(main), how=how)


def _task(random: Random, name: str, names: list[str]) -> str:
    body = random.choice([
        "global x\n    v = x\n    x = v + 1",
        "global x\n    with lock:\n        x += 1",
        f"out[{name!r}] = out.get({name!r}, 0) + 1",
        "keep.n = getattr(keep, 'n', 0) + 1\n    out.setdefault('kept', []).append(keep.n)",
        "pass",
        "pool.submit(pow, 2, 3).result()",
        "lock.acquire()",
    ])  # fmt: skip
    return f"def {name}():\n    {body}\n    return 1\n"
