"""A picture of objects and pointers: boxes with fields, arrows for pointers, dashed boxes for what was deleted."""

from __future__ import annotations

from ...core.trace import HeapView
from ..dot import DELETED
from .layered import Drawing, draw
from .svg import curve, joined, label, number, tag, text

LETTER, LINE, PAD = 7.3, 18.0, 8.0
SMALL = 560.0  # a picture that can be shrunk to a small screen; a larger one is scrolled there
AROUND = 40.0  # room at the right for arrows that go back


def picture(heap: HeapView, before: HeapView | None = None) -> str:
    """SVG; what is not as it was `before` is marked."""
    nodes = _boxes(heap)
    edges = [(a, b, row) for a, b, row in _arrows(heap) if a in nodes and b in nodes]
    drawing = draw({n: _size(lines) for n, lines in nodes.items()}, [(a, b) for a, b, _ in edges], gap=(56, 16))
    old = dict(_boxes(before)) if before is not None else nodes
    goes_back = any(drawing.places[a][0] >= drawing.places[b][0] for a, b, _ in edges)
    width, height = drawing.width + 4 * PAD + (AROUND if goes_back else 0.0), drawing.height + 5 * PAD
    parts = [_arrow(a, b, row, nodes, drawing, i) for i, (a, b, row) in enumerate(edges)]
    parts += [_box(n, lines, drawing.places[n], old.get(n)) for n, lines in nodes.items()]
    body = tag("g", joined(parts), transform=f"translate({number(2 * PAD)} {number(PAD)})")
    size = "picture small" if width <= SMALL else "picture"
    return tag("svg", body, class_=size, viewBox=f"0 0 {number(width)} {number(height)}",
               width=number(width), height=number(height), role="img", aria_label="objects and pointers")  # fmt: skip


def _boxes(heap: HeapView) -> dict[str, list[str]]:
    """Name of each node, and its lines: variables that point, objects, deleted objects that are still named."""
    names = {o.name for o in heap.objects}
    found = {variable: [variable] for variable, _ in heap.pointers}
    found |= {o.name: [o.name, *(f"{f} = {'' if v in names else v}" for f, v in o.fields)] for o in heap.objects}
    targets = [str(v) for o in heap.objects for _, v in o.fields] + [name for _, name in heap.pointers]
    return found | {name: [name] for name in sorted(set(targets)) if name.endswith(DELETED)}


def _arrows(heap: HeapView) -> list[tuple[str, str, int]]:
    """From, to, and from which line of the box."""
    found = [(variable, name, 0) for variable, name in heap.pointers]
    names = {o.name for o in heap.objects}
    for item in heap.objects:
        found += [(item.name, str(v), row) for row, (_, v) in enumerate(item.fields, 1) if _points(v, names)]
    return found


def _points(value: object, names: set[str]) -> bool:
    return isinstance(value, str) and (value.endswith(DELETED) or value in names)


def _size(lines: list[str]) -> tuple[float, float]:
    widest = max(map(len, lines))
    return widest * LETTER + 2 * PAD, len(lines) * LINE + PAD


def _box(name: str, lines: list[str], at: tuple[float, float], old: list[str] | None) -> str:
    """A node; lines that are new, and nodes that are, carry a class."""
    width, height = _size(lines)
    x, y = at[0] - width / 2, at[1] - height / 2
    kind = "gone" if name.endswith(DELETED) else "root" if len(lines) == 1 and lines[0] == name else "object"
    frame = tag("rect", x=number(x), y=number(y), width=number(width), height=number(height),
                rx="10" if kind == "root" else "4")  # fmt: skip
    rows = []
    for i, line in enumerate(lines):
        baseline = y + PAD / 2 + LINE * (i + 0.72)
        changed = old is not None and i > 0 and (i >= len(old) or old[i] != line)
        rows.append(label(line, x + PAD, baseline, class_="name" if i == 0 else "changed" if changed else None))
    return tag("g", frame, *rows, class_=f"{kind} new" if old is None else kind)


def _arrow(
    a: str, b: str, row: int, nodes: dict[str, list[str]], drawing: Drawing[str], index: int
) -> str:  # fmt: skip
    (ax, ay), (bx, by) = drawing.places[a], drawing.places[b]
    (aw, ah), (bw, bh) = _size(nodes[a]), _size(nodes[b])
    start = (ax + aw / 2, ay - ah / 2 + PAD / 2 + LINE * (row + 0.5))
    if ax < bx:
        path = curve([start, *drawing.routes[index][1:-1], (bx - bw / 2 - 5, by)])
    elif a == b:
        (x, y), low = start, ay + ah / 2 - start[1]
        path = f"M{number(x)} {number(y)}c34 0 34 {number(low + 22)} {number(-aw / 2)} {number(low + 5)}"
    else:  # back, or along the layer: around the right side of both
        out = max(start[0], bx + bw / 2) + 34
        end = (bx + bw / 2 + 5, by - bh / 2 + LINE * 0.6)
        path = "M{} {}C{} {} {} {} {} {}".format(*map(number, (*start, out, start[1], out, end[1], *end)))
    gone = " gone" if b.endswith(DELETED) else ""
    return tag("path", tag("title", text(f"{a} → {b}")), d=path, class_=f"pointer{gone}", marker_end="url(#tip)")
