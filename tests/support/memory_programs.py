"""Programs in memory with known numbers of traces, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from isospin.hosts.memory import MemoryCell, MemoryCode, MemoryInstruction

I = MemoryInstruction  # noqa: E741
X = MemoryCell("x")


def lockers(n: int) -> MemoryCode:
    code = (I("lock", MemoryCell("m")), I("add", X, value=1), I("unlock", MemoryCell("m")))
    return MemoryCode({"m": (0,), "x": (0,)}, (code,) * n)


def counters(n: int) -> MemoryCode:
    return MemoryCode({"x": (0,)}, ((I("read", X), I("write", X, value=1)),) * n)


def readers(n: int) -> MemoryCode:
    return MemoryCode({"x": (0,)}, ((I("write", X, value=1),), *(((I("read", X)),),) * n))


def store_buffering(n: int) -> MemoryCode:
    threads = tuple(
        (I("write", MemoryCell("x", i), value=1), I("read", MemoryCell("x", (i + 1) % n))) for i in range(n)
    )
    return MemoryCode({"x": (0,) * n}, threads)


def last_zero(n: int) -> MemoryCode:
    """Thread 0 looks for the last zero from the right; thread i sets x[i] = x[i - 1] + 1."""
    looking: list[MemoryInstruction] = []
    for i in range(n, 0, -1):
        looking += [I("read", MemoryCell("x", i)), I("skip", local=0, value=0, jump=2 * i)]
    looking.append(I("read", MemoryCell("x", 0)))
    jumps = [k for k, instruction in enumerate(looking) if instruction.kind == "skip"]
    for k in jumps:
        looking[k] = looking[k]._replace(jump=len(looking) - k - 1)
    setters = tuple(
        (I("read", MemoryCell("x", i - 1)), I("write", MemoryCell("x", i), value=1)) for i in range(1, n + 1)
    )
    return MemoryCode({"x": (0,) * (n + 1)}, (tuple(looking), *setters))


def philosophers(n: int, right_handed: bool = False) -> MemoryCode:
    def one(i: int) -> tuple[MemoryInstruction, ...]:
        forks = [MemoryCell("f", i), MemoryCell("f", (i + 1) % n)]
        if right_handed and i == n - 1:
            forks.reverse()
        return (*(I("lock", f) for f in forks), *(I("unlock", f) for f in forks))

    return MemoryCode({"f": (0,) * n}, tuple(one(i) for i in range(n)))


def verisoft(n: int) -> MemoryCode:
    """The philosophers of VeriSoft's Figure 2: semaphores, left fork first, left fork back first."""

    def one(i: int) -> tuple[MemoryInstruction, ...]:
        forks = [MemoryCell("f", i), MemoryCell("f", (i + 1) % n)]
        return (*(I("wait", f) for f in forks), *(I("signal", f) for f in forks))

    return MemoryCode({"f": (1,) * n}, tuple(one(i) for i in range(n)))


def figure_5() -> MemoryCode:
    """The smallest program on which Figure 5 of the Inspect paper misses a violation."""
    rest = (
        I("check", local=0, value=1),
        I("write", MemoryCell("g", 1), local=0, value=1),
        I("read", MemoryCell("g", 0, by=0), local=0),
        I("write", MemoryCell("g", 0, by=1), local=2, value=1),
    )
    return MemoryCode({"g": (0, 0)}, ((I("read", MemoryCell("g", 0, by=0), local=0), *rest), rest), locals=3)


