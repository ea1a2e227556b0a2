"""Which permutations of threads are worth a comparison, if one thread is to take the place of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .control.indices import Family, Index
from .control.kernel import Kernel
from .control.records import Fiber

__all__ = ["candidates", "children_of"]


def candidates(kernel: Kernel, first: int, second: int) -> Iterator[dict[int, int]]:
    """Permutations of threads that may take the first to the second: their exchange, with all that they have started,
    or that of those who started them; that of two rows of threads with the same numbers, a rotation of all that run the
    same."""
    yield _withchildren_of(kernel, {first: second, second: first})
    mothers = _mothers(kernel, first, second)
    if mothers.get(first) == second:
        yield mothers
    rows = _exchanged_rows(kernel, first, second)
    if len(rows) > 2:
        yield rows
    alike = [t for t, f in kernel.fibers.items() if t and _kind(f) == _kind(kernel.fibers[first])]
    if len(alike) > 2 and first in alike and second in alike:
        by = alike.index(second) - alike.index(first)
        yield {t: alike[(place + by) % len(alike)] for place, t in enumerate(alike)}


def children_of(kernel: Kernel, thread: int) -> list[int]:
    """The threads that a thread has started, in that order."""
    return [t for t, fiber in kernel.fibers.items() if t and fiber.parent == thread]


def _withchildren_of(kernel: Kernel, moved: dict[int, int]) -> dict[int, int]:
    """The same, and what threads have started goes where they go."""
    found, todo = dict(moved), list(moved.items())
    while todo:
        one, other = todo.pop()
        pairs = list(zip(children_of(kernel, one), children_of(kernel, other), strict=False))
        todo += pairs
        found.update(pairs)
    return found


def _mothers(kernel: Kernel, first: int, second: int) -> dict[int, int]:
    """The exchange of the threads that started these, or that started those; empty if it was the same one."""
    fibers = kernel.fibers
    if fibers[first].parent == fibers[second].parent:
        return {}
    while first and second and fibers[first].parent != fibers[second].parent:
        first, second = fibers[first].parent, fibers[second].parent
    if not first or not second or _kind(fibers[first]) != _kind(fibers[second]):
        return {}
    return _withchildren_of(kernel, {first: second, second: first})


def _exchanged_rows(kernel: Kernel, first: int, second: int) -> dict[int, int]:
    """Threads that were given the number of the first go to those with the number of the second, and back."""
    starts = {t: _numbers(f) for t, f in kernel.fibers.items() if t}
    numbers = dict(zip(starts.get(first, ()), starts.get(second, ()), strict=False))
    numbers |= {other: one for one, other in numbers.items()}
    moved: dict[int, int] = {}
    for one, given in starts.items():
        image = tuple(numbers.get(n, n) for n in given)
        others = [t for t, g in starts.items() if g == image and _kind(kernel.fibers[t]) == _kind(kernel.fibers[one])]
        if image != given and len(others) == 1:
            moved[one] = others[0]
    return moved if set(moved) == set(moved.values()) else {}


def _numbers(fiber: Fiber) -> tuple[tuple[Family, int], ...]:
    return tuple((a.family, a.base) for a in getattr(fiber.handle, "_args", ()) if type(a) is Index)


def _kind(fiber: Fiber) -> tuple[Any, ...]:
    """What a thread runs, and who started it."""
    target = getattr(fiber.handle, "_target", None)
    return type(fiber.handle), getattr(getattr(target, "__func__", target), "__code__", None), fiber.parent
