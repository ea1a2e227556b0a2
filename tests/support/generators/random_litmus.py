"""Random programs of atomics: loads, stores, updates, compare-and-exchange, fences, locks, branches, all orders.

They are small, since an oracle builds all their execution graphs: two to four threads, eight or nine accesses.
"""

from __future__ import annotations

from random import Random

from tests.support.litmus.language import (
    ACQ_REL,
    ACQUIRE,
    EXCHANGE,
    FENCE_ORDERS,
    LOAD_ORDERS,
    RELAXED,
    RELEASE,
    SEQ_CST,
    STORE_ORDERS,
    UPDATE_ORDERS,
    Await,
    Code,
    Compare,
    Fence,
    If,
    Load,
    Lock,
    Program,
    Retry,
    Statement,
    Store,
    Unlock,
    Update,
    Value,
    registers,
)

MOODS = (
    (RELAXED,), (RELAXED,), (SEQ_CST,), (RELAXED, SEQ_CST), (ACQUIRE, RELEASE, ACQ_REL),
    (ACQUIRE, RELEASE, ACQ_REL, SEQ_CST),    (RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST), (RELAXED, ACQUIRE, RELEASE),
)  # fmt: skip
SIZES = {2: (3, 4), 3: (2, 3), 4: (1, 2)}  # accesses of a thread
MOST_ACCESSES = 9


class _Maker:
    """Makes the code of one program."""

    def __init__(self, random: Random, loops: bool) -> None:
        self.random, self.loops = random, loops
        self.orders = random.choice(MOODS)
        self.places = random.choice(("x", "xy", "xy", "xy", "xy", "xy", "xyz"))
        self.kinds = random.choice(("LS", "LS", "LLLSSSF", "LLLSSSU", "LLLSSSUCF", "LLLSSSUC", "LLSSC"))
        self.last = "x"
        self.left = MOST_ACCESSES

    def order(self, allowed: tuple[str, ...]) -> str:
        return self.random.choice([order for order in allowed if order in self.orders] or [allowed[0], allowed[-1]])

    def value(self, known: tuple[str, ...]) -> Value:
        register = self.random.choice(known) if known and self.random.random() < 0.25 else None
        return ("+", register, self.random.randint(0, 1)) if register else self.random.randint(1, 2)

    def place(self) -> str:
        """Mostly another one than before: programs that go from place to place show more."""
        others = [place for place in self.places if place != self.last]
        self.last = (
            self.random.choice(others) if others and self.random.random() < 0.7 else self.random.choice(self.places)
        )
        return self.last

    def access(self, known: tuple[str, ...], number: int) -> Statement:
        self.left -= 1
        place, kind = self.place(), self.random.choice(self.kinds)
        if kind == "L":
            return Load(f"r{number}", place, self.order(LOAD_ORDERS))
        if kind == "S":
            return Store(place, self.value(known), self.order(STORE_ORDERS))
        if kind == "U":
            how = self.random.choice(("add", "add", "or", EXCHANGE))
            return Update(f"r{number}", place, how, self.value(known), self.order(UPDATE_ORDERS))
        if kind == "C":
            order = self.order(UPDATE_ORDERS)
            weaker = {SEQ_CST: (RELAXED, ACQUIRE, SEQ_CST), ACQUIRE: (RELAXED, ACQUIRE), ACQ_REL: (RELAXED, ACQUIRE)}
            failing = self.random.choice(weaker.get(order, (RELAXED,)))
            expected = self.random.randint(0, 1)
            return Compare(f"r{number}", f"e{number}", place, expected, self.value(known), order, failing)
        return Fence(self.order(FENCE_ORDERS))

    def loop(self, number: int) -> Statement:
        self.left -= 2
        place = self.place()
        if self.random.random() < 0.5:
            return Await(f"r{number}", place, self.random.randint(1, 2), self.order(LOAD_ORDERS))
        return Retry(f"r{number}", place, 1, self.order(LOAD_ORDERS), self.order(UPDATE_ORDERS))

    def code(self, length: int) -> Code:
        made: Code = ()
        number = 0
        while number < length and self.left > 0:
            known = registers(made)
            if known and number + 1 < length and self.random.random() < 0.12:
                condition: Value = ("==", self.random.choice(known), self.random.randint(0, 1))
                then = (self.access(known, number),)
                otherwise = (self.access(known, number + 1),) if self.random.random() < 0.5 else ()
                made += (If(condition, then, otherwise),)
                number += 2
            elif self.loops and self.random.random() < 0.35:
                made += (self.loop(number),)
                number += 1
            else:
                made += (self.access(known, number),)
                number += 1
        return made

    def locked(self, code: Code) -> Code:
        """A part of the code under a lock."""
        begin = self.random.randrange(len(code))
        end = self.random.randint(begin + 1, len(code))
        self.left -= 1
        return (*code[:begin], Lock("m"), *code[begin:end], Unlock("m"), *code[end:])


def random_alike(seed: int, loops: bool = False) -> Program:
    """The same, and two or three threads, or two and two, do the same."""
    maker = _Maker(Random(seed), loops)
    random = maker.random
    copies = random.choice(((2,), (3,), (2, 1), (2, 1), (2, 2)))
    maker.left = MOST_ACCESSES // (sum(copies) - len(copies) + 1)
    codes = [maker.code(random.randint(1, 4 if sum(copies) == 2 else 2)) for _ in copies]
    if random.random() < 0.2:
        codes = [maker.locked(code) if code and random.random() < 0.8 else code for code in codes]
    threads = [code for code, count in zip(codes, copies, strict=True) for _ in range(count) if code]
    random.shuffle(threads)
    initial = (("x", random.randint(0, 1)),) if random.random() < 0.3 else ()
    return Program(f"alike-{seed}", tuple(threads), initial)


def random_litmus(seed: int, loops: bool = False) -> Program:
    """The same seed gives the same program; with loops, threads also wait, and try again."""
    maker = _Maker(Random(seed), loops)
    random = maker.random
    count = random.choice((2, 2, 2, 3, 3, 4))
    threads = [maker.code(random.randint(*SIZES[count])) for _ in range(count)]
    threads = [code for code in threads if code]
    if random.random() < 0.15:
        threads = [maker.locked(code) if random.random() < 0.8 else code for code in threads]
    initial = (("x", random.randint(0, 1)),) if random.random() < 0.3 else ()
    return Program(f"random-{seed}", tuple(threads), initial)
