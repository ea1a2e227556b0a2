"""Draws graphs in layers: where the nodes go, and along which points the edges run.

Reference: Sugiyama, Tagawa, Toda, Methods for Visual Understanding of Hierarchical System Structures, 1981.
Differs: small graphs only, so the plainest choice at each step: layers by longest paths (or given), order by a few
sweeps of barycentres, places by moving towards the neighbours without changing the order.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Generic, TypeVar

from ...core.records import dataclass

Node = TypeVar("Node", bound=Hashable)
SWEEPS = 8
BEND = 14.0  # how much room an edge needs that passes a layer


@dataclass(frozen=True)
class Drawing(Generic[Node]):
    """Centres of nodes, and for each edge its points from centre to centre."""

    places: dict[Node, tuple[float, float]]
    routes: list[list[tuple[float, float]]]
    width: float
    height: float


@dataclass
class _GridCell:
    """A node, or the place where a long edge passes a layer."""

    layer: int
    across: float  # how much room it needs in its layer
    at: float = 0.0
    before: list[_GridCell] = field(default_factory=list)
    after: list[_GridCell] = field(default_factory=list)


def draw(
    sizes: dict[Node, tuple[float, float]], edges: Sequence[tuple[Node, Node]],
    layers: dict[Node, int] | None = None, gap: tuple[float, float] = (60, 18),
) -> Drawing[Node]:  # fmt: skip
    """Layers from left to right; `gap` is the room between layers, and between nodes of one layer."""
    layer = layers if layers is not None else _longest_paths(list(sizes), edges)
    cells = {node: _GridCell(layer[node], sizes[node][1] + gap[1]) for node in sizes}
    rows: list[list[_GridCell]] = [[] for _ in range(max(layer.values(), default=0) + 1)]
    for node in sizes:
        rows[layer[node]].append(cells[node])
    passing = [_bends(cells[a], cells[b], rows) for a, b in edges]
    _arrange(rows)
    _settle(rows)
    starts = _columns(sizes, layer, len(rows), gap[0])
    low = min((c.at - c.across / 2 for row in rows for c in row), default=0.0)
    high = max((c.at + c.across / 2 for row in rows for c in row), default=0.0)

    def point(cell: _GridCell) -> tuple[float, float]:
        return sum(starts[cell.layer]) / 2, cell.at - low

    places = {node: point(cell) for node, cell in cells.items()}
    routes = [[places[a], *map(point, between), places[b]] for (a, b), between in zip(edges, passing, strict=True)]
    return Drawing(places, routes, starts[-1][1] if starts else 0.0, high - low)


def _longest_paths(nodes: list[Node], edges: Sequence[tuple[Node, Node]]) -> dict[Node, int]:
    """A layer for each node, behind all from which an edge comes; edges that close a cycle do not count."""
    after: dict[Node, list[Node]] = {n: [] for n in nodes}
    entered = {b for a, b in edges if a != b}
    for a, b in edges:
        after[a].append(b)
    order: list[Node] = []
    state: dict[Node, int] = {}  # 1: on the way, 2: done
    for root in sorted(nodes, key=lambda n: n in entered):
        _visit(root, after, state, order)
    rank = {node: i for i, node in enumerate(reversed(order))}
    layer = dict.fromkeys(nodes, 0)
    for node in reversed(order):
        for b in after[node]:
            if rank[b] > rank[node]:
                layer[b] = max(layer[b], layer[node] + 1)
    return layer


def _visit(root: Node, after: dict[Node, list[Node]], state: dict[Node, int], order: list[Node]) -> None:
    """Depth first, without recursion: long lists are deep."""
    if root in state:
        return
    state[root] = 1
    stack = [(root, iter(after[root]))]
    while stack:
        node, rest = stack[-1]
        following = next((b for b in rest if b not in state), None)
        if following is None:
            state[node] = 2
            order.append(node)
            stack.pop()
        else:
            state[following] = 1
            stack.append((following, iter(after[following])))


def _bends(a: _GridCell, b: _GridCell, rows: list[list[_GridCell]]) -> list[_GridCell]:
    """The places between two cells where their edge passes layers; edges that go back or along a layer have none."""
    if b.layer <= a.layer:
        return []
    passed = [_GridCell(n, BEND) for n in range(a.layer + 1, b.layer)]
    for cell in passed:
        rows[cell.layer].append(cell)
    chain = [a, *passed, b]
    for here, there in pairwise(chain):
        here.after.append(there)
        there.before.append(here)
    return passed


def _arrange(rows: list[list[_GridCell]]) -> None:
    """Order each layer by the middle of the neighbours, forth and back."""
    for row in rows:
        _pack(row)
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=lambda c: _middle(c.before if sweep % 2 == 0 else c.after, c.at))
            _pack(row)


def _middle(cells: list[_GridCell], otherwise: float) -> float:
    return sum(c.at for c in cells) / len(cells) if cells else otherwise


def _pack(row: list[_GridCell]) -> None:
    """One after the other, around 0."""
    at = -sum(c.across for c in row) / 2
    for cell in row:
        cell.at = at + cell.across / 2
        at += cell.across


def _settle(rows: list[list[_GridCell]]) -> None:
    """Move every cell towards its neighbours, in the order that the layer has."""
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [_middle(c.before + c.after, c.at) for c in row]
            _spread(row, wanted)


def _spread(row: list[_GridCell], wanted: list[float]) -> None:
    """The places nearest to those wanted, from both ends; the middle of the two keeps all apart."""
    low: list[float] = []
    for cell, want in zip(row, wanted, strict=True):
        least = low[-1] + (row[len(low) - 1].across + cell.across) / 2 if low else want
        low.append(max(want, least))
    high: list[float] = []
    for i in range(len(row) - 1, -1, -1):
        most = high[-1] - (row[i + 1].across + row[i].across) / 2 if high else wanted[i]
        high.append(min(wanted[i], most))
    for cell, a, b in zip(row, low, reversed(high), strict=True):
        cell.at = (a + b) / 2


def _columns(
    sizes: dict[Node, tuple[float, float]], layer: dict[Node, int], count: int, gap: float
) -> list[tuple[float, float]]:
    """From where to where each layer goes."""
    widths = [0.0] * count
    for node, (width, _) in sizes.items():
        widths[layer[node]] = max(widths[layer[node]], width)
    found, at = [], 0.0
    for width in widths:
        found.append((at, at + width))
        at += width + gap
    return found
