"""Numbers by which a program tells its threads apart: `worker(i)`, `cell[i]`, `(i + 1) % n`.

A number that the main thread takes from a loop over a `range`, or that a thread is given, is an *index* of a family.
Renaming the indices of a family, with the threads and the cells that they stand for, changes nothing as long as the
program treats all of them alike: it may copy, pass, store and return them, compare them with each other by `==`, use
them as keys.  So that this need not be believed, an index is an object that sees what is done with it:

- what has the same result for all numbers of the family (`i < n`, `i == -1`) tells none of them apart;
- what splits the family (`i == 0`, `i % 2`) leaves those renamings that keep the parts;
- `(i + k) % n` leaves those that commute with it: rotations;
- all else *tells* one number from the others, and so does making it.  That is counted: a number may be renamed in a
  state only if nothing will tell it any more, as far as all executions of this search know.

SOUND: whatever is new starts the search again (`SearchMemory.learn`).  So in a search that comes to its end all
executions kept to the same facts; and what a renaming makes of an execution in which nothing tells a renamed number is
an execution of the program, step by step.

Reference: Ip, Dill, FMSD 1996 (scalarsets: what may be done with values that are all alike).
Differs: Python has no declarations; a value carries its kind with it, and what breaks the discipline is found when it
happens.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from ....core.errors import NOWHERE, Location
from ..rewriting.sites import is_users_frame

__all__ = ["HANDLES", "THREADS", "Family", "Index", "IndexFacts", "IndexName", "Indices", "number", "plain"]

Family = Hashable  # the place of a loop, or an argument of a thread; of several that meet the first
Told = tuple[Family, int]
Part = frozenset[int]
Map = tuple[int, int, int]  # (sign, offset, modulus): sign * i + offset modulo the last
THREADS = "threads"  # names and numbers that Python gives to threads
HANDLES = "handles"  # the objects that stand for threads: told is what leads from one to its thread
MOST_NUMBERS = 64  # of a family
MOST_TELLINGS = 40  # of a number in one execution
MOST_LESSONS = 6  # about a number: then it is taken to be told again and again
ALWAYS = 1 << 60


@dataclass(frozen=True)
class IndexName:
    """A key in the name of a place: it moves with the index."""

    family: Family
    value: int

    def __repr__(self) -> str:
        return str(self.value)


@dataclass
class IndexFacts:
    """What is known about the indices of a program."""

    ordinary: set[Family] = field(default_factory=set)  # loops whose numbers are no indices
    roots: dict[Family, Family] = field(default_factory=dict)  # of families that meet
    values: dict[Family, frozenset[int]] = field(default_factory=dict)
    parts: dict[Family, set[Part]] = field(default_factory=dict)  # that a renaming must keep
    maps: dict[Family, set[Map]] = field(default_factory=dict)  # with which it must commute
    told: dict[Told, int] = field(default_factory=dict)  # how often a number is made or told in an execution, at most
    lessons: dict[Told, int] = field(default_factory=dict)
    indexed: dict[Hashable, Family] = field(default_factory=dict)  # containers whose items belong to indices, by name
    reasons: dict[Told, tuple[str, Location]] = field(default_factory=dict)  # what told it last
    split: dict[tuple[Family, Part], tuple[str, Location]] = field(default_factory=dict)
    told_by_threads: dict[Family, set[int]] = field(default_factory=dict)  # numbers that others than main tell

    def copy(self) -> IndexFacts:
        return IndexFacts(
            set(self.ordinary), dict(self.roots), dict(self.values), {f: set(p) for f, p in self.parts.items()},
            {f: set(m) for f, m in self.maps.items()}, dict(self.told), dict(self.lessons), dict(self.indexed),
            dict(self.reasons), dict(self.split), {f: set(v) for f, v in self.told_by_threads.items()},
        )  # fmt: skip

    def structure(self) -> tuple[Any, ...]:
        """What decides which numbers are indices, and what belongs to them."""
        return set(self.ordinary), dict(self.roots), dict(self.values), dict(self.indexed)

    def forget_tellings(self) -> None:
        """What told numbers apart may not do so any more, now that the structure is another one."""
        for facts in (self.parts, self.told, self.lessons, self.split, self.told_by_threads):
            facts.clear()

    def root(self, family: Family) -> Family:
        while family in self.roots:
            family = self.roots[family]
        return family

    def domain(self, family: Family) -> frozenset[int]:
        return self.values.get(family, frozenset())


class Index(int):
    """A number of a family, or one that is made from it by adding a constant, and perhaps taking the negative."""

    family: Family
    base: int  # the number of the family
    sign: int
    offset: int

    @property
    def is_pure(self) -> bool:
        """Is it a number of the family itself?"""
        return self.sign == 1 and self.offset == 0

    def __hash__(self) -> int:
        if INDICES.sought is self:  # by a hook, which looks after it
            INDICES.sought = None
        else:
            INDICES.tell(self, "is hashed")
        return int.__hash__(self)

    def __copy__(self) -> Index:
        return self

    def __deepcopy__(self, _: Any) -> Index:
        return self

    def __reduce_ex__(self, _: Any) -> Any:
        return int, (plain(self, "is packed"),)

    def __mod__(self, other: Any) -> Any:
        return INDICES.modulo(self, other) if type(other) is int else _spread(self, operator.mod, other)

    def __add__(self, other: Any) -> Any:
        return INDICES.shifted(self, self.sign, self.offset + other) if type(other) is int else (
            _spread(self, operator.add, other))  # fmt: skip

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return INDICES.shifted(self, self.sign, self.offset - other) if type(other) is int else (
            _spread(self, operator.sub, other))  # fmt: skip

    def __rsub__(self, other: Any) -> Any:
        if type(other) is int:
            return INDICES.shifted(self, -self.sign, other - self.offset)
        return _spread(self, _turned(operator.sub), other)

    def __eq__(self, other: object) -> Any:
        return INDICES.equals(self, other)

    def __ne__(self, other: object) -> Any:
        same = INDICES.equals(self, other)
        return same if same is NotImplemented else not same


def _turned(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """With the sides exchanged."""

    def turned(first: Any, second: Any) -> Any:
        return operate(second, first)

    turned.__name__ = getattr(operate, "__name__", "operator")
    return turned


def _spread(index: Index, operate: Callable[[Any, Any], Any], other: Any) -> Any:
    """An operator with another value: the result is ordinary."""
    what = f"is used with {WORDS.get(operate.__name__, operate.__name__)}"
    if isinstance(other, Index):
        INDICES.tell(other, what)
        other = number(other)
    if not isinstance(other, int | float | complex):
        INDICES.tell(index, what)
        return operate(number(index), other)
    return INDICES.compute(index, lambda value: operate(value, other), f"{what} {other!r}")


WORDS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "add": "+", "sub": "-", "mul": "*", "mod": "%", "floordiv": "//",
         "truediv": "/", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "pow": "**"}  # fmt: skip


def _add_operators() -> None:
    """All that an int can do, and that is not defined above."""

    def binary(name: str, operate: Callable[[Any, Any], Any]) -> None:
        def method(self: Index, other: Any) -> Any:
            return _spread(self, operate, other)

        setattr(Index, name, method)

    def unary(name: str, operate: Callable[[Any], Any], words: str) -> None:
        def method(self: Index, *arguments: Any) -> Any:
            if arguments:
                return INDICES.compute(self, lambda value: getattr(int, name)(value, *arguments), words)
            return INDICES.compute(self, operate, words)

        setattr(Index, name, method)

    for name in ("lt", "le", "gt", "ge"):
        binary(f"__{name}__", getattr(operator, name))
    for name in ("mul", "floordiv", "truediv", "lshift", "rshift", "and_", "or_", "xor", "pow"):
        word = name.strip("_")
        binary(f"__{word}__", getattr(operator, name))
        binary(f"__r{word}__", _turned(getattr(operator, name)))
    binary("__rmod__", _turned(operator.mod))
    binary("__divmod__", divmod)
    binary("__rdivmod__", _turned(divmod))
    for name, operate, words in (
        ("__neg__", operator.neg, "is negated"), ("__pos__", operator.pos, "is used with +"),
        ("__abs__", abs, "is given to abs()"), ("__invert__", operator.invert, "is inverted"),
        ("__bool__", bool, "is tested"), ("__int__", int, "is given to int()"),
        ("__float__", float, "is given to float()"), ("__trunc__", int, "is truncated"),
        ("__floor__", int, "is rounded"), ("__ceil__", int, "is rounded"), ("__round__", round, "is rounded"),
        ("__index__", int, "is used as a number"), ("__repr__", repr, "becomes text"), ("__str__", str, "becomes text"),
        ("__format__", format, "becomes text"),
    ):  # fmt: skip
        unary(name, operate, words)


_add_operators()


def number(value: Any) -> Any:
    """The same as an ordinary number; nobody is told."""
    return value.sign * value.base + value.offset if type(value) is Index else value


def plain(value: Any, what: str) -> Any:
    """The same as an ordinary number, for those who look at it."""
    if type(value) is Index:
        INDICES.tell(value, what)
        return number(value)
    return value


class Indices:
    """The indices of one execution."""

    __slots__ = (
        "_counts", "_made", "_note", "is_active", "is_worker", "known", "learn", "learnt", "numbers",
        "sought",
    )  # fmt: skip

    def __init__(
        self, facts: tuple[IndexFacts, IndexFacts], learn: Callable[[], None], note: Callable[[Any], None],
        is_worker: Callable[[], bool], is_active: bool = False, numbers: bool = False,
    ) -> None:  # fmt: skip
        self.known, self.learnt = facts
        self.learn = learn  # something new, which starts the search again
        self._note = note  # what the running thread has learnt
        self.is_worker = is_worker  # does another thread than the main one run?
        self.is_active = is_active  # are symmetries looked for?
        self.numbers = numbers  # of threads with numbers, too?
        self.sought: Index | None = None  # a key that is about to be looked up
        self._made: dict[tuple[Family, int, int, int], Index] = {}
        self._counts: dict[Told, int] = {}

    # ------------------------------------------------------------------------------------------------- making

    def produce(self, family: Family, value: int) -> Any:
        """A number of a family comes into being."""
        family = self.known.root(family)
        if family in self.known.ordinary or family in self.learnt.ordinary:
            return value
        domain = self.known.domain(family)
        if value not in domain:
            more = self.learnt.domain(family) | {value}
            self.learnt.values[family] = more
            if len(more) > MOST_NUMBERS:
                self.make_ordinary(family)
            self.learn()
        self._count(family, value)
        return self._index(family, value)

    def make_ordinary(self, family: Family) -> None:
        if family not in self.learnt.ordinary:
            self.learnt.ordinary.add(family)
            self.learn()

    def _index(self, family: Family, base: int, sign: int = 1, offset: int = 0) -> Index:
        key = (family, base, sign, offset)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Index(sign * base + offset)
            found.family, found.base, found.sign, found.offset = key
        return found

    # ------------------------------------------------------------------------------------------------- telling

    def tell(self, index: Index, what: str) -> None:
        """Something makes a difference between this number and others of its family."""
        if len(self.known.domain(index.family)) > 1:
            self.tell_number(index.family, index.base, what)

    def tell_number(self, family: Family, value: int, what: str) -> None:
        self._count(family, value)
        self._note(value)  # SOUND: what is computed from it is ordinary, and belongs to what the thread has learnt
        self.learnt.reasons[family, value] = (what, users_place())
        domain = self.known.domain(family)
        if self.is_worker() and len(domain) > 1 and self.known.structure() == self.learnt.structure():
            self.learnt.told_by_threads.setdefault(family, set()).add(value)
            if self.learnt.told_by_threads[family] >= domain:
                self.make_ordinary(family)

    def tell_all(self, family: Family, values: frozenset[int], what: str) -> None:
        for value in sorted(values & self.known.domain(family)):
            self.tell_number(family, value, what)

    def use_handle(self, thread: int, what: str) -> None:
        """Something is done with a handle that depends on which thread it stands for."""
        if self.is_active:
            self._count(HANDLES, thread)
            self.learnt.reasons[HANDLES, thread] = (what, users_place())

    def wait_for(self, threads: list[int]) -> None:
        """A set of threads is waited for: whoever takes the place of one of them must be one of them."""
        if self.is_active:
            self._split(HANDLES, frozenset(threads), "is waited for, and the other is not")

    def _count(self, family: Family, value: int) -> None:
        key = (family, value)
        count = self._counts[key] = self._counts.get(key, 0) + 1
        most, learnt = self.known.told.get(key, 0), self.learnt.told.get(key, 0)
        if count > learnt:
            if learnt == most:  # nothing was learnt about it in this search
                self.learnt.lessons[key] = self.learnt.lessons.get(key, 0) + 1
            often = count > MOST_TELLINGS or self.learnt.lessons[key] > MOST_LESSONS
            self.learnt.told[key] = ALWAYS if often else count
            self.learn()

    def is_told_later(self, family: Family, value: int) -> bool:
        """May a number still be made or told, so that it must not be renamed?"""
        return self._counts.get((family, value), 0) < self.known.told.get((family, value), 0)

    # ------------------------------------------------------------------------------------------------- computing

    def compute(self, index: Index, operate: Callable[[int], Any], what: str) -> Any:
        """A function of one index, with an ordinary result."""
        family, sign, offset = index.family, index.sign, index.offset
        mine = operate(number(index))
        parts: dict[Any, set[int]] = {}
        for value in self.known.domain(family) | {index.base}:
            parts.setdefault(_result(operate, sign * value + offset), set()).add(value)
        if 1 < len(parts) < sum(map(len, parts.values())):
            for part in sorted(map(frozenset, parts.values()), key=len)[:-1]:
                self._split(family, part, what)
        elif len(parts) > 1:
            self.tell(index, what)
        return mine

    def _split(self, family: Family, part: Part, what: str) -> None:
        if part not in self.known.parts.get(family, ()):
            self.learnt.parts.setdefault(family, set()).add(part)
            self.learnt.split[family, part] = (what, users_place())
            self.learn()

    def equals(self, index: Index, other: Any) -> Any:
        if type(other) is not Index:
            if isinstance(other, int | float | complex):
                return self.compute(index, lambda value: value == other, f"is compared with {other!r}")
            return NotImplemented
        if index.family != other.family:
            self.meet(index.family, other.family)
        if (index.sign, index.offset) != (other.sign, other.offset):
            self.tell(index, "is compared after a computation")
            self.tell(other, "is compared after a computation")
        return number(index) == number(other)

    def meet(self, one: Family, other: Family) -> None:
        """Numbers of two families stand for the same from now on."""
        first, second = sorted((self.learnt.root(one), self.learnt.root(other)), key=repr)
        if first != second:
            self.learnt.roots[second] = first
            for values in ("values", "parts", "maps"):
                getattr(self.learnt, values).pop(second, None)
            self.learn()

    def shifted(self, index: Index, sign: int, offset: int) -> Any:
        """The index plus a constant, or a constant minus it."""
        family = index.family
        if sign == -1 and self.known.domain(family) == frozenset(range(offset + 1)):
            self._map(family, (sign, offset, offset + 1))
            return self._index(family, offset - index.base)
        return self._index(family, index.base, sign, offset)

    def modulo(self, index: Index, modulus: int) -> Any:
        if modulus > 1 and self.known.domain(index.family) == frozenset(range(modulus)):
            self._map(index.family, (index.sign, index.offset % modulus, modulus))
            return self._index(index.family, number(index) % modulus)
        return self.compute(index, lambda value: value % modulus, f"is used with % {modulus}")

    def _map(self, family: Family, made: Map) -> None:
        if made[:2] != (1, 0) and made not in self.known.maps.get(family, ()):
            self.learnt.maps.setdefault(family, set()).add(made)
            self.learn()


def _result(operate: Callable[[int], Any], value: int) -> Any:
    try:
        found = operate(value)
    except Exception as error:
        return type(error)
    return (type(found), found if type(found) is int else repr(found))  # 0.0 and -0.0 can be told apart


def users_place() -> Location:
    """The line of the user's program that is being executed."""
    frame: Any = sys._getframe(1)
    while frame is not None and not is_users_frame(frame):
        frame = frame.f_back
    if frame is None:
        return NOWHERE
    positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    line, _, column, end = positions
    if line is None or column is None or end is None:
        return Location(frame.f_code.co_filename, frame.f_lineno, 1)
    return Location(frame.f_code.co_filename, line, column + 1, max(end - column, 1))


# of the execution that is going on
INDICES = Indices((IndexFacts(), IndexFacts()), lambda: None, lambda _: None, lambda: False)


def activate(indices: Indices) -> None:
    global INDICES
    INDICES = indices