def random_code(seed: int) -> MemoryCode:
    """Random programs of two kinds."""
    return later_code(seed // 2) if seed % 2 else mixed_code(seed // 2)


def later_code(seed: int) -> MemoryCode:
    """Threads that become symmetric only later, if they read the right values: accesses to two cells, and checks."""
    random = Random(11 * seed + 5)
    shared = tuple(access(random) for _ in range(random.randint(2, 4)))
    count = 2 if len(shared) > 2 else random.choice((2, 3))
    own = [tuple(access(random) for _ in range(random.choice((0, 1, 1, 2)))) for _ in range(count)]
    return MemoryCode({"g": (0, 0)}, tuple((*o, *shared) for o in own))


def access(random: Random) -> MemoryInstruction:
    place = MemoryCell("g", random.randrange(2), random.choice((None, 0, 1)))
    local = random.randrange(2)
    match random.choice(("read", "read", "write", "write", "check", "add", "skip")):
        case "check":
            return I("check", local=local, value=random.randrange(1, 3))
        case "skip":
            return I("skip", local=local, value=random.randrange(2), jump=1)
        case kind:
            return I(kind, place, local=local, value=random.randrange(2) if kind == "write" else 1)


def mixed_code(seed: int) -> MemoryCode:
    """Two or three threads with locks, semaphores, data-dependent accesses, branches; often they share their end."""
    random = Random(seed)
    arrays = {"g": (0,) * random.choice((1, 2, 2)), "m": (0,) * random.choice((1, 2)), "s": (random.choice((0, 1)),)}
    count = random.choice((2, 2, 3))
    joins = random.random() < 0.2
    shared = piece(random, random.randint(1, 3), arrays)
    threads = []
    for _ in range(count):
        own = piece(random, random.choice((0, 0, 0, 1, 1, 2)), arrays)
        threads.append((*own, *shared) if random.random() < 0.8 else piece(random, random.randint(1, 4), arrays))
    if joins:
        first = (
            I("join", threads=frozenset(range(1, count))),
            I("read", MemoryCell("g")),
            I("check", local=0, value=1),
        )
        threads[0] = first if random.random() < 0.7 else (I("join", threads=frozenset({1})), *threads[0])
    return MemoryCode(arrays, tuple(threads))


def random_stores(seed: int) -> MemoryCode:
    """Two or three threads that mostly write two cells, beside one that reads them."""
    random = Random(seed)
    cells = MemoryCell("g", 0), MemoryCell("g", 1)

    def accesses(most: int, reads: float) -> tuple[MemoryInstruction, ...]:
        kinds = ["read" if random.random() < reads else "write" for _ in range(random.randint(2, most))]
        return tuple(I(kind, random.choice(cells), value=random.randrange(3)) for kind in kinds)

    writers = [accesses(4, random.choice((0.0, 0.2, 0.4))) for _ in range(random.choice((2, 3)))]
    return MemoryCode({"g": (0, 0)}, (*writers, accesses(3, 1.0)))


def identical_code(seed: int) -> MemoryCode:
    """Two or three identical threads, sometimes with another one; no tosses."""
    random = Random(7 * seed + 1)
    arrays = {"g": (0,) * random.choice((1, 2)), "m": (0,) * random.choice((1, 2)), "s": (random.choice((0, 1, 2)),)}
    count = random.choice((2, 2, 3))
    threads = [without_toss(piece(random, random.randint(2, 5 if count == 2 else 3), arrays))] * count
    if random.random() < 0.3:
        threads.append(without_toss(piece(random, random.randint(1, 2), arrays)))
    return MemoryCode(arrays, tuple(threads))


def gated_code(seed: int) -> MemoryCode:
    """Threads that are alike from some point on, and remember what they read behind locks and a semaphore; some keep a
    lock for ever."""
    random = Random(seed)
    arrays = {"g": (0, 0), "m": (0, 0), "s": (random.choice((0, 1, 1, 2)),)}
    shared, count = gated(random, random.randint(2, 3)), random.choice((2, 2, 3))
    threads = [(*(gated(random, 1) if random.random() < 0.3 else ()), *shared) for _ in range(count)]
    if count == 2 and random.random() < 0.4:
        threads.append(gated(random, random.randint(1, 2)))
    random.shuffle(threads)
    return MemoryCode(arrays, tuple(threads))


def gated(random: Random, length: int) -> tuple[MemoryInstruction, ...]:
    """So many instructions, or one more, and what gives locks back."""
    wanted: list[MemoryInstruction] = []
    while len(wanted) < length:
        wanted += one_gated(random)
    found: list[MemoryInstruction] = []
    held: list[MemoryCell] = []
    for i in wanted[: length + 1]:
        if i.kind == "lock" and i.place is not None:
            if i.place in held:
                continue
            held.append(i.place)
        found.append(i)
        if held and random.random() < 0.4:
            found.append(I("unlock", held.pop()))
    return (*found, *(I("unlock", place) for place in reversed(held) if random.random() < 0.9))


def one_gated(random: Random) -> list[MemoryInstruction]:
    g, local = MemoryCell("g", random.randrange(2)), random.randrange(2)
    access = I(random.choice(("read", "read", "write", "add")), g, local=local, value=1)
    kinds = ("lock", "wait", "signal", "skip", "id", "access")
    match random.choices(kinds, (25, 15, 10, 8, 7, 35))[0]:
        case "lock":
            return [I("lock", MemoryCell("m", random.randrange(2))), access]
        case "wait":
            return [I("wait", MemoryCell("s")), access]
        case "signal":
            return [access, I("signal", MemoryCell("s"))]
        case "skip":
            return [I("skip", local=local, value=random.randrange(2), jump=1)]
        case "id":
            return [I("write", g, value=None)]
    return [access]


def without_toss(code: tuple[MemoryInstruction, ...]) -> tuple[MemoryInstruction, ...]:
    return tuple(i for i in code if i.kind != "toss")


def piece(random: Random, length: int, arrays: dict[str, tuple[int, ...]]) -> tuple[MemoryInstruction, ...]:
    found: list[MemoryInstruction] = []
    while len(found) < length:
        found += some(random, arrays)
    return tuple(found)


def some(random: Random, arrays: dict[str, tuple[int, ...]]) -> list[MemoryInstruction]:
    g = MemoryCell("g", random.randrange(2), random.choice((None, None, 0, 1)))
    m = MemoryCell("m", random.randrange(2))
    local, value = random.randrange(2), random.randrange(1, 3)
    kind = random.choice(
        ("read", "read", "write", "write", "add", "lock", "locked", "wait", "signal", "check", "skip", "id", "toss")
    )
    match kind:
        case "locked":
            inner = [i for i in some(random, arrays) if i.kind in ("read", "write", "add")]
            return [I("lock", m), *inner, I("unlock", m)]
        case "lock":
            other = MemoryCell("m", m.offset + 1)
            return [I("lock", m), I("lock", other), I("unlock", m), I("unlock", other)]
        case "wait" | "signal":
            return [I(kind, MemoryCell("s"))]
        case "check":
            return [I("check", local=local, value=value)]
        case "skip":
            return [I("skip", local=local, value=random.randrange(2), jump=1)]
        case "id":
            return [I("write", g, value=None)]
        case "toss":
            return [I("toss", local=local, value=2)] if random.random() < 0.3 else []
        case _:
            return [I(kind, g, local=local, value=random.randrange(2) if kind == "write" else 1)]


# A program, its number of traces, and how many are needed at most up to symmetry (None: not known).
KNOWN: list[tuple[MemoryCode, int, int | None]] = [
    *((lockers(n), f, 1) for n, f in ((2, 2), (3, 6), (4, 24), (5, 120))),
    *((counters(n), t, o) for n, t, o in ((2, 4, 2), (3, 36, 6), (4, 576, 24))),
    *((readers(n), 2**n, n + 1) for n in (2, 3, 4, 5)),
    *((store_buffering(n), 2**n - 1, None) for n in (2, 3, 4, 5)),
    *((last_zero(n), t, None) for n, t in ((3, 12), (5, 64))),
    *((philosophers(n), 2**n - 1, None) for n in (2, 3, 4)),
    *((philosophers(n, right_handed=True), 2**n - 2, None) for n in (2, 3, 4)),
]


def needle(order: Sequence[int]) -> MemoryCode:
    """Fails only if the threads come in this order, each after the one before it has done all that it does."""
    threads: list[tuple[MemoryInstruction, ...]] = [()] * len(order)
    for turn, thread in enumerate(order):
        work = [I("write", X, value=1)]
        if turn + 1 == len(order):
            work += [I("read", X), I("check", local=0, value=len(order))]
        for other in range(len(order) + 1):
            if other != turn:
                work.insert(0, I("skip", local=0, value=other, jump=len(work)))
        threads[thread] = (I("read", X), *work)
    return MemoryCode({"x": (0,)}, tuple(threads))
