"""Random programs in memory with everything that the search over graphs has to deal with.

Loads, stores, additions, compare-and-swap, locks (also twice, also for ever), semaphores, awaits, branches, checks,
threads that are started and joined, threads that are alike; and, if asked for, operations with two objects.
"""

from __future__ import annotations

from random import Random

from isospin.hosts.memory import MemoryCell, MemoryCode, MemoryInstruction

I = MemoryInstruction  # noqa: E741
LOCK, SEMAPHORE = MemoryCell("m"), MemoryCell("s")
PLAIN = ("read", "write", "add", "cas", "check", "skip")
WAITING = ("await", "lock", "locked", "wait", "signal")
REGISTERS = ("read", "read", "write", "write", "write", "check", "skip", "locked", "signal")
DOUBLE = ("copy", "gather", "swap", "claim", "await both")  # they touch two objects


def register_code(seed: int) -> MemoryCode:
    """The cells are only read and overwritten."""
    return rich_code(seed, 0.2, kinds=REGISTERS)


def rich_code(
    seed: int, alike: float = 0.3, double: bool = False, kinds: tuple[str, ...] = (*PLAIN, *WAITING)
) -> MemoryCode:
    """`alike`: how often a thread does the same as the one before it."""
    random = Random(13 * seed + 7)
    kinds = (*kinds, *(DOUBLE if double else ()))
    count = random.choice((2, 3, 3, 4))
    threads: list[tuple[MemoryInstruction, ...]] = []
    for _ in range(count):
        same = threads and random.random() < alike
        threads.append(threads[-1] if same else _piece(random, kinds, 3 if count > 2 else 4))
    first = _main(random, kinds, count)
    arrays = {"g": (0, 0), "m": (0,), "s": (random.choice((0, 1, 2)),)}
    return MemoryCode(arrays, (first, *threads) if first else tuple(threads))


def _main(random: Random, kinds: tuple[str, ...], count: int) -> tuple[MemoryInstruction, ...]:
    """A thread that starts the others: all at once, or one by one; or none."""
    others, way = range(1, count + 1), random.random()
    if way < 0.3:
        between = _piece(random, kinds, 2) if random.random() < 0.3 else ()
        everybody = frozenset(others)
        return (I("start", threads=everybody), *between, I("join", threads=everybody), *_piece(random, kinds, 2))
    if way < 0.5:
        starts = [I("start", threads=frozenset({t})) for t in others]
        return (*starts, *(_piece(random, kinds, 2) if random.random() < 0.4 else ()))
    return ()


def _piece(random: Random, kinds: tuple[str, ...], most: int) -> tuple[MemoryInstruction, ...]:
    return tuple(i for _ in range(random.randint(1, most)) for i in _some(random, kinds))


def _some(random: Random, kinds: tuple[str, ...]) -> list[MemoryInstruction]:
    here = MemoryCell("g", random.randrange(2), random.choice((None, None, None, 0)))
    other = MemoryCell("g", random.randrange(2) if here.by is not None else 1 - here.offset)
    local, value, kind = random.randrange(2), random.randrange(2), random.choice(kinds)
    match kind:
        case "check":
            return [I("read", here, local=local), I("check", local=local, value=random.randrange(1, 3))]
        case "skip":
            return [I("skip", local=local, value=value, jump=1)]
        case "lock":
            return [I("lock", LOCK)]
        case "locked":
            return [I("lock", LOCK), *_some(random, tuple(k for k in kinds if k in PLAIN)), I("unlock", LOCK)]
        case "wait" | "signal":
            return [I(kind, SEMAPHORE)]
        case "await both":
            return [I("await", here, value=value, other=other)]
        case "copy" | "gather" | "swap" | "claim":
            return [I(kind, here, local=local, value=value, other=other)]
    return [I(kind, here, local=local, value=value)]
