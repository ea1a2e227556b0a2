"""A deadlock: who waits for whom, drawn as the cycle that it is, and told in a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...core.trace import Wait
from ..terminal import broken
from .svg import joined, label, number, tag, text

LETTER, LINE, HEIGHT, ROW, PAD = 7.3, 13.0, 30.0, 78.0, 26.0
LONGEST = 22  # letters of a line on an arrow
Point = tuple[float, float]


def cycle_of(waits: Sequence[Wait]) -> list[tuple[Wait, str]]:
    """Processes each of which waits for the next, the last one for the first, and for what; a shortest cycle."""
    known = {w.pid: w for w in waits}
    best: list[tuple[Wait, str]] = []
    for first in waits:
        way = _way_back(first, known)
        if way and (not best or len(way) < len(best)):
            best = way
    return best


def _way_back(first: Wait, known: Mapping[int, Wait]) -> list[tuple[Wait, str]]:
    """Breadth first, from a process back to itself."""
    ways: list[list[tuple[Wait, str]]] = [[]]
    heads, seen = [first], set[int]()
    while heads:
        head, way = heads.pop(0), ways.pop(0)
        for pid, what in head.whom:
            if pid == first.pid:
                return [*way, (head, what)]
            if pid in known and pid not in seen:
                seen.add(pid)
                heads.append(known[pid])
                ways.append([*way, (head, what)])
    return []


def waiting(waits: Sequence[Wait], colours: Mapping[int, int]) -> str:
    """The cycle as a picture, if there is one, and all who wait in words."""
    if not waits:
        return ""
    cycle = cycle_of(waits)
    drawn = tag("div", _drawing(cycle, colours), class_="scroll") if cycle else ""
    rows = [_row(w, colours) for w in waits]
    told = tag("div", drawn, tag("ul", joined(rows), class_="plain"), class_="beside")
    return tag("section", tag("h3", "Who waits for whom"), told, class_="stuck")


def _row(wait: Wait, colours: Mapping[int, int]) -> str:
    who = tag("b", text(_name(wait)), class_=f"who lane{colours.get(wait.pid, 0)}")
    return tag("li", who, " ", text(wait.words))


def _name(wait: Wait) -> str:
    return wait.process if wait.process.endswith(f" {wait.pid}") else f"{wait.process} {wait.pid}"


def _drawing(cycle: list[tuple[Wait, str]], colours: Mapping[int, int]) -> str:
    """Down on the left side and up on the right one."""
    count, rows = len(cycle), (len(cycle) + 1) // 2
    wide = max(len(_name(w)) for w, _ in cycle) * LETTER + 18
    gap = max(max(len(line) for _, what in cycle for line in broken(what, LONGEST)) * LETTER + 24, 60.0)
    right = PAD + wide * 1.5 + gap
    top = PAD + HEIGHT / 2
    spots = [(PAD + wide / 2, top + ROW * i) for i in range(rows)]
    spots += [(right, top + ROW * (count - 1 - i + count % 2 / 2)) for i in range(rows, count)]
    width = PAD + wide + gap if count == 1 else right + wide / 2 + PAD
    height = 2 * top + ROW * (rows - 1)
    parts = [_link(spots, i, what, wide) for i, (_, what) in enumerate(cycle)]
    parts += [_box(w, spot, wide, colours) for (w, _), spot in zip(cycle, spots, strict=True)]
    names = " waits for ".join(_name(w) for w, _ in [*cycle, cycle[0]])
    return tag("svg", joined(parts), class_="chart ring", width=number(width), height=number(height), role="img",
               viewBox=f"0 0 {number(width)} {number(height)}", aria_label=names)  # fmt: skip


def _box(wait: Wait, at: Point, wide: float, colours: Mapping[int, int]) -> str:
    frame = tag("rect", x=number(at[0] - wide / 2), y=number(at[1] - HEIGHT / 2), width=number(wide),
                height=number(HEIGHT), rx="6")  # fmt: skip
    return tag("g", frame, label(_name(wait), at[0], at[1] + 4), class_=f"head lane{colours.get(wait.pid, 0)}")


def _link(spots: list[Point], i: int, what: str, wide: float) -> str:
    """An arrow to the next one, with what it waits for beside it."""
    a, b = spots[i], spots[(i + 1) % len(spots)]
    lines = broken(what, LONGEST)
    if len(spots) == 1:
        path, at, anchor = _round(a, wide)
    elif a[0] == b[0]:
        path, at, anchor = _upright(a, b, lines)
    else:
        path, at, anchor = _level(a, b, wide, len(spots) == 2, lines)
    words = [label(line, at[0], at[1] + LINE * n, class_=anchor) for n, line in enumerate(lines)]
    return tag("g", tag("path", d=path, marker_end="url(#tip)"), joined(words), class_="message")


Link = tuple[str, Point, str]  # the path, where its words begin, and how they stand there


def _round(a: Point, wide: float) -> Link:
    x, y = a[0] + wide / 2, a[1]
    return f"M{number(x)} {number(y - 7)}c40 -14 40 28 3 14", (x + 36, y + 4), "start"


def _upright(a: Point, b: Point, lines: list[str]) -> Link:
    """Down on the left, up on the right; the words stand inside."""
    way = 1 if b[1] > a[1] else -1
    path = f"M{number(a[0])} {number(a[1] + way * HEIGHT / 2)}V{number(b[1] - way * (HEIGHT / 2 + 3))}"
    middle = (a[1] + b[1]) / 2 + 4 - LINE * (len(lines) - 1) / 2
    return path, (a[0] + way * 8, middle), "start" if way > 0 else "end"


def _level(a: Point, b: Point, wide: float, is_pair: bool, lines: list[str]) -> Link:
    """From side to side; the one back to the left is the upper one, and has its words above it."""
    way = 1 if b[0] > a[0] else -1
    shift = way * 8 if is_pair else 0
    out, into = a[0] + way * wide / 2, b[0] - way * (wide / 2 + 3)
    y = (a[1] if way > 0 else b[1]) + shift
    if a[1] == b[1]:
        path = f"M{number(out)} {number(y)}H{number(into)}"
    elif way > 0:  # the one on the right stands higher: along, and up to it
        path = f"M{number(out)} {number(y)}H{number(b[0])}V{number(b[1] + HEIGHT / 2 + 3)}"
    else:
        path = f"M{number(a[0])} {number(a[1] - HEIGHT / 2)}V{number(y)}H{number(into)}"
    return path, ((a[0] + b[0]) / 2, y + 16 if way > 0 else y - 7 - LINE * (len(lines) - 1)), "middle"
