"""The automaton of a claim: states, and when it goes from one to another.  The page marks where it is."""

from __future__ import annotations

from ...core.trace import AutomatonView
from ..terminal import broken
from .layered import Drawing, draw
from .svg import curve, joined, label, number, tag, text

RADIUS, LETTER, LINE, LONGEST = 17.0, 6.8, 12.0, 24
Edges = dict[tuple[int, int], list[str]]


def automaton(view: AutomatonView | None) -> str:
    """The section beside the steps; nothing if there is no automaton."""
    if view is None:
        return ""
    edges: Edges = {}
    for a, b, when in view.edges:
        edges.setdefault((a, b), []).append(when)
    words = "It accepts the runs that violate the claim: those that come back to a double circle for ever."
    table = [_row(view, state, edges) for state in range(len(view.names))]
    return tag("section", tag("h3", "The claim as an automaton"), tag("p", text(words), class_="note"),
               tag("div", _drawing(view, edges), class_="scroll"), tag("ul", joined(table), class_="plain moves"),
               class_="automaton")  # fmt: skip


def _row(view: AutomatonView, state: int, edges: Edges) -> str:
    """All that can happen in a state, in words that are never cut."""
    leaving = [f"→ {view.names[b]} if {' or '.join(when)}" for (a, b), when in edges.items() if a == state]
    return tag("li", tag("b", text(view.names[state])), " ", tag("code", text("; ".join(leaving) or "ends here")),
               data_state=state)  # fmt: skip


def _drawing(view: AutomatonView, edges: Edges) -> str:
    """States in layers, with room for the words of the edges."""
    between = [pair for pair in edges if pair[0] != pair[1]]
    words = [_lines(when) for when in edges.values()]
    widest = max((len(line) for lines in words for line in lines), default=0) * LETTER
    above = max(map(len, words), default=0) * LINE + 30  # room for the words of a loop
    sizes = {q: (max(2 * RADIUS, len(name) * LETTER + 16), 2 * RADIUS) for q, name in enumerate(view.names)}
    drawing = draw(sizes, between, gap=(widest + 28, above))
    goes_back = any(drawing.places[a][0] >= drawing.places[b][0] for a, b in between)
    aside = max(widest / 2 - RADIUS, 26.0)
    width, height = drawing.width + 2 * aside, drawing.height + above / 2 + (60 if goes_back else 0)
    parts = [_edge(pair, edges[pair], drawing, sizes, between) for pair in edges]
    parts += [_state(view, q, drawing.places[q], sizes[q][0] / 2) for q in range(len(view.names))]
    x, y = drawing.places[0]
    path = f"M{number(x - sizes[0][0] / 2 - 26)} {number(y)}h20"
    start = tag("path", d=path, class_="pointer", marker_end="url(#tip)")
    body = tag("g", start, joined(parts), transform=f"translate({number(aside)} {number(above / 2)})")
    return tag("svg", body, class_="picture graph", viewBox=f"0 0 {number(width)} {number(height)}",
               width=number(width), height=number(height), role="img", aria_label="the automaton")  # fmt: skip


def _lines(when: list[str]) -> list[str]:
    return broken(" or ".join(when), LONGEST)


def _state(view: AutomatonView, state: int, at: tuple[float, float], half: float) -> str:
    """A circle, or two for a state that accepts; long names make it longer."""
    def ring(less: float) -> str:
        return tag("rect", x=number(at[0] - half + less), y=number(at[1] - RADIUS + less), rx=number(RADIUS - less),
                   width=number(2 * (half - less)), height=number(2 * (RADIUS - less)))  # fmt: skip

    rings = ring(0) + (ring(4) if state in view.accepting else "")
    return tag(
        "g", rings, label(view.names[state], at[0], at[1] + 4, class_="middle"), data_state=state, class_="state"
    )


def _edge(
    pair: tuple[int, int], when: list[str], drawing: Drawing[int], sizes: dict[int, tuple[float, float]],
    between: list[tuple[int, int]],
) -> str:  # fmt: skip
    """Straight on, round to itself, or back below the others; the words stand at its middle."""
    a, b = pair
    (ax, ay), (bx, by) = drawing.places[a], drawing.places[b]
    goes_back = a != b and ax >= bx
    if a == b:
        path, at = f"M{number(ax - 9)} {number(ay - RADIUS)}c-12 -30 30 -30 19 -3", (ax, ay - RADIUS - 26)
    elif ax < bx:
        route = drawing.routes[between.index(pair)]
        path = curve([(ax + sizes[a][0] / 2, ay), *route[1:-1], (bx - sizes[b][0] / 2 - 5, by)])
        at = ((route[-2][0] + route[-1][0]) / 2, (route[-2][1] + route[-1][1]) / 2 - 6)
    else:
        low = max(ay, by) + 46
        path = f"M{number(ax)} {number(ay + RADIUS)}C{number(ax)} {number(low)} {number(bx)} {number(low)} " \
               f"{number(bx)} {number(by + RADIUS + 5)}"  # fmt: skip
        at = ((ax + bx) / 2, low - 2)
    lines = _lines(when)
    top = at[1] if goes_back else at[1] - LINE * (len(lines) - 1)
    words = [label(line, at[0], top + LINE * i, class_="middle when") for i, line in enumerate(lines)]
    return tag("g", tag("path", d=path, class_="pointer", marker_end="url(#tip)"), *words)
