"""The pictures of the documentation: `python docs/pictures.py` draws them into docs/assets/ again.

Each function is one picture; the helpers below know boxes, circles, arrows and text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
INK, GREY, DIM, RED, GREEN, BLUE = "#222", "#666", "#999", "#c0392b", "#1e8449", "#2471a3"
PALE = {"red": "#f9e0dd", "green": "#dff3e4", "blue": "#dcebf7", "plain": "#f4f4f4"}


# ------------------------------------------------------------------------------------------------ helpers


def text(x: float, y: float, words: str, size: int = 13, colour: str = INK, anchor: str = "middle") -> str:
    safe = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}">{safe}</text>'


def box(x: float, y: float, width: float, height: float, words: str = "", fill: str = "plain", size: int = 13) -> str:
    shape = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{PALE[fill]}" stroke="{INK}"/>'
    return shape + (text(x + width / 2, y + height / 2 + 4, words, size) if words else "")


def circle(x: float, y: float, words: str = "", fill: str = "plain", r: float = 15, colour: str = INK) -> str:
    shape = f'<circle cx="{x}" cy="{y}" r="{r}" fill="{PALE[fill]}" stroke="{colour}" stroke-width="1.5"/>'
    return shape + (text(x, y + 4, words, 12) if words else "")


def arrow(x1: float, y1: float, x2: float, y2: float, colour: str = INK, dashed: bool = False) -> str:
    style = ' stroke-dasharray="4 3"' if dashed else ""
    head = {INK: "ink", DIM: "dim", RED: "red", GREEN: "green", BLUE: "blue"}[colour]
    return (f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="1.5"{style} '
            f'marker-end="url(#{head})"/>')  # fmt: skip


def curve(path: str, colour: str = INK, dashed: bool = False) -> str:
    style = ' stroke-dasharray="4 3"' if dashed else ""
    head = {INK: "ink", DIM: "dim", RED: "red", GREEN: "green", BLUE: "blue"}[colour]
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{style} marker-end="url(#{head})"/>'


def picture(width: int, height: int, title: str, *parts: str) -> str:
    heads = "".join(
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0,0 L10,5 L0,10 z" fill="{colour}"/></marker>'
        for name, colour in (("ink", INK), ("dim", DIM), ("red", RED), ("green", GREEN), ("blue", BLUE))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="system-ui, sans-serif" role="img"><title>{title}</title><defs>{heads}</defs>'
        f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


# ------------------------------------------------------------------------------------------------ pictures


def state(x: float, y: float, cells: str, fill: str = "plain") -> str:
    """A state vector: one cell for each process."""
    return "".join(box(x + 30 * i, y, 30, 26, c, fill) for i, c in enumerate(cells))


def symmetry() -> str:
    """Six states of three processes, one orbit, one representative."""
    words = ("WTI", "WIT", "TWI", "TIW", "IWT", "ITW")
    left = [state(20, 30 + 36 * i, w, "green" if w == "ITW" else "plain") for i, w in enumerate(words)]
    lines = [arrow(114, 43 + 36 * i, 300, 133, DIM) for i in range(5)] + [arrow(114, 223, 300, 138, GREEN)]
    return picture(
        620, 270, "Six states of three processes become one",
        text(65, 20, "one orbit: 6 states", 12, DIM), *left, *lines,
        state(306, 120, "ITW", "green"), text(351, 170, "the representative", 12),
        text(351, 188, "is stored, once", 12),
        text(205, 250, "fold(state) = (representative, permutation)", 12, BLUE),
        box(450, 105, 150, 56, "", "blue"), text(525, 127, "orbit size 6", 12),
        text(525, 147, "sum over all = states", 12),
        arrow(398, 133, 448, 133),
    )  # fmt: skip


def refine() -> str:
    """Colours are split until nothing changes; then one process is picked."""
    rows = [("all look alike", ("blue", "blue", "blue", "blue")),
            ("... but some point to others", ("blue", "green", "blue", "green")),
            ("pick one; whom it points to follows", ("plain", "red", "blue", "green"))]  # fmt: skip
    parts = []
    for i, (words, fills) in enumerate(rows):
        y = 50 + 75 * i
        parts += [circle(60 + 70 * j, y, str(j), fill, 18) for j, fill in enumerate(fills)]
        parts += [arrow(79, y, 111, y, DIM), arrow(219, y, 251, y, DIM), text(310, y + 4, words, 13, anchor="start")]
        if i:
            parts.append(arrow(165, y - 52, 165, y - 24, INK))
    return picture(620, 230, "Refining colours, then individualising", *parts)


def partial_orders() -> str:
    """A grid of interleavings; one path stands for all."""
    parts, step = [], 70
    for i in range(4):
        for j in range(3):
            x, y = 60 + step * i, 45 + step * j
            on = j == 0 or i == 3
            if i < 3:
                parts.append(arrow(x + 16, y, x + step - 17, y, GREEN if j == 0 else DIM, j != 0))
            if j < 2:
                parts.append(arrow(x, y + 16, x, y + step - 17, GREEN if i == 3 else DIM, i != 3))
            parts.append(circle(x, y, "", "green" if on else "plain", 15, GREEN if on else DIM))
    return picture(
        620, 230, "Independent steps: one order is enough", *parts,
        text(95, 30, "a1", 12), text(165, 30, "a2", 12), text(235, 30, "a3", 12),
        text(40, 85, "b1", 12), text(40, 155, "b2", 12),
        text(340, 60, "a and b do not touch the same things:", 13, anchor="start"),
        text(340, 82, "10 interleavings, 12 states", 13, anchor="start"),
        text(340, 112, "let one process move alone:", 13, GREEN, "start"),
        text(340, 134, "1 interleaving, 6 states,", 13, GREEN, "start"),
        text(340, 156, "and the same last state", 13, GREEN, "start"),
    )  # fmt: skip


def liveness() -> str:
    """A cycle of the quotient closes up to a permutation."""
    quotient = [circle(70, 110, "A"), circle(170, 60, "B"), circle(170, 160, "C"),
                arrow(84, 103, 155, 67), arrow(170, 76, 170, 143), arrow(156, 153, 84, 117, RED),
                text(95, 150, "π = (0 1 2)", 12, RED)]  # fmt: skip
    names = ("A", "B", "C", "πA", "πB", "πC", "π²A", "π²B", "π²C")
    unrolled = [circle(300 + 36 * i, 110, n, "red" if i % 3 == 0 else "plain", 15) for i, n in enumerate(names)]
    lines = [arrow(315 + 36 * i, 110, 321 + 36 * i, 110) for i in range(8)]
    back = curve("M588,126 C588,190 300,190 300,128", RED)
    return picture(
        620, 210, "A cycle through representatives is unwound until the state itself is back",
        text(120, 30, "found: a cycle of representatives", 12, DIM), *quotient,
        text(445, 60, "shown: the run itself, three times round", 12, DIM), *unrolled, *lines, back,
    )  # fmt: skip


def heap() -> str:
    """The same list at different addresses."""

    def memory(x: float, order: tuple[str, str, str, str], title: str) -> list[str]:
        parts = [text(x + 45, 28, title, 12, DIM)]
        parts += [box(x, 40 + 36 * i, 90, 30, w, "green" if w else "plain") for i, w in enumerate(order)]
        return parts + [text(x - 12, 60 + 36 * i, str(i), 11, DIM) for i in range(4)]

    return picture(
        620, 220, "Two heaps that differ in addresses only",
        *memory(40, ("3 → end", "", "1 → at 3", "2 → at 0"), "one run"),
        *memory(190, ("", "2 → at 3", "1 → at 1", "3 → end"), "another run"),
        arrow(295, 110, 350, 110),
        box(360, 95, 60, 30, "1", "green"), arrow(421, 110, 448, 110), box(450, 95, 60, 30, "2", "green"),
        arrow(511, 110, 538, 110), box(540, 95, 60, 30, "3", "green"),
        text(390, 82, "head", 12, BLUE), text(480, 82, "head.next", 12, BLUE),
        text(568, 82, "head.next.next", 11, BLUE),
        text(480, 155, "an object is named by the first chain", 12), text(480, 173, "of pointers that leads to it", 12),
    )  # fmt: skip


def symbolic() -> str:
    """Layers of states as diagrams."""
    rings = [f'<ellipse cx="150" cy="105" rx="{r}" ry="{r * 0.62}" fill="{PALE[fill]}" stroke="{INK}"/>'
             for r, fill in ((135, "plain"), (95, "blue"), (55, "green"))]  # fmt: skip
    diagram = [circle(420, 40, "a", "blue"), circle(370, 100, "b", "blue"), circle(470, 100, "b", "blue"),
               arrow(410, 52, 381, 87, INK, True), arrow(430, 52, 460, 87),
               box(355, 160, 32, 26, "0"), box(455, 160, 32, 26, "1", "green"),
               arrow(370, 116, 370, 158, INK, True), arrow(380, 112, 458, 158),
               arrow(462, 113, 384, 158), arrow(470, 116, 471, 158, INK, True)]  # fmt: skip
    return picture(
        620, 210, "Sets of states as decision diagrams", *rings,
        text(150, 109, "start", 12), text(150, 62, "after 1 step", 11), text(150, 38, "after 2 steps", 11),
        *diagram, text(520, 60, "a set of states", 12, DIM, "start"),
        text(520, 78, "is one diagram:", 12, DIM, "start"),
        text(520, 96, "here a ≠ b", 12, DIM, "start"),
    )  # fmt: skip


def stateless() -> str:
    """A tree of executions: a race is reversed, a symmetric subtree is left out."""
    nodes = {"": (150, 35), "a": (90, 85), "b": (210, 85), "aa": (60, 135), "ab": (120, 135), "aab": (60, 185)}
    lines = [("", "a"), ("a", "aa"), ("a", "ab"), ("aa", "aab")]
    parts = [arrow(nodes[f][0], nodes[f][1] + 14, nodes[t][0], nodes[t][1] - 15) for f, t in lines]
    parts += [arrow(150, 49, 210, 70, DIM, True)]
    parts += [circle(x, y, "", "plain" if name != "b" else "red", 13, DIM if name == "b" else INK)
              for name, (x, y) in nodes.items()]  # fmt: skip
    return picture(
        620, 220, "A tree of executions", *parts,
        text(95, 58, "thread 1", 11), text(215, 58, "thread 2", 11, DIM),
        text(240, 89, "the same as the left side with 1 and 2 exchanged: left out", 12, RED, "start"),
        text(145, 139, "a race with an earlier step is turned round: a new execution", 12, anchor="start"),
        text(85, 189, "one execution, run to its end", 12, anchor="start"),
    )  # fmt: skip


def engines() -> str:
    """How data flows."""
    names = [("Promela", 30), ("pointer automata", 75), ("Python, C programs", 150)]
    parts = [box(10, y, 130, 30, n, "blue", 12) for n, y in names]
    parts += [arrow(142, 45, 178, 62), arrow(142, 90, 178, 72), box(180, 50, 80, 34, "Model", "green"),
              arrow(262, 67, 288, 67), box(290, 50, 90, 34, "symmetry", "green"),
              arrow(382, 60, 408, 40), arrow(382, 67, 408, 67), arrow(382, 74, 408, 98),
              arrow(142, 165, 408, 130, INK),
              box(410, 22, 90, 28, "explicit", "plain", 12), box(410, 54, 90, 28, "symbolic", "plain", 12),
              box(410, 86, 90, 54, "stateless", "plain", 12),
              arrow(502, 67, 528, 80), arrow(502, 113, 528, 100),
              box(530, 70, 80, 40, "replay", "red"), arrow(570, 112, 570, 148),
              box(530, 150, 80, 34, "verdict", "green"),
              text(335, 105, "proved, or not used", 11, DIM)]  # fmt: skip
    return picture(620, 200, "From source to verdict", *parts)


def room(x: float, y: float, name: str, what: str, fill: str = "green", width: float = 124) -> str:
    """A room of the package, with what it does."""
    middle = x + width / 2
    return box(x, y, width, 42, "", fill) + text(middle, y + 18, name) + text(middle, y + 34, what, 11, GREY)


def flow() -> str:
    """From a text or a program to a verdict, room by room."""
    rooms = [room(116, 70, "front", "reads"), room(264, 70, "transform", "same verdict, smaller"),
             room(412, 70, "symmetry", "finds, proves, folds"),
             room(560, 22, "engines/explicit", "generated C"), room(560, 70, "engines/symbolic", "sets of states"),
             room(560, 118, "engines/interp", "slow and obvious"),
             room(264, 190, "hosts/model", "steps a model"),
             room(116, 244, "hosts/python", "greenlets"), room(116, 292, "hosts/c", "fibers"),
             room(116, 340, "hosts/processes", "a simulated system"),
             room(412, 292, "engines/stateless", "searches schedules"),
             room(708, 70, "semantics", "unwind, replay", "red"), room(708, 292, "hosts", "run it again", "red"),
             room(708, 181, "core: Verdict", "one answer", "blue"),
             room(858, 181, "report, explorer", "what people see", "plain", 116)]  # fmt: skip
    sources = [box(12, 76, 80, 30, ".pml .ptr", "blue", 12), box(12, 250, 80, 30, ".py", "blue", 12),
               box(12, 298, 80, 30, ".c .cpp", "blue", 12),
               box(12, 346, 80, 30, "C that forks", "blue", 12)]  # fmt: skip
    arrows = [arrow(94, y, 113, y) for y in (91, 265, 313, 361)]
    arrows += [arrow(242, 91, 261, 91), arrow(390, 91, 409, 91), arrow(686, 91, 705, 91), arrow(834, 202, 855, 202),
               arrow(538, 84, 557, 50), arrow(538, 91, 557, 91), arrow(538, 98, 557, 132),
               arrow(686, 43, 706, 78), arrow(686, 139, 706, 104), arrow(326, 114, 326, 187), arrow(390, 222, 446, 289),
               arrow(242, 270, 409, 304), arrow(242, 313, 409, 313), arrow(242, 355, 409, 322),
               arrow(538, 313, 705, 313), arrow(770, 114, 770, 178), arrow(770, 290, 770, 226)]  # fmt: skip
    return picture(
        986, 420, "The flow: from a text or a program to a verdict", *arrows, *sources, *rooms,
        text(252, 60, "Model", 11, BLUE), text(400, 60, "Model", 11, BLUE), text(698, 40, "paths", 11, BLUE, "start"),
        text(622, 305, "schedules", 11, BLUE), text(474, 130, "proved, or not used", 11, GREY),
        text(782, 150, "what does not replay", 11, RED, "start"),
        text(782, 164, "is an error of ours", 11, RED, "start"),
        text(12, 408, "pipeline is the way from left to right, the only room that knows all others", 12, GREY, "start"),
    )  # fmt: skip


def rooms() -> str:
    """Who may know whom: a room imports only what is below it."""
    layers = [
        ("plain", [("cli", "the command"), ("explorer", "the web page"), ("experiments", "tables of papers")]),
        ("blue", [("pipeline", "from a source to a verdict, one road for every input")]),
        ("plain", [("hosts", "programs that can be stepped"), ("engines", "searches, of models and of schedules")]),
        ("green", [("symmetry", "groups, detection, folding, strategies; engines see its protocol only")]),
        ("green", [("transform", "another model, the same verdict")]),
        ("green", [("analysis", "what is known without running: footprints, ample sets, ranges")]),
        ("green", [("semantics", "the meaning"), ("front", "text to model"), ("ltl", "formulas"),
                   ("report", "to look at")]),
        ("blue", [("core", "models, verdicts, traces, errors: knows nothing of ours")]),
    ]  # fmt: skip
    parts = []
    for i, (fill, entries) in enumerate(layers):
        y, width = 20 + 56 * i, (520 - 10 * (len(entries) - 1)) / len(entries)
        for j, (name, what) in enumerate(entries):
            parts.append(room(60 + (width + 10) * j, y, name, what, fill, width))
    return picture(
        620, 480, "The rooms: each knows only what is below it", *parts,
        arrow(32, 26, 32, 450, DIM), text(32, 470, "imports", 11, GREY),
    )  # fmt: skip


def store_buffers() -> str:
    """Two processors: stores wait in buffers, loads go ahead."""
    parts = []
    for x, name, store, load in ((40, "thread 1", "x = 1", "y is 0"), (370, "thread 2", "y = 1", "x is 0")):
        parts += [box(x, 20, 210, 40, name, "blue"), box(x, 95, 95, 40, store, "red")]
        parts += [text(x + 47, 88, "buffer of stores", 11, GREY), arrow(x + 47, 60, x + 47, 78)]
        parts += [arrow(x + 47, 135, x + 47, 187, DIM, True), text(x + 54, 160, "later", 11, GREY, "start")]
        parts += [arrow(x + 170, 187, x + 170, 62, GREEN), text(x + 163, 120, load, 12, GREEN, "end")]
    return picture(
        620, 250, "Store buffers: both threads read before their stores arrive", *parts,
        box(40, 190, 540, 40, "memory: x = 0, y = 0"),
    )  # fmt: skip


def release_acquire() -> str:
    """A release store hands over what came before it to the acquire load that sees it."""
    return picture(
        620, 215, "Release and acquire: what came before the store happens before what comes after the load",
        text(140, 25, "thread 1", 13, GREY), text(470, 25, "thread 2", 13, GREY),
        box(45, 40, 190, 36, "data = 42"), arrow(140, 76, 140, 128),
        box(45, 130, 190, 36, "ready.store(1, release)", "green"),
        box(375, 90, 190, 36, "ready.load(acquire): 1", "green"), arrow(470, 126, 470, 158),
        box(375, 160, 190, 36, "data is 42"),
        arrow(236, 144, 372, 112, GREEN), text(288, 158, "sees it (rf)", 11, GREEN),
        curve("M236,58 C330,58 330,178 372,178", BLUE, True), text(300, 196, "happens before", 11, BLUE),
    )  # fmt: skip


def execution_graph() -> str:
    """Store buffering as a graph, and the circle that seq_cst forbids."""
    return picture(
        620, 240, "An execution as a graph: both threads read the initial values",
        box(235, 15, 150, 34, "x = 0, y = 0", "plain"),
        box(60, 85, 150, 36, "write x = 1"), box(60, 175, 150, 36, "read y: 0"),
        box(410, 85, 150, 36, "write y = 1"), box(410, 175, 150, 36, "read x: 0"),
        arrow(135, 121, 135, 173), text(128, 152, "po", 11, anchor="end"),
        arrow(485, 121, 485, 173), text(492, 152, "po", 11, anchor="start"),
        curve("M300,50 C300,130 250,180 212,188", GREEN), text(258, 150, "rf", 11, GREEN),
        curve("M320,50 C320,130 370,180 408,188", GREEN), text(362, 150, "rf", 11, GREEN),
        arrow(240, 49, 190, 83, BLUE), text(200, 64, "mo", 11, BLUE),
        arrow(380, 49, 430, 83, BLUE), text(420, 64, "mo", 11, BLUE),
        curve("M212,200 C330,225 330,110 408,104", RED, True), curve("M408,200 C290,225 290,110 212,104", RED, True),
        text(310, 226, "read before the new write is seen", 11, RED),
    )  # fmt: skip


_DRAWN = (
    engines, symmetry, refine, partial_orders, liveness, heap, symbolic, stateless, flow, rooms, store_buffers,
    release_acquire, execution_graph,
)  # fmt: skip
PICTURES: dict[str, Callable[[], str]] = {f.__name__.replace("_", "-"): f for f in _DRAWN}

if __name__ == "__main__":
    ASSETS.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (ASSETS / f"{name}.svg").write_text(draw())
