"""What a process does, as a tree: at a point it asks something, and each answer leads to the next point.

A process is a function of the answers that it got: it shares nothing with others but through what it asks.  So points
are the local states of processes; they are reached by really running the program once, and need not be run again.
A fork is a question with two answers, one for each of the two processes that go on from there.

Reference: Godefroid, POPL 1997 (a state is known by the sequence that leads to it).
Differs: known for each process alone: most executions of a search need no running process at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

Path = tuple[int, ...]  # of a process: which child of which child of main


class SystemCall(NamedTuple):
    """What a process asks: `place` is the address in the program where it does."""

    kind: str
    args: tuple[int, ...]
    data: bytes
    place: int


class Answer(NamedTuple):
    """What a call gives back to the process: a value, an error, data."""

    value: int = 0
    error: int = 0
    data: bytes = b""


DONE = Answer()
FAILING = frozenset({"assert", "crash", "diverge"})
LAST = FAILING | {"end", "outside"}  # calls that nothing follows


class Point:
    """A process asks `call`; before that it wrote `stored` to shared memory, if it was allowed to, and `output`."""

    __slots__ = ("answer", "before", "call", "following", "forks", "output", "path", "stored", "twins")

    def __init__(self, call: SystemCall, stored: bytes, output: bytes, before: Point | None, answer: Answer) -> None:
        self.call, self.stored, self.output = call, stored, output
        self.before, self.answer = before, answer
        self.following: dict[Answer, Point] = {}
        self.twins: dict[object, dict[Point, list[Any]]] = {}  # see symmetry.py
        self.path, self.forks = _place_of(before, answer)

    def history(self) -> list[tuple[Point, Answer]]:
        """The points from the first one, each with the answer that it got."""
        found = []
        point = self
        while point.before is not None:
            found.append((point.before, point.answer))
            point = point.before
        return found[::-1]

    def known(self) -> Iterator[Point]:
        """This point and all known ones behind it."""
        todo = [self]
        while todo:
            point = todo.pop()
            yield point
            todo += point.following.values()


def _place_of(before: Point | None, answer: Answer) -> tuple[Path, int]:
    """Of which process is what follows, and how many children has it had?"""
    if before is None:
        return (), 0
    if before.call.kind != "fork" or answer.error:
        return before.path, before.forks
    if answer.value == 0:
        return (*before.path, before.forks), 0
    return before.path, before.forks + 1


class Request(NamedTuple):
    """What a running process says."""

    call: SystemCall
    stored: bytes
    output: bytes


class _Runner(Protocol):
    """Who runs the program."""

    def run(self, point: Point | None, answer: Answer) -> Request:
        """What does the process that stands at a point ask next, with this answer?  None: at its beginning."""

    def stands(self, point: Point) -> None:
        """The process that was run last stands there now."""


class Tree:
    """All points that are known."""

    def __init__(self, runner: _Runner) -> None:
        self.runner = runner
        self.size = 0
        self.grown: Callable[[Point, Point], None] = lambda before, point: None
        self.first = self.point(None, DONE)

    def point(self, before: Point | None, answer: Answer) -> Point:
        asked = self.runner.run(before, answer)
        point = Point(asked.call, asked.stored, asked.output, before, answer)
        self.runner.stands(point)
        self.size += 1
        return point

    def follow(self, point: Point, answer: Answer) -> Point:
        """Where the answer leads."""
        found = point.following.get(answer)
        if found is None:
            found = point.following[answer] = self.point(point, answer)
            self.grown(point, found)
        return found
