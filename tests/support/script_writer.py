"""Random programs in memory, and the same as Python programs and as models, so that brute force counts for all of them.

In Python, cells are variables of the module, locks and semaphores are those of `threading`.  An await is a loop that
polls, or one that waits at a condition variable, of which every writer gives notice then.  The last thread is main,
which joins the others and looks at all cells; models have none.
"""

from __future__ import annotations

from random import Random

from isospin.hosts.memory import MemoryCell, MemoryCode, MemoryInstruction

I = MemoryInstruction  # noqa: E741
LOCK, SEMAPHORE = MemoryCell("m"), MemoryCell("s")
CELLS = MemoryCell("g", 0), MemoryCell("g", 1)
NOTICE = MemoryCell("c")  # the lock of the condition variable


def random_code(seed: int, waits: str = "") -> MemoryCode:
    """Two or three threads, often alike; with loops that wait, if that is `poll` or `notice`."""
    random = Random(31 * seed + 3)
    count = random.choice((2, 2, 3))
    threads: list[tuple[MemoryInstruction, ...]] = []
    for _ in range(count):
        same = threads and random.random() < 0.6
        threads.append(threads[-1] if same else _piece(random, waits, random.randint(1, 3 if count == 2 else 2)))
    look = (I("join", threads=frozenset(range(count))), *(I("read", cell) for cell in CELLS))
    return MemoryCode({"g": (0, 0), "m": (0,), "s": (random.choice((0, 1, 1)),), "c": (0,)}, (*threads, look))


def _piece(random: Random, waits: str, length: int) -> tuple[MemoryInstruction, ...]:
    found: list[MemoryInstruction] = []
    for _ in range(length):
        kind = random.choice(("access", "access", "access", "locked", "wait", "signal", "check", "await"))
        match kind:
            case "locked":
                found += [I("lock", LOCK), *_access(random, waits), I("unlock", LOCK)]
            case "wait" | "signal":
                found.append(I(kind, SEMAPHORE))
            case "check":
                found += [I("read", random.choice(CELLS)), I("check", value=random.randint(2, 3))]
            case "await" if waits:
                found.append(I("await", random.choice(CELLS), value=random.randrange(2)))
            case _:
                found += _access(random, waits)
    return tuple(found)


def _access(random: Random, waits: str) -> list[MemoryInstruction]:
    """A reading, or a writing that depends on what was read last; with notice, if there is any."""
    cell = random.choice(CELLS)
    if random.random() < 0.4:
        return [I("read", cell)]
    written = I("write", cell, value=random.randrange(2))
    return [I("lock", NOTICE), written, I("unlock", NOTICE)] if waits == "notice" else [written]


HEAD = """\
import threading
import time

g0, g1 = 0, 0
m, s, c = threading.Lock(), threading.Semaphore({signals}), threading.Condition(threading.Lock())

"""
TAIL = """
threads = [threading.Thread(target=work) for work in ({works},)]
for t in threads:
    t.start()
for t in threads:
    t.join()
at_the_end = (g0, g1)
"""
STATEMENTS = {
    "read": "l = {cell}", "write": "{cell} = l + {value}", "wait": "s.acquire()", "signal": "s.release()",
    "check": "assert l != {value}",
}  # fmt: skip
WAITS = {
    "poll": "while {cell} != {value}: time.sleep(0.1)",
    "notice": "with c:\n        while {cell} != {value}: c.wait()",
}


def text(code: MemoryCode, waits: str = "") -> str:
    """The program; threads with the same code run the same function."""
    *threads, _ = code.threads
    names = {thread: f"work{n}" for n, thread in enumerate(dict.fromkeys(threads))}
    parts = [HEAD.format(signals=code.arrays["s"][0])]
    for thread, name in names.items():
        lines = [_statement(i, waits) for i in thread]
        parts.append("\n    ".join([f"def {name}():", "global g0, g1", "l = 0", *lines]) + "\n\n")
    return "".join(parts) + TAIL.format(works=", ".join(names[thread] for thread in threads))


def _statement(i: MemoryInstruction, waits: str) -> str:
    cell = f"g{i.place.offset}" if i.place is not None else ""
    if i.kind in ("lock", "unlock"):
        what = "c" if i.place == NOTICE else "m"
        last = "c.notify_all(); " if i.kind == "unlock" and what == "c" else ""
        return f"{last}{what}.{'acquire' if i.kind == 'lock' else 'release'}()"
    return (STATEMENTS[i.kind] if i.kind != "await" else WAITS[waits]).format(cell=cell, value=i.value)


MODEL = {
    "read": "l = {cell}", "write": "{cell} = l + {value}", "wait": "atomic {{ s > 0 -> s-- }}", "signal": "s++",
    "check": "assert(l != {value})", "lock": "atomic {{ !{lock} -> {lock} = 1 }}", "unlock": "{lock} = 0",
    "await": "({cell} == {value})",
}  # fmt: skip


def model(code: MemoryCode) -> str:
    """The same in Promela; threads with the same code are instances of one process."""
    counts: dict[tuple[MemoryInstruction, ...], int] = {}
    for thread in code.threads:
        counts[thread] = counts.get(thread, 0) + 1
    parts = [f"int g0, g1; byte m, c, s = {code.arrays['s'][0]};"]
    for n, (thread, count) in enumerate(counts.items()):
        body = "; ".join(_model_statement(i) for i in thread)
        parts.append(f"active [{count}] proctype P{n}() {{ int l; {body} }}")
    return "\n".join(parts)


def _model_statement(i: MemoryInstruction) -> str:
    cell, lock = (f"g{i.place.offset}", i.place.array) if i.place is not None else ("", "")
    return MODEL[i.kind].format(cell=cell, lock=lock, value=i.value)
