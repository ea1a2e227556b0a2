"""Declared permutations of a program of processes: of who does something, of what it is done to, and of outcomes.

`swap` and `rotate` move processes, and objects of which there are as many.  A file says which, in the words of traces
and messages:

    (0 1 2)                                              # processes, by their numbers
    (main, child 1)                                      # by their names
    (semaphore 0 of set 0, semaphore 1 of set 0)         # also: set, queue, message queue, pipe, segment, semaphore
    (4 bytes at 0 of segment 0, 4 bytes at 4 of segment 0)
    (toss 0, toss 1)                                     # outcomes of every toss
    (toss 0 of child 1, toss 1 of child 2)               # of those of one process: child 1 must become child 2

Reference: Godefroid, FORTE 1999, section 5 (permutations of actions: operation, parameters, process; swap and rotate
are prepared).
Differs: what is made here is an idea, which `symmetry.py` checks on everything that the processes do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from ...core.cycles import CycleLine, CycleWord, read_cycles
from ...core.errors import SourceError, UsageError
from ...engines.stateless.protocol import Renaming, Thread, Toss
from .situation import Situation
from .system.world import SimulatedSystem
from .words import name_of

__all__ = ["declared"]

Name = tuple[Any, ...]
BESIDE = {"pipe": ("readers",), "mq": ("mq limits",)}  # what moves together with an object
LARGEST_SEGMENT = 1 << 16  # bytes that are moved one by one
HINT = (
    "a number or a name of a process, semaphore N of set N, semaphore N, semaphore N of segment N, set N, queue N, "
    "message queue N, pipe N, segment N, N bytes at N of segment N, toss N, toss N of PROCESS"
)


def declared(situation: Situation, permutation: str) -> list[Renaming]:
    """The permutations that the user declares: all swaps, the rotation, or those in a file."""
    if permutation not in ("swap", "rotate"):
        return [_Line(situation, line).renaming() for line in read_cycles(permutation)]
    ring = _ring(_world(situation))
    if len(ring) < 2:
        raise UsageError(f"--permutation {permutation}: there are no two processes that could change places")
    if permutation == "rotate":
        return [_moving(situation, "rotate", ring, [*range(1, len(ring)), 0])]
    return [_swapping(situation, ring, a, b) for a, b in combinations(range(len(ring)), 2)]


def _world(situation: Situation) -> SimulatedSystem:
    assert situation.initial is not None
    return situation.initial


# -------------------------------------------------------------------------------------------------- swap, rotate


def _ring(world: SimulatedSystem) -> list[Thread]:
    """The processes that do not just wait for children."""
    return [who for who, p in sorted(world.processes.items()) if p.status is None and p.point.call.kind != "wait"]


def _swapping(situation: Situation, ring: Sequence[Thread], a: int, b: int) -> Renaming:
    name = f"swap of {_name(situation, ring[a])} and {_name(situation, ring[b])}"
    places = [b if i == a else a if i == b else i for i in range(len(ring))]
    return _moving(situation, name, ring, places)


def _moving(situation: Situation, name: str, ring: Sequence[Thread], places: Sequence[int]) -> Renaming:
    """Everyone moves to its place, and so do objects of which there are as many as processes: to be checked."""
    objects: dict[Hashable, Hashable] = {}
    for names in _groups(_world(situation)):
        if len(names) == len(ring):
            for i, place in enumerate(places):
                objects |= _together(names[i], names[place])
    threads = {who: ring[place] for who, place in zip(ring, places, strict=True)}
    return Renaming(name, _moved(threads), _moved(objects))


def _groups(world: SimulatedSystem) -> list[list[Name]]:
    """Objects that could change places: the semaphores of a set, all queues, all pipes, ..."""
    found: dict[Hashable, list[Name]] = {}
    for name in world.objects:
        if name[0] in ("sem", "posix", "queue", "mq", "pipe"):
            found.setdefault(name[:2] if name[0] in ("sem", "posix") else name[0], []).append(name)
    return [sorted(names) for names in found.values()]


def _together(name: Name, image: Name) -> dict[Hashable, Hashable]:
    return {name: image, **{(part, name[1]): (part, image[1]) for part in BESIDE.get(name[0], ())}}


def _moved(mapping: dict[Any, Any]) -> dict[Any, Any]:
    return {a: b for a, b in mapping.items() if a != b}


def _name(situation: Situation, who: Thread) -> str:
    return name_of(situation.path(who))


# -------------------------------------------------------------------------------------------------- a file

_NUMBER = r"(\d+)"
_OBJECTS: tuple[tuple[str, Callable[..., Name]], ...] = (
    (rf"semaphore {_NUMBER} of set {_NUMBER}", lambda number, set_: ("sem", set_, number)),
    (rf"semaphore at {_NUMBER} of segment {_NUMBER}", lambda offset, segment: ("posix", 1, segment, offset)),
    (rf"semaphore {_NUMBER}", lambda number: ("posix", 0, number, 0)),
    (rf"set {_NUMBER}", lambda number: ("set", number)),
    (rf"queue {_NUMBER}", lambda number: ("queue", number)),
    (rf"message queue {_NUMBER}", lambda number: ("mq", number)),
    (rf"pipe {_NUMBER}", lambda number: ("pipe", number)),
    (rf"segment {_NUMBER}", lambda number: ("segment", number)),
    (rf"{_NUMBER} bytes? at {_NUMBER} of segment {_NUMBER}", lambda size, at, seg: ("bytes", seg, at, size)),
)


class _Line:
    """One permutation of a file: processes first, since who tosses may be among them."""

    def __init__(self, situation: Situation, line: CycleLine) -> None:
        self.situation, self.line = situation, line
        self.world = _world(situation)
        self.processes = {_name(situation, who): who for who in sorted(self.world.processes)}
        self.threads: dict[Thread, Thread] = {}
        self.objects: dict[Hashable, Hashable] = {}
        self.tosses: dict[Toss, int] = {}

    def renaming(self) -> Renaming:
        """All cycles of the line together."""
        for cycle in self.line.cycles:
            if all(self.process(word.text) is not None for word in cycle):
                for word, image in _pairs(cycle):
                    self.put(self.threads, [(self.process(word.text), self.process(image.text))], word)
        for cycle in self.line.cycles:
            if self.process(cycle[0].text) is None:
                for word, image in _pairs(cycle):
                    self.pair(word, image)
            else:
                self.expect_processes(cycle)
        name = f"{self.line.text} of {self.line.location.file}:{self.line.location.line}"
        tosses = {toss: image for toss, image in self.tosses.items() if toss[1] != image}
        return Renaming(name, _moved(self.threads), _moved(self.objects), tosses)

    def expect_processes(self, cycle: Sequence[CycleWord]) -> None:
        for word in cycle:
            if self.process(word.text) is None:
                raise self.unknown(word, "only processes can take the place of a process")

    def process(self, text: str) -> Thread | None:
        if text.isdecimal():
            return int(text) if int(text) in self.world.processes else None
        return self.processes.get(text)

    def pair(self, word: CycleWord, image: CycleWord) -> None:
        """An object or an outcome, and what it becomes."""
        if word.text.startswith("toss") and image.text.startswith("toss"):
            self.put(self.tosses, self.outcomes(word, image), word)
        else:
            one, other = self.object(word), self.object(image)
            self.put(self.objects, self.parts(one, other, image), word)

    def put(self, into: dict[Any, Any], pairs: Iterable[tuple[Any, Any]], word: CycleWord) -> None:
        for one, other in pairs:
            if one in into:
                raise SourceError.at(word.location, f"{word.text} is named twice on this line")
            into[one] = other

    # ---------------------------------------------------------------- objects

    def object(self, word: CycleWord) -> Name:
        """The object that a word names; there must be one when the processes begin."""
        for pattern, made in _OBJECTS:
            if match := re.fullmatch(pattern, " ".join(word.text.split())):
                name = made(*map(int, match.groups()))
                if not self.exists(name):
                    raise self.unknown(word, f"there is no {word.text} when the processes begin", self.there_are(name))
                return name
        raise self.unknown(word, f"{word.text!r} is neither a process, nor an object, nor an outcome of toss")

    def exists(self, name: Name) -> bool:
        if name[0] == "bytes":
            _, segment, at, size = name
            return bool(0 < size <= self.world.objects.get(("segment", segment), 0) - at)
        return name in self.world.objects

    def there_are(self, name: Name) -> str:
        """What there is of the same kind."""
        kind = "segment" if name[0] == "bytes" else name[0]
        known = sorted(n for n in self.world.objects if n[0] == kind)
        if not known:
            return "the program has made none of them by then"
        return f"there are {', '.join(map(_written, known[:8]))}"

    def unknown(self, word: CycleWord, message: str, hint: str = "") -> SourceError:
        return SourceError.at(word.location, message, hint or f"there are {', '.join(self.processes)}; {HINT}")

    def parts(self, one: Name, other: Name, image: CycleWord) -> Iterator[tuple[Name, Name]]:
        """What moves if an object becomes another one: also what belongs to it."""
        if one[0] != other[0] or (one[0] == "bytes" and one[3] != other[3]):
            raise SourceError.at(image.location, f"{image.text} cannot take the place of another kind of thing")
        if one[0] == "bytes":
            yield from _bytes(one[1], one[2], other[1], other[2], one[3])
        else:
            yield from _together(one, other).items()  # type: ignore[misc]
        if one[0] in ("set", "segment"):
            yield from self.inside(one, other, image)

    def inside(self, one: Name, other: Name, image: CycleWord) -> Iterator[tuple[Name, Name]]:
        """The semaphores of a set, the bytes and semaphores of a segment."""
        size = self.world.objects[one]
        if size != self.world.objects[other] or (one[0] == "segment" and size > LARGEST_SEGMENT):
            why = "has another size" if size <= LARGEST_SEGMENT else f"has more than {LARGEST_SEGMENT} bytes"
            raise SourceError.at(image.location, f"{image.text} {why}")
        if one[0] == "set":
            yield from ((("sem", one[1], i), ("sem", other[1], i)) for i in range(size))
            return
        yield from _bytes(one[1], 0, other[1], 0, size)
        for name in list(self.world.objects):
            if name[:3] == ("posix", 1, one[1]):
                yield name, ("posix", 1, other[1], name[3])

    # ---------------------------------------------------------------- tosses

    def outcomes(self, word: CycleWord, image: CycleWord) -> Iterator[tuple[Toss, int]]:
        """An outcome of a process, or of all of them, and the outcome of the image."""
        (choice, who), (other, its) = self.outcome(word), self.outcome(image)
        if (who is None) != (its is None):
            raise SourceError.at(image.location, "name the process of each outcome of a cycle, or of none")
        if who is None:
            yield from (((t, choice), other) for t in self.world.processes)
            return
        if self.threads.get(who, who) != its:
            where = _name(self.situation, self.threads.get(who, who))
            message = f"{_name(self.situation, who)} becomes {where}, so its outcomes become those of {where}"
            raise SourceError.at(image.location, message, f"toss {other} of {where}")
        yield (who, choice), other

    def outcome(self, word: CycleWord) -> tuple[int, Thread | None]:
        """An outcome of a toss, and whose; None: of everyone."""
        match = re.fullmatch(r"toss (\d+)(?: of (.+))?", " ".join(word.text.split()))
        if match is None:
            raise self.unknown(word, f"{word.text!r} is no outcome of a toss", "toss 0, or toss 0 of child 1")
        who = None if match[2] is None else self.process(match[2])
        if match[2] is not None and who is None:
            hint = f"there are {', '.join(self.processes)}"
            raise self.unknown(word, f"there is no process {match[2]} when the processes begin", hint)
        return int(match[1]), who


def _pairs(cycle: Sequence[CycleWord]) -> Iterator[tuple[CycleWord, CycleWord]]:
    return zip(cycle, [*cycle[1:], cycle[0]], strict=True)


def _bytes(segment: int, at: int, other: int, there: int, size: int) -> Iterator[tuple[Name, Name]]:
    return ((("byte", segment, at + i), ("byte", other, there + i)) for i in range(size))


def _written(name: Name) -> str:
    match name[0]:
        case "sem":
            return f"semaphore {name[2]} of set {name[1]}"
        case "posix":
            return f"semaphore at {name[3]} of segment {name[2]}" if name[1] else f"semaphore {name[2]}"
        case "mq":
            return f"message queue {name[1]}"
    return f"{name[0]} {name[1]}"
