"""Programs in memory: a few instructions over cells, locks and semaphores.

For tests and experiments, and to be generated: small enough to be explored without any reduction, rich enough for
accesses that depend on data, branches, tosses, joins, and thread ids in memory.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple, TypeAlias

from ..core.errors import NOWHERE, Location
from ..core.records import dataclass
from ..engines.stateless.protocol import NO_OBJECTS, Exchanging, Found, Op, OwnObject, Renaming, Thread

__all__ = ["MemoryCell", "MemoryCode", "MemoryInstruction", "MemoryProgram", "MemoryState"]

Value: TypeAlias = int | OwnObject


class MemoryCell(NamedTuple):
    """A cell of an array: `offset`, plus the value of a local variable if there is one, modulo the size."""

    array: str
    offset: int = 0
    by: int | None = None


class MemoryInstruction(NamedTuple):
    """`local` is a variable of the thread.  read: local = place; write: place = local + value, or the thread's own id
    (`value` None); add: place += value; cas: local = place, and place = value + 1 if it was value; lock, unlock, wait,
    signal: place; await: until place == value, and the other place, too, if there is one; copy: place = other + value;
    gather: local = place + other; swap: place and other; claim: place += 1, as soon as other == value; start, join:
    `threads`; toss: local = 0 .. value-1; check: local != value, or the program is wrong; skip: jump over `jump`
    instructions if local == value; end."""

    kind: str
    place: MemoryCell | None = None
    local: int = 0
    value: int | None = 0
    jump: int = 0
    threads: frozenset[Thread] = frozenset()
    other: MemoryCell | None = None

    @property
    def places(self) -> tuple[MemoryCell, ...]:
        return tuple(p for p in (self.place, self.other) if p is not None)


@dataclass(frozen=True)
class MemoryCode:
    """The arrays with their initial values (locks: 0 is free), and a list of instructions for each thread."""

    arrays: Mapping[str, tuple[int, ...]]
    threads: tuple[tuple[MemoryInstruction, ...], ...]
    locals: int = 2
    names: tuple[str, ...] = field(default=())

    @property
    def watches_ends(self) -> bool:
        return any(i.kind == "join" for t in self.threads for i in t)

    @property
    def started(self) -> frozenset[Thread]:
        """The threads that do not live from the beginning: others start them."""
        return frozenset(t for thread in self.threads for i in thread if i.kind == "start" for t in i.threads)


class _Position(NamedTuple):
    """Where a thread is, and its registers."""

    at: int
    locals: tuple[Value, ...]


class MemoryState(NamedTuple):
    """Everything that distinguishes two moments of a program in memory."""

    cells: tuple[Value, ...]
    threads: tuple[_Position, ...]
    ended: frozenset[Thread] = frozenset()
    unborn: frozenset[Thread] = frozenset()


WAITING = ("lock", "wait", "join", "await", "claim")
COUNTED = {"lock": "unlock", "wait": "signal"}
LOOKING = ("read", "await", "gather")  # they change nothing


class MemoryProgram(Exchanging):
    """Such a program at some state of one execution."""

    def __init__(self, code: MemoryCode) -> None:
        self.code = code
        self.base: dict[str, int] = {}
        cells: list[Value] = []
        for name, values in code.arrays.items():
            self.base[name] = len(cells)
            cells += values
        end = (MemoryInstruction("end"),) if code.watches_ends else ()
        self.threads = [t + end for t in code.threads]
        positions = tuple(_Position(0, (0,) * code.locals) for _ in self.threads)
        self.initial = MemoryState(tuple(cells), positions, unborn=code.started)
        self.ops: dict[tuple[Hashable, ...], Op] = {}
        self.restart()

    def restart(self) -> None:
        start = self.initial
        threads = tuple(self.settled(t, p) for t, p in enumerate(start.threads))
        self.state = start._replace(threads=threads)

    def become_copy(self) -> None:
        """Nothing of it is outside of the process."""

    def has_learnt(self) -> object:
        return None

    def save(self) -> MemoryState:
        return self.state

    def restore(self, saved: MemoryState) -> None:
        self.state = saved

    # ---------------------------------------------------------------- what comes next

    def settled(self, thread: Thread, position: _Position) -> _Position:
        """Past the jumps."""
        code, at = self.threads[thread], position.at
        while at < len(code) and code[at].kind == "skip":
            taken = position.locals[code[at].local] == code[at].value
            at += 1 + (code[at].jump if taken else 0)
        return _Position(min(at, len(code)), position.locals)

    def instruction(self, thread: Thread) -> MemoryInstruction | None:
        code, at = self.threads[thread], self.state.threads[thread].at
        return code[at] if at < len(code) and thread not in self.state.unborn else None

    def cell(self, place: MemoryCell, values: Sequence[Value]) -> int:
        moved = values[place.by] if place.by is not None else 0
        shift = moved if isinstance(moved, int) else 0
        return self.base[place.array] + (place.offset + shift) % len(self.code.arrays[place.array])

    def pending(self) -> Mapping[Thread, Op]:
        return {t: self.op(t, i) for t in range(len(self.threads)) if (i := self.instruction(t)) is not None}

    def op(self, thread: Thread, i: MemoryInstruction) -> Op:
        cells = tuple(self.cell(place, self.state.threads[thread].locals) for place in i.places)
        key = (i.kind, cells, i.threads, thread if i.kind == "end" else None)
        if key not in self.ops:
            self.ops[key] = self.make_op(thread, i, cells)
        return self.ops[key]

    def make_op(self, thread: Thread, i: MemoryInstruction, cells: tuple[int, ...]) -> Op:
        """What an instruction touches, if its places are these cells."""
        here: frozenset[Hashable] = frozenset(cells)
        match i.kind:
            case "join":
                return Op("join", frozenset(OwnObject(t, "end") for t in i.threads), waits=True)
            case "start":
                return Op("start", writes=frozenset(OwnObject(t, "life") for t in i.threads))
            case "end":
                return Op("end", writes=frozenset({OwnObject(thread, "end")}))
            case "copy" | "claim":
                return Op(i.kind, here - {cells[0]}, frozenset({cells[0]}), i.kind in WAITING)
            case kind if kind in LOOKING:
                return Op(kind, here, waits=kind in WAITING)
        return Op(i.kind, writes=here, waits=i.kind in WAITING, overwrites=here if i.kind == "write" else NO_OBJECTS)

    def enabled(self) -> Sequence[Thread]:
        return [t for t in range(len(self.threads)) if (i := self.instruction(t)) is not None and self.can(t, i)]

    def can(self, thread: Thread, i: MemoryInstruction) -> bool:
        """Need it not wait?"""
        if i.kind not in WAITING:
            return True
        if i.kind == "join":
            return i.threads <= self.state.ended
        here, *other = self.values(thread, i)
        if i.kind in ("await", "claim"):
            return all(v == i.value for v in (other if i.kind == "claim" else (here, *other)))
        return here == 0 if i.kind == "lock" else isinstance(here, int) and here > 0

    def passes_after(self, earlier: Iterator[Op], op: Op) -> bool | None:
        """A lock that is only taken and given back, a semaphore that is only waited at and signalled."""
        if op.kind not in COUNTED:
            return None
        (cell,) = op.deciding
        assert isinstance(cell, int)
        first, kinds = self.initial.cells[cell], [other.kind for other in earlier]
        if not isinstance(first, int) or not set(kinds) <= {op.kind, COUNTED[op.kind]}:
            return None
        if op.kind == "lock":
            return kinds[0] != "lock" if kinds else first == 0
        return first + kinds.count("signal") > kinds.count("wait")

    def values(self, thread: Thread, i: MemoryInstruction) -> list[Value]:
        """What is in the places of an instruction."""
        values = self.state.threads[thread].locals
        return [self.state.cells[self.cell(place, values)] for place in i.places]

    def choices(self, thread: Thread) -> int:
        i = self.instruction(thread)
        return i.value or 1 if i is not None and i.kind == "toss" else 1

    # ---------------------------------------------------------------- steps

    def step(self, thread: Thread, choice: int = 0) -> Sequence[Found]:
        """The next instruction of a thread, and the jumps behind it."""
        i, (at, values) = self.instruction(thread), self.state.threads[thread]
        assert i is not None
        found = i.kind == "check" and values[i.local] == i.value
        after = self.take(thread, i, choice)
        threads = list(self.state.threads)
        threads[thread] = self.settled(thread, _Position(at + 1, after))
        self.state = self.state._replace(threads=tuple(threads))
        where = self.location(thread, at)
        return [Found("assertion", f"local {i.local} is {i.value}", where, thread)] if found else []

    def take(self, thread: Thread, i: MemoryInstruction, choice: int) -> tuple[Value, ...]:
        """What an instruction does; the registers after it."""
        values, here, state = self.state.threads[thread].locals, self.values(thread, i), self.state
        match i.kind:
            case "read" | "cas":
                values = self.stored(values, i.local, here[0])
            case "toss":
                values = self.stored(values, i.local, choice)
            case "gather":
                values = self.stored(values, i.local, sum(v for v in here if isinstance(v, int)))
            case "end":
                self.state = state._replace(ended=state.ended | {thread})
            case "start":
                self.state = state._replace(unborn=state.unborn - i.threads)
        if i.place is not None and i.kind not in LOOKING:
            self.change(thread, i, here)
        return values

    @staticmethod
    def stored(values: tuple[Value, ...], local: int, value: Value) -> tuple[Value, ...]:
        return (*values[:local], value, *values[local + 1 :])

    def change(self, thread: Thread, i: MemoryInstruction, values: list[Value]) -> None:
        """What an instruction leaves in its cells; `values` were in them."""
        old, other = values[0], values[-1]
        cell, *second = (self.cell(place, self.state.threads[thread].locals) for place in i.places)
        count = old if isinstance(old, int) else 0
        mine = self.state.threads[thread].locals[i.local]
        value: Value
        match i.kind:
            case "write" if i.value is None:
                value = OwnObject(thread, "id")
            case "write":
                value = mine + (i.value or 0) if isinstance(mine, int) else mine
            case "add":
                value = count + (i.value or 0)
            case "lock":
                value = OwnObject(thread, "holds")
            case "unlock":
                value = 0
            case "cas":
                value = old if old != i.value else (i.value or 0) + 1
            case "copy":
                value = other + (i.value or 0) if isinstance(other, int) else other
            case "swap":
                value = other
                self.put(second[0], old)
            case "wait":
                value = count - 1
            case _:
                value = count + 1
        self.put(cell, value)

    def put(self, cell: int, value: Value) -> None:
        self.state = self.state._replace(cells=(*self.state.cells[:cell], value, *self.state.cells[cell + 1 :]))

    def stuck(self) -> Found | None:
        waiting = list(self.pending())
        if not waiting:
            return None
        where = self.location(waiting[0], self.state.threads[waiting[0]].at)
        return Found("deadlock", f"threads {', '.join(map(str, waiting))} wait for ever", where)

    def location(self, thread: Thread, at: int) -> Location:
        name = self.code.names[thread] if thread < len(self.code.names) else f"thread {thread}"
        return Location(name, at + 1, 1) if at >= 0 else NOWHERE

    # ---------------------------------------------------------------- futures, symmetry

    def future(self, thread: Thread) -> Op | None:
        reads: set[Hashable] = set()
        writes: set[Hashable] = set()
        for i in self.residual(thread):
            if i.kind == "join":
                reads |= {OwnObject(t, "end") for t in i.threads}
            elif i.kind == "end":
                writes.add(OwnObject(thread, "end"))
            elif i.kind == "start":
                return None
            else:
                touched = {cell for place in i.places for cell in self.cells(place)}
                (reads if i.kind in LOOKING else writes).update(touched)
        return Op("future", frozenset(reads), frozenset(writes))

    def cells(self, place: MemoryCell) -> Iterator[int]:
        """All cells that the place can be."""
        base, size = self.base[place.array], len(self.code.arrays[place.array])
        yield from range(base, base + size) if place.by is not None else (base + place.offset % size,)

    def residual(self, thread: Thread) -> tuple[MemoryInstruction, ...]:
        return self.threads[thread][self.state.threads[thread].at :]

    def are_alike(self, first: Thread, second: Thread) -> bool:
        return self.what_changes(Renaming("swap", {first: second, second: first})) == ""

    def what_changes(self, renaming: Renaming) -> str:
        """Cells are moved by `renaming.objects`, which names them by their numbers."""
        cells = list(self.state.cells)
        for cell, value in enumerate(self.state.cells):
            target = renaming.object(cell)
            assert isinstance(target, int)
            cells[target] = self.image(renaming, value)
        if tuple(cells) != self.state.cells:
            return "the cells change"
        if frozenset(map(renaming.thread, self.state.ended)) != self.state.ended:
            return "the threads that have ended change"
        if frozenset(map(renaming.thread, self.state.unborn)) != self.state.unborn:
            return "the threads that have not begun change"
        for thread, position in enumerate(self.state.threads):
            other = renaming.thread(thread)
            if tuple(self.image(renaming, v) for v in position.locals) != self.state.threads[other].locals:
                return f"thread {other} has other local variables than thread {thread}"
            mine = tuple(self.renamed(renaming, i) for i in self.residual(thread))
            if mine != tuple(self.renamed(None, i) for i in self.residual(other)):
                return f"thread {other} runs other code than thread {thread}"
        return ""

    @staticmethod
    def image(renaming: Renaming, value: Value) -> Value:
        return OwnObject(renaming.thread(value.thread), value.what) if isinstance(value, OwnObject) else value

    def renamed(self, renaming: Renaming | None, i: MemoryInstruction) -> tuple[Hashable, ...]:
        """An instruction with the numbers of the cells, after a renaming; a computed index is no name of a cell."""
        cells: list[Hashable] = [cell for place in i.places for cell in self.cells(place)]
        moved = cells if renaming is None else [renaming.object(c) for c in cells]
        threads = i.threads if renaming is None else frozenset(map(renaming.thread, i.threads))
        by = tuple((p.by, p.offset if p.by is not None else 0) for p in i.places)
        return (i.kind, tuple(moved), by, i.local, i.value, i.jump, threads)
