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
    (`value` None); add: place += value; lock, unlock, wait, signal: place; join: `threads`; toss: local = 0 .. value-1;
    check: local != value, or the program is wrong; skip: jump over `jump` instructions if local == value; end."""

    kind: str
    place: MemoryCell | None = None
    local: int = 0
    value: int | None = 0
    jump: int = 0
    threads: frozenset[Thread] = frozenset()


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


class _Position(NamedTuple):
    """Where a thread is, and its registers."""

    at: int
    locals: tuple[Value, ...]


class MemoryState(NamedTuple):
    """Everything that distinguishes two moments of a program in memory."""

    cells: tuple[Value, ...]
    threads: tuple[_Position, ...]
    ended: frozenset[Thread] = frozenset()


WAITING = ("lock", "wait", "join")


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
        self.initial = MemoryState(tuple(cells), tuple(_Position(0, (0,) * code.locals) for _ in self.threads))
        self.ops: dict[tuple[Hashable, ...], Op] = {}
        self.restart()

    def restart(self) -> None:
        start = self.initial
        threads = tuple(self.settled(t, p) for t, p in enumerate(start.threads))
        self.state = start._replace(threads=threads)

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
        return code[at] if at < len(code) else None

    def cell(self, place: MemoryCell, values: Sequence[Value]) -> int:
        moved = values[place.by] if place.by is not None else 0
        shift = moved if isinstance(moved, int) else 0
        return self.base[place.array] + (place.offset + shift) % len(self.code.arrays[place.array])

    def pending(self) -> Mapping[Thread, Op]:
        return {t: self.op(t, i) for t in range(len(self.threads)) if (i := self.instruction(t)) is not None}

    def op(self, thread: Thread, i: MemoryInstruction) -> Op:
        cell = None if i.place is None else self.cell(i.place, self.state.threads[thread].locals)
        key = (i.kind, cell, i.threads, thread if i.kind == "end" else None)
        if key not in self.ops:
            self.ops[key] = self.make_op(thread, i, cell)
        return self.ops[key]

    def make_op(self, thread: Thread, i: MemoryInstruction, cell: int | None) -> Op:
        here = NO_OBJECTS if cell is None else frozenset({cell})
        if i.kind == "join":
            return Op("join", frozenset(OwnObject(t, "end") for t in i.threads), waits=True)
        if i.kind == "end":
            return Op("end", writes=frozenset({OwnObject(thread, "end")}))
        if i.kind == "read":
            return Op("read", reads=here)
        return Op(i.kind, writes=here, waits=i.kind in WAITING)

    def enabled(self) -> Sequence[Thread]:
        return [t for t in range(len(self.threads)) if (i := self.instruction(t)) is not None and self.can(t, i)]

    def can(self, thread: Thread, i: MemoryInstruction) -> bool:
        if i.kind not in WAITING:
            return True
        if i.kind == "join":
            return i.threads <= self.state.ended
        assert i.place is not None
        value = self.state.cells[self.cell(i.place, self.state.threads[thread].locals)]
        return value == 0 if i.kind == "lock" else isinstance(value, int) and value > 0

    def choices(self, thread: Thread) -> int:
        i = self.instruction(thread)
        return i.value or 1 if i is not None and i.kind == "toss" else 1

    # ---------------------------------------------------------------- steps

    def step(self, thread: Thread, choice: int = 0) -> Sequence[Found]:
        i, (at, values) = self.instruction(thread), self.state.threads[thread]
        assert i is not None
        found: list[Found] = []
        if i.kind == "read" and i.place is not None:
            values = self.stored(values, i.local, self.state.cells[self.cell(i.place, values)])
        elif i.kind == "toss":
            values = self.stored(values, i.local, choice)
        elif i.kind == "check" and values[i.local] == i.value:
            found = [Found("assertion", f"local {i.local} is {i.value}", self.location(thread, at), thread)]
        elif i.kind == "end":
            self.state = self.state._replace(ended=self.state.ended | {thread})
        elif i.place is not None:
            self.change(thread, i, self.cell(i.place, values))
        threads = list(self.state.threads)
        threads[thread] = self.settled(thread, _Position(at + 1, values))
        self.state = self.state._replace(threads=tuple(threads))
        return found

    @staticmethod
    def stored(values: tuple[Value, ...], local: int, value: Value) -> tuple[Value, ...]:
        return (*values[:local], value, *values[local + 1 :])

    def change(self, thread: Thread, i: MemoryInstruction, cell: int) -> None:
        """What an instruction leaves in its cell."""
        old = self.state.cells[cell]
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
            case "wait":
                value = count - 1
            case _:
                value = count + 1
        self.state = self.state._replace(cells=(*self.state.cells[:cell], value, *self.state.cells[cell + 1 :]))

    def stuck(self) -> Found | None:
        waiting = [t for t in range(len(self.threads)) if self.instruction(t) is not None]
        if not waiting:
            return None
        where = self.location(waiting[0], self.state.threads[waiting[0]].at)
        return Found("deadlock", f"threads {', '.join(map(str, waiting))} wait for ever", where)

    def location(self, thread: Thread, at: int) -> Location:
        name = self.code.names[thread] if thread < len(self.code.names) else f"thread {thread}"
        return Location(name, at + 1, 1) if at >= 0 else NOWHERE

    # ---------------------------------------------------------------- futures, symmetry

    def future(self, thread: Thread) -> Op:
        reads: set[Hashable] = set()
        writes: set[Hashable] = set()
        for i in self.residual(thread):
            if i.kind == "join":
                reads |= {OwnObject(t, "end") for t in i.threads}
            elif i.kind == "end":
                writes.add(OwnObject(thread, "end"))
            elif i.place is not None:
                (reads if i.kind == "read" else writes).update(self.cells(i.place))
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
        cells: list[Hashable] = list(self.cells(i.place)) if i.place is not None else []
        moved = cells if renaming is None else [renaming.object(c) for c in cells]
        threads = i.threads if renaming is None else frozenset(map(renaming.thread, i.threads))
        by = None if i.place is None else (i.place.by, i.place.offset if i.place.by is not None else 0)
        return (i.kind, tuple(moved), by, i.local, i.value, i.jump, threads)
