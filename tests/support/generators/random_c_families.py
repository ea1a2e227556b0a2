"""Random C programs of threads that are given numbers, or wait at condition variables, or both.

A thread is written in a small language of nested tuples, whose expressions are both C and Python: `oracles/
brute_families.py` executes it without any of our code, and `c_families.py` writes it down as C.

    load r place, store place e, exchange place e r, compare place e e r
    note r place, add place c r or ""       what was there is added to twice what is in r
    lock place, unlock place, wait place, signal place, broadcast place
    await place e               until it is so much; "!" before the expression: until it is something else
    set r e                     r may also be a plain variable, which is only used under the mutex m
    check e                     or the program is wrong
    if e [...], while e [...], each [...]     the last one is a loop over all numbers, j

Registers: i is the number of the thread, k another number, a and b are something else.  Numbers go up to `count`, which
stands for nobody, and for main; the atomic `who` and the plain `held` have one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

Code = list[tuple[Any, ...]]
LOOKED = ("x", "y", "who")  # atomics that main looks at
GIVEN = ("number", "number", "pointer", "struct", "block")


@dataclass
class FamilyProgram:
    """Bodies, and which of them each thread runs; what main tells at the end; which numbers are told apart."""

    count: int
    bodies: list[Code]
    roles: list[int]
    given: str  # how a thread gets its number
    tells_all: bool  # main says each cell by its number
    start: tuple[int, int]  # of x and y
    beside: Code = field(default_factory=list)  # what main does while the threads run
    says_number: bool = False  # each thread says its own
    constants: set[int] = field(default_factory=set)  # numbers that the code names
    ring: bool = False  # the code adds 1 to numbers
    odd: bool = False  # the code orders numbers, or does arithmetic

    def is_symmetry(self, to: tuple[int, ...]) -> bool:
        """Does the program not change if its numbers are renamed like this?"""
        n = self.count
        if (self.odd or self.tells_all or self.says_number) and to != tuple(range(n)):
            return False
        same = all(to[k] == k for k in self.constants if k < n) and all(self.roles[k] == self.roles[to[k]] for k in to)
        return same and (not self.ring or all(to[(k + 1) % n] == (to[k] + 1) % n for k in range(n)))


class Writer:
    """One program; `conditions`: with condition variables, otherwise about numbers."""

    def __init__(self, seed: int, conditions: bool) -> None:
        self.random = r = Random(f"families {seed} {conditions}")
        self.conditions = conditions
        count = r.choice((2, 3, 3))
        roles = (
            [0] * count
            if r.random() < (0.4 if conditions else 0.7)
            else [0, *(r.randrange(2) for _ in range(count - 1))]
        )
        self.program = FamilyProgram(count, [], roles, r.choice(GIVEN), r.random() < 0.25, (0, r.choice((0, 0, 1))))
        self.rings, self.odds = r.random() < 0.2, r.random() < 0.4
        self.shared = r.choice(("x", "x", "cell[?]"))
        self.fails, self.waits = r.random() < 0.3, r.random() < 0.15
        self.program.bodies += [self.body() for _ in range(max(roles) + 1)]
        if r.random() < 0.3:
            self.program.beside = [step for _ in range(r.randint(1, 2)) for step in self.statement(0)]
        self.program.says_number = r.random() < 0.1

    def body(self) -> Code:
        """A few statements; often something that one number does, and what others see of it."""
        r, count = self.random, self.program.count
        least, most = (1, 2 if count == 3 else 3) if self.conditions else (2, 3 if count == 3 else 5)
        parts = [self.statement(1) for _ in range(r.randint(least, most))]
        if self.odds and r.random() < 0.6:
            parts.insert(r.randint(0, len(parts) - 1), [("if", self.test(), [("store", self.place(), self.value())])])
        if r.random() < 0.5:
            parts[-1] = [("note", "a", self.place())]
        return [step for part in parts for step in part]

    # ---------------------------------------------------------------- expressions

    def number(self) -> str:
        r, count = self.random, self.program.count
        if self.odds and r.random() < 0.2:
            k = r.randrange(count)
            self.program.constants.add(k)
            return str(k)
        if self.rings and r.random() < 0.5:
            self.program.ring = True
            return f"(i + 1) % {count}"
        return r.choice(("i", "i", "k"))

    def value(self) -> str:
        r = self.random
        if self.odds and r.random() < 0.1:
            self.program.odd = True
            return "a + i"
        return r.choice(("1", "1", "2", "a", "a + 1"))

    def place(self) -> str:
        return self.shared.replace("?", self.number())

    def atomic(self) -> str:
        """Mostly what the others use as well."""
        r = self.random
        return r.choice(("x", "y", f"cell[{self.number()}]")) if r.random() < 0.25 else self.place()

    def test(self) -> str:
        """Something that a thread can ask of its own variables."""
        r = self.random
        if self.odds and r.random() < 0.6:
            k = r.randrange(self.program.count)
            if r.random() < 0.7:
                self.program.constants.add(k)
                return f"i == {k}"
            self.program.odd = True
            return r.choice((f"i < {k}", f"k > {k}", "k < i"))
        return r.choice(("k == i", "k != i", f"a == {r.randrange(3)}", f"b == {r.randrange(3)}", "a == b"))

    # ---------------------------------------------------------------- statements

    def statement(self, depth: int) -> Code:
        r = self.random
        if self.fails and r.random() < 0.25:
            return [("check", r.choice((f"a != {r.randint(1, 3)}", f"b != {r.randint(1, 3)}", "k == i")))]
        if depth and r.random() < (0.35 if self.odds else 0.12):
            return [("if", self.test(), r.choice((self.statement(0), r.choice(self.accesses())())))]
        if self.odds and depth and r.random() < 0.1:
            self.program.odd = True
            return [("each", [("note", "b", "cell[j]")])]
        if self.waits and r.random() < 0.3:
            place = r.choice(("x", f"cell[{self.number()}]"))
            return [
                ("await", "who", r.choice(("i", "!i"))) if r.random() < 0.3 else ("await", place, r.choice(("1", "!0")))
            ]
        if self.conditions and r.random() < 0.75:
            return r.choice((self.waiting, self.waiting, self.giving, self.giving, self.ringing))()
        return r.choice(self.kinds())()

    def accesses(self) -> list[Callable[[], Code]]:
        r = self.random
        return [
            lambda: [("store", self.atomic(), self.value())],
            lambda: [("store", self.atomic(), self.value())],
            lambda: [("note", r.choice("ab"), self.atomic())],
            lambda: [("note", r.choice("ab"), self.atomic())],
            lambda: [("add", self.atomic(), 1, "")],
            lambda: [("add", self.atomic(), 1, r.choice("ab"))],
            lambda: [("compare", self.atomic(), str(r.randrange(2)), self.value(), "b")],
        ]

    def kinds(self) -> list[Callable[[], Code]]:
        r = self.random
        numbers: list[Callable[[], Code]] = [
            lambda: [("load", "k", "who")],
            lambda: [("store", "who", self.number())],
            lambda: [("exchange", "who", self.number(), "k")],
            lambda: [("compare", "who", str(self.program.count), "i", "b")],
            lambda: [("compare", "who", "k", "i", "a")],
            lambda: [("set", "k", self.number())],
            self.forks,
            self.locked,
            self.locked,
        ]
        return self.accesses() if r.random() < 0.5 else numbers

    def forks(self) -> Code:
        """A lock that belongs to a number, and perhaps a second one inside."""
        one, other = f"locks[{self.number()}]", f"locks[{self.number()}]"
        inner: Code = [("lock", other), ("unlock", other)] if one != other and "k" not in one + other else []
        access = self.random.choice(self.accesses())() if not inner and self.random.random() < 0.5 else []
        return [("lock", one), *access, *inner, ("unlock", one)]

    def change(self) -> Code:
        """What is done under the mutex."""
        r = self.random
        return [
            r.choice((
                ("set", "held", self.number()), ("set", "held", "i"), ("set", "b", "held == i"), ("set", "k", "held"),
                ("set", "p", "p + 1"), ("set", "p", "p + 1"), ("set", "p", self.value()), ("set", "a", "p"),
                ("set", f"mark[{self.number()}]", "1"), ("set", "b", f"mark[{self.number()}]"),
            ))
        ]  # fmt: skip

    def locked(self) -> Code:
        more = self.change() if self.random.random() < 0.4 else []
        return [("lock", "m"), *self.change(), *more, ("unlock", "m")]

    def condition(self) -> str:
        r = self.random
        return r.choice(("p == 0", "p == 0", "p < 2", "held != i", f"held == {self.program.count}", "mark[i] == 0"))

    def waiting(self) -> Code:
        """Until it is so; sometimes it does not look again."""
        r, until = self.random, self.condition()
        loop = ("while" if r.random() < 0.8 else "if", until, [("wait", "c")])
        after = r.choice(([("set", "p", "p - 1")] if "p" in until else [], self.change(), []))
        gives = [(r.choice(("signal", "broadcast")), "c")] if r.random() < 0.3 else []
        return [("lock", "m"), loop, *after, *gives, ("unlock", "m")]

    def giving(self) -> Code:
        r = self.random
        does = r.choice((
            [("set", "p", "p + 1")], [("set", "p", "p + 1")], [("set", "p", "2")], [("set", "held", self.number())],
            [("set", f"mark[{self.number()}]", "1")], self.change(),
        ))  # fmt: skip
        tells = (r.choice(("signal", "signal", "broadcast")), "c")
        if r.random() < 0.7:
            return [("lock", "m"), *does, tells, ("unlock", "m")]
        return [("lock", "m"), *does, ("unlock", "m"), *([tells] if r.random() < 0.8 else [])]

    def ringing(self) -> Code:
        """Each number has a condition variable of its own."""
        r, who = self.random, self.number()
        if r.random() < 0.5:
            return [
                ("lock", "m"),
                ("while", "mark[i] == 0", [("wait", "bell[i]")]),
                ("set", "mark[i]", "0"),
                ("unlock", "m"),
            ]
        whom = r.choice((who, "held", "k"))
        return [("lock", "m"), ("set", f"mark[{whom}]", "1"), ("signal", f"bell[{whom}]"), ("unlock", "m")]


def make(seed: int, conditions: bool = False) -> FamilyProgram:
    """The program of a seed."""
    return Writer(seed, conditions).program


def told(program: FamilyProgram) -> tuple[str, ...]:
    """What a thread says at its end."""
    return ("a", "b", "k == i", *(("i",) if program.says_number else ()))


def main_code(program: FamilyProgram) -> tuple[Code, tuple[str, ...]]:
    """What main does when it has joined all, and what it says then."""
    code: Code = [("load", register, name) for register, name in zip(("a", "b", "k"), LOOKED, strict=True)]
    if not program.tells_all:
        return [*code, ("load", "j", "cell[k]")], ("7", "a", "b", "p", "j", "held == k", "mark[held]", "mark[k]")
    cells = [("load", f"r{n}", f"cell[{n}]") for n in range(program.count + 1)]
    every = range(program.count + 1)
    return [*code, *cells], ("7", "a", "b", "k", "p", "held", *(f"r{n}" for n in every), *(f"mark[{n}]" for n in every))
