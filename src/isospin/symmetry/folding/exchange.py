"""The symmetries that exchange two processes, as plain data (`protocol.Exchange`).

Reference: Wang et al., section 6.2.3: a group with a generating set of binary permutations.
Differs: the pairs are those that detection proved, so a process that the program names simply stays where it is.
"""

from __future__ import annotations

from itertools import combinations

from ..detection.symmetries import Symmetries
from ..protocol import Exchange
from .action import Actions, Moves, Rename


def exchanges(symmetries: Symmetries) -> tuple[Exchange, ...]:
    """For each pair of processes the symmetry that swaps just these two, where there is one."""
    if symmetries.order == 1:
        return ()
    actions = Actions(symmetries)
    processes = [p for p in symmetries.moved if p < symmetries.processes]
    found = []
    for a, b in combinations(processes, 2):
        images = list(range(symmetries.points))
        images[a], images[b] = b, a
        element = symmetries.group.with_images(tuple(images))
        if element is not None:
            found.append(_exchange((a, b), actions.moves(element)))
    return tuple(found)


def _exchange(pair: tuple[int, int], moves: Moves) -> Exchange:
    return Exchange(
        moves.points,
        tuple((target, _plain(rename)) for target, rename in moves.globals),
        tuple(tuple((target, _plain(rename)) for target, rename in frame) for frame in moves.frames),
        tuple(dict(places) for places in moves.locations),
        tuple((target, tuple(map(_plain, fields))) for target, fields in moves.channels),
        pair,
    )


def _plain(rename: Rename | None) -> dict[int, int]:
    return dict(rename or {})
