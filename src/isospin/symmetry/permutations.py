"""Which permutations of a model a search without stored states tries: those that were found, or declared and proved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from ..core.errors import UsageError
from ..core.permutation import Permutation, written
from .detection.detect import Symmetries
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
    """The group that the declared permutations generate; one that is no symmetry is an error that says why."""
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
    """One permutation of pids on each line, in cycles: `(0 1 2)(3 4)`; `#` starts a comment."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError as error:
        raise UsageError(f"--permutation {path}: expected swap, rotate or a file: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        text, where = line.split("#")[0].strip(), f"{path}:{number}"
        if not text:
            continue
        if not re.fullmatch(r"(\(\s*\d+(\s+\d+)*\s*\)\s*)+", text):
            raise UsageError(f"{where}: expected cycles of process numbers such as (0 1 2)(3 4), got {text!r}")
        result = list(range(size))
        for part in re.findall(r"\(([^)]*)\)", text):
            pids = [int(word) for word in part.split()]
            if any(p >= processes for p in pids) or len(set(pids)) != len(pids):
                raise UsageError(f"{where}: ({part}) must name each process at most once, and there are {processes}")
            result = [_cycle(size, pids)[p] for p in result]
        yield tuple(result), where


def _cycle(size: int, pids: list[int]) -> Permutation:
    following = dict(zip(pids, [*pids[1:], *pids[:1]], strict=True))
    return tuple(following.get(i, i) for i in range(size))
