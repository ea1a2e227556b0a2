"""An execution where order is weak, as a graph: a column for each thread, and arrows that say who saw what.

Reference: Alglave, Maranget, Tautschnig, Herding Cats, TOPLAS 2014: executions as graphs of events.
Differs: an event stands below all that it has seen or knows of, so that only what is remarkable goes up; program order
is the line in each column.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...core.records import dataclass
from ...core.trace import ExecutionGraph, Trace
from ..terminal import process_lanes
from .svg import joined, label, number, tag, text

LETTER, ROW, HEIGHT, HEAD, SIDE = 7.2, 54.0, 36.0, 44.0, 46.0
GAP = 96.0  # between columns
MOST_EVENTS = 120  # the last ones; nobody follows arrows through more
MEANINGS = (
    ("po", "program order: what a thread does from top to bottom"),
    ("rf", "reads from: the write that a read saw"),
    ("mo", "modification order: the next newer write of the variable"),
    ("hb", "happens before: what was done until there is known here"),
    ("fr", "from a read to a newer write that had been made, and that it did not see"),
    ("race", "nothing orders these two"),
)


WORDS = {"race": "no order"}
FIRST = ("race", "fr", "rf", "hb", "mo")  # which kind gives an arrow its colour, if it is several in one
PLACES = (0.5, 0.36, 0.64, 0.25, 0.75)  # where on an arrow its word may stand
Point = tuple[float, float]
Arrows = dict[tuple[int, int], list[str]]  # kinds, by the two steps


@dataclass(frozen=True)
class _Grid:
    """Where the events are."""

    rows: dict[int, int]  # by step
    columns: dict[int, int]  # by thread
    thread: dict[int, int]  # by step
    wide: float  # a box

    def x(self, step: int) -> float:
        return self.column_x(self.thread[step])

    def column_x(self, pid: int) -> float:
        return SIDE + self.wide / 2 + self.columns[pid] * (self.wide + GAP)

    def y(self, step: int) -> float:
        return HEAD + ROW * self.rows[step] + HEIGHT / 2

    @property
    def size(self) -> tuple[float, float]:
        columns = len(self.columns)
        return 2 * SIDE + columns * self.wide + (columns - 1) * GAP, HEAD + ROW * (max(self.rows.values()) + 1)


def execution(trace: Trace, colours: Mapping[int, int]) -> str:
    """The section with the picture and what its arrows mean; nothing for a trace without one."""
    graph = trace.graph
    if graph is None or not graph.events:
        return ""
    grid = _grid_of(trace, graph)
    arrows = _arrows_of(graph, grid)
    kinds = {"po", *(kind for found in arrows.values() for kind in found)}
    known = [tag("li", tag("b", text(WORDS.get(kind, kind)), class_=f"edge {kind}"), " ", text(words))
             for kind, words in MEANINGS if kind in kinds]  # fmt: skip
    cut = len(graph.events) - len(grid.rows)
    note = tag("p", text(f"The first {cut:,} events are not shown."), class_="note") if cut else ""
    drawn = tag("div", _drawing(trace, graph, grid, arrows, colours), class_="scroll")
    return tag("section", tag("h3", "Who saw what"), note, drawn, tag("ul", joined(known), class_="plain meanings"),
               class_="execution")  # fmt: skip


def _grid_of(trace: Trace, graph: ExecutionGraph) -> _Grid:
    """A column for each thread, as wide as the longest words."""
    shown = graph.events[-MOST_EVENTS:]
    thread = {e.step: trace.steps[e.step].pid for e in shown}
    names = process_lanes(trace)
    texts = [e.text for e in shown] + [e.order for e in shown] + [f"{names[pid]} {pid}" for pid in thread.values()]
    columns = {pid: i for i, pid in enumerate(sorted(set(thread.values())))}
    return _Grid(_rows_of(thread, graph), columns, thread, max(map(len, texts)) * LETTER + 20)


def _rows_of(thread: Mapping[int, int], graph: ExecutionGraph) -> dict[int, int]:
    """By step: one row below whatever comes before it."""
    rows: dict[int, int] = {}
    lowest: dict[int, int] = {}  # by thread
    for step, pid in thread.items():
        seen = [rows[e.source] for e in graph.edges if e.target == step and e.kind in ("rf", "hb") if e.source in rows]
        rows[step] = lowest[pid] = max([lowest.get(pid, -1), *seen]) + 1
    return rows


def _arrows_of(graph: ExecutionGraph, grid: _Grid) -> Arrows:
    """What is several things at once is one arrow.  Inside a thread program order says most of it."""
    found: Arrows = {}
    for kind, a, b in sorted(graph.edges, key=lambda edge: FIRST.index(edge.kind)):
        if a in grid.rows and b in grid.rows and (grid.thread[a] != grid.thread[b] or a > b):
            found.setdefault((a, b), []).append(kind)
    return found


def _drawing(trace: Trace, graph: ExecutionGraph, grid: _Grid, arrows: Arrows, colours: Mapping[int, int]) -> str:
    """Arrows lie behind the boxes, and their words before them."""
    width, height = grid.size
    names = process_lanes(trace)
    parts = []
    for pid in grid.columns:
        steps = [step for step in grid.rows if grid.thread[step] == pid]
        x = grid.column_x(pid)
        parts.append(label(f"{names[pid]} {pid}", x, 22, class_=f"middle name lane{colours.get(pid, 0)}"))
        parts.append(tag("line", x1=number(x), x2=number(x), y1=number(grid.y(steps[0])), y2=number(grid.y(steps[-1])),
                         class_="po"))  # fmt: skip
    drawn = [_arrow(i, pair, grid, arrows) for i, pair in enumerate(arrows)]
    parts += [line for line, _ in drawn]
    parts += [_box(event.step, event.text, event.order, grid, colours) for event in graph.events[-MOST_EVENTS:]]
    parts += [word for _, word in drawn]  # no arrow and no box covers them
    return tag("svg", joined(parts), class_="picture orders", viewBox=f"0 0 {number(width)} {number(height)}",
               width=number(width), height=number(height), role="img", aria_label="the execution graph")  # fmt: skip


def _box(step: int, words: str, order: str, grid: _Grid, colours: Mapping[int, int]) -> str:
    """An event: what it did, and below it the memory order."""
    x, y, half = grid.x(step), grid.y(step), grid.wide / 2
    frame = tag("rect", x=number(x - half), y=number(y - HEIGHT / 2), width=number(2 * half), height=number(HEIGHT),
                rx="5")  # fmt: skip
    lines = [label(words, x, y - 2 if order else y + 4, class_="middle")]
    lines += [label(order, x, y + 12, class_="middle dim")] if order else []
    return tag("g", tag("title", text(f"step {step + 1}")), frame, *lines,
               class_=f"event lane{colours.get(grid.thread[step], 0)}")  # fmt: skip


def _arrow(index: int, pair: tuple[int, int], grid: _Grid, arrows: Arrows) -> tuple[str, str]:
    """The line and its word, which stands where that of the arrow before does not."""
    kinds = arrows[pair]
    points = _points(pair, grid, arrows)
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
    path = f"M{number(ax)} {number(ay)}C{number(bx)} {number(by)} {number(cx)} {number(cy)} {number(dx)} {number(dy)}"
    tip = None if kinds[0] == "race" else "url(#tip)"
    word = ", ".join(WORDS.get(kind, kind) for kind in kinds)
    x, y = _point_at(points, PLACES[index % len(PLACES)])
    shown = tag("g", label(word, x, y + 4, class_="middle word"), class_=f"edge {kinds[0]}")
    return tag("g", tag("path", d=path, marker_end=tip), class_=f"edge {kinds[0]}"), shown


def _points(pair: tuple[int, int], grid: _Grid, arrows: Arrows) -> tuple[Point, Point, Point, Point]:
    """From side to side, or round on the right within a column."""
    a, b = pair
    start, end = grid.y(a) + _port(a, b, grid, arrows), grid.y(b) + _port(b, a, grid, arrows)
    if grid.thread[a] == grid.thread[b]:
        x = grid.x(a) + grid.wide / 2
        out = x + min(18 + 5 * abs(grid.rows[a] - grid.rows[b]), SIDE - 6)
        return (x, start), (out, start), (out, end), (x + 4, end)
    way = 1 if grid.x(b) > grid.x(a) else -1
    left, right = grid.x(a) + way * grid.wide / 2, grid.x(b) - way * (grid.wide / 2 + 4)
    bend = way * GAP / 2
    return (left, start), (left + bend, start), (right - bend, end), (right, end)


def _point_at(points: tuple[Point, Point, Point, Point], t: float) -> Point:
    """On the curve."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return (sum(w * p[0] for w, p in zip(weights, points, strict=True)),
            sum(w * p[1] for w, p in zip(weights, points, strict=True)))  # fmt: skip


def _port(step: int, other: int, grid: _Grid, arrows: Arrows) -> float:
    """Arrows at a box leave and arrive at heights of their own, in the order of where they come from."""
    others = sorted({b if a == step else a for a, b in arrows if step in (a, b)}, key=lambda s: (grid.rows[s], s))
    return 0.0 if len(others) < 2 else (others.index(other) / (len(others) - 1) - 0.5) * (HEIGHT - 12)
