"""Which permutations of a model a search without stored states tries: those that were found, or declared and proved."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations

from ..core.cycles import CycleWord, read_cycles
from ..core.errors import SourceError, UsageError
from ..core.permutation import Permutation, written
from .detection.symmetries import Symmetries
from .groups.group import Group

MOST_ELEMENTS = 720  # of a group that are tried one by one; of larger ones the swaps and the generators


def discovered_permutations(found: Symmetries) -> list[Permutation]:
    """All symmetries but the identity; of a large group the swaps and the generators."""
    if found.order <= MOST_ELEMENTS:
        return [e for e in found.group.elements() if e != found.group.unit]
    swaps = (found.group.with_images(_swapped(found.points, a, b)) for a, b in combinations(range(found.processes), 2))
    return [*(s for s in swaps if s is not None), *found.group.generators]


def _swapped(size: int, a: int, b: int) -> Permutation:
    return tuple(b if i == a else a if i == b else i for i in range(size))


def declared_permutations(found: Symmetries, file: str, permutation: str) -> list[Permutation]:
    """The group that the declared permutations generate; one that is not a symmetry is an error that says why."""
    elements = []
    for pids, where in _wanted(found, permutation):
        element = None if found.population is None else found.group.with_images(pids)
        # SOUND: a declared permutation is never believed.
        if element is None:
            why = [f"{r.location}: {r.why}" for r in found.refused[:3]]
            reason = "; ".join(why) or "it does not map the model to itself"
            raise UsageError(f"{where}: {written(pids)} is not a symmetry of {file}: {reason}")
        elements.append(element)
    group = Group(elements, len(found.movables))
    if group.order > MOST_ELEMENTS:
        return [e for e in elements if e != group.unit]
    return [e for e in group.elements() if e != group.unit]


def _wanted(found: Symmetries, permutation: str) -> Iterator[tuple[Permutation, str]]:
    """The declared permutations of the points, and where each was declared."""
    families = [[i for i, t in enumerate(found.templates) if t == name] for name in dict.fromkeys(found.templates)]
    families = [pids for pids in families if len(pids) > 1]
    if permutation == "swap":
        for pids in families:
            for a, b in combinations(pids, 2):
                yield _swapped(found.points, a, b), "--permutation swap"
    elif permutation == "rotate":
        for pids in families:
            yield _cycle(found.points, pids), "--permutation rotate"
    else:
        yield from _from_file(found.points, found.processes, permutation)


def _from_file(size: int, processes: int, path: str) -> Iterator[tuple[Permutation, str]]:
    """One permutation of pids on each line, in cycles."""
    if not os.path.exists(path):
        raise UsageError(f"--permutation {path}: expected swap, rotate or a file: there is none of this name")
    for line in read_cycles(path):
        result = list(range(size))
        for words in line.cycles:
            result = [_cycle(size, _pids(words, processes))[p] for p in result]
        yield tuple(result), f"{line.location.file}:{line.location.line}"


def _pids(words: tuple[CycleWord, ...], processes: int) -> list[int]:
    """The processes of a cycle."""
    pids: list[int] = []
    for word in words:
        if not word.text.isdecimal() or int(word.text) >= processes:
            hint = f"there are {processes}, numbered from 0, as in (0 1)"
            raise SourceError.at(word.location, f"{word.text!r} is not a process of the model", hint)
        if int(word.text) in pids:
            raise SourceError.at(word.location, f"process {word.text} is named twice in one cycle")
        pids.append(int(word.text))
    return pids


def _cycle(size: int, pids: list[int]) -> Permutation:
    following = dict(zip(pids, [*pids[1:], *pids[:1]], strict=True))
    return tuple(following.get(i, i) for i in range(size))
