"""What the page is told about a place in the state graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..core.errors import Location
from ..core.trace import Snapshot, TraceStep
from ..report.html.layered import draw
from ..report.html.picture import picture
from ..report.html.svg import curve
from ..report.html.words import symmetry_words
from ..semantics.interp import Move
from .graph import MOST_MOVES, ExplorerGraph, Neighbourhood, Path, There

NODE, GAP = (64.0, 30.0), (118.0, 16.0)
MOST_HISTORY = 300  # moves that are told; of longer paths the last ones
MOST_DIFFERENCES = 8


class Viewer:
    """Turns what the graph says into plain data."""

    def __init__(self, graph: ExplorerGraph) -> None:
        self.graph = graph
        places = [a.location.file for t in graph.user.templates for a in t.actions if a.location.line]
        self.files = list(dict.fromkeys([graph.user.file, *places]))

    def about(self) -> dict[str, Any]:
        """What does not change."""
        graph, report = self.graph, self.graph.reduction.report
        return {
            "file": graph.user.file,
            "files": self.files,
            "symmetry": symmetry_words(report) if graph.reduction.folds else "No symmetry: every node is one state.",
            "why": report.justification,
            "broken": [f"{r.location}: {r.why}" for r in report.refused],
            "starts": len(graph.starts),
        }

    def state(self, path: Path) -> dict[str, Any]:
        """Everything about the place where a path ends."""
        graph = self.graph
        here = graph.there(path)
        shown = graph.snapshot(here)
        before = graph.snapshot(graph.there(path[:-1])) if len(path) > 1 else None
        return {
            "path": path,
            "node": graph.number(here),
            "orbit": graph.orbit_size(here.at.state),
            "wrong": graph.wrong(here),
            "values": _values(shown, before),
            "standing": [self.standing(s) for s in shown.processes],
            "picture": None if shown.picture is None else picture(shown.picture, before.picture if before else None),
            "actions": [] if here.ended else [self.action(here, i) for i in range(len(graph.moves(here.at.state)))],
            "cut": not here.ended and len(graph.moves(here.at.state)) >= MOST_MOVES,
            "history": self.history(path),
            "graph": _drawing(graph.neighbourhood(path), graph, graph.number(here)),
        }

    def standing(self, one: Any) -> dict[str, Any]:
        location, statement = one.next[0] if one.next else (None, "")
        return {
            "pid": one.pid,
            "name": f"{one.process} {one.pid}",
            "line": self.line(location),
            "statement": statement,
            "done": one.done or not one.next,
        }

    def action(self, here: There, number: int) -> dict[str, Any]:
        move = self.graph.moves(here.at.state)[number]
        there = self.graph.after(here, number)
        return {
            "index": number,
            "steps": self.steps(here, move),
            "node": self.graph.number(there),
            "wrong": [f"{f.kind}: {f.message}" for f in there.faults],
        }

    def steps(self, here: There, move: Move) -> list[dict[str, Any]]:
        """What a move does; the last statement says how many before it are left out."""
        told = [self.step(s) for s in self.graph.steps(here, move)]
        told[-1]["skipped"] = len(move.steps) - len(told)
        return told

    def step(self, step: TraceStep) -> dict[str, Any]:
        return {
            "pid": step.pid,
            "who": f"{step.process} {step.pid}",
            "partner": None if step.partner is None else f"{step.partner_process} {step.partner}",
            "statement": step.statement,
            "partnerStatement": step.partner_statement,
            "line": self.line(step.location),
            "column": step.location.column,
            "changes": [[name, old, new] for name, (old, new) in step.changes],
            "output": step.output,
        }

    def line(self, location: Location | None) -> list[int] | None:
        if location is None or not location.line or location.file not in self.files:
            return None
        return [self.files.index(location.file), location.line]

    def history(self, path: Path) -> dict[str, Any]:
        first, way = max(1, len(path) - MOST_HISTORY), self.graph.along(path)
        moves = []
        for n in range(first, len(path)):
            here = way[n - 1]
            move = self.graph.moves(here.at.state)[path[n]]
            moves.append(self.steps(here, move))
        return {"first": first - 1, "moves": moves}

    def orbit(self, path: Path) -> dict[str, Any]:
        """The members of the orbit of a state, and how they differ from it."""
        graph = self.graph
        here = graph.there(path)
        base = _visible(graph.snapshot(here))
        members = []
        for member in graph.members(here.at.state):
            now = _visible(graph.snapshot(There(here.at._replace(state=member.state))))
            differs = [[name, base.get(name), value] for name, value in now.items() if base.get(name) != value]
            members.append({
                "permutation": member.written,
                "differs": differs[:MOST_DIFFERENCES],
                "more": max(len(differs) - MOST_DIFFERENCES, 0),
                "path": graph.permuted(path, member.permutation) if graph.is_folded(here.at.state) else path,
            })  # fmt: skip
        return {"node": graph.number(here), "size": graph.orbit_size(here.at.state), "members": members}


def _visible(snapshot: Snapshot) -> dict[str, Any]:
    """The variables, and where the processes are."""
    places = {f"{s.process} {s.pid}": f"line {s.next[0][0].line}" for s in snapshot.processes if s.next}
    return dict(snapshot.values) | places


def _values(snapshot: Snapshot, before: Snapshot | None) -> list[list[Any]]:
    """Name, value, and the value before if it was another one."""
    old = dict(snapshot.values if before is None else before.values)
    return [[n, v] if n in old and old[n] == v else [n, v, old.get(n)] for n, v in snapshot.values]


def _drawing(found: Neighbourhood, graph: ExplorerGraph, here: int) -> dict[str, Any]:
    """Where everything goes."""
    layers = {number: node.layer for number, node in found.nodes.items()}
    edges = list(found.edges)
    drawn = draw(dict.fromkeys(layers, NODE), edges, layers, GAP)
    nodes = [
        {
            "id": number, "x": drawn.places[number][0], "y": drawn.places[number][1], "path": node.path,
            "orbit": graph.orbit_size(node.there.at.state), "wrong": node.wrong, "end": node.is_end,
            "open": node.is_open, "here": number == here, "past": node.layer < layers[here],
        }
        for number, node in found.nodes.items()
    ]  # fmt: skip
    past = [number for number, node in found.nodes.items() if node.layer <= layers[here]]
    lines = [_line(found, edge, route, edge in pairwise(past)) for edge, route in zip(edges, drawn.routes, strict=True)]
    return {"width": drawn.width, "height": drawn.height, "node": NODE, "nodes": nodes, "edges": lines}


def _line(
    found: Neighbourhood, edge: tuple[int, int], route: list[tuple[float, float]], is_way: bool
) -> dict[str, Any]:
    """An edge as a curve: straight on, round to itself, along a column, or back below the others."""
    steps = found.edges[edge]
    (ax, ay), (bx, by) = route[0], route[-1]
    half, up = NODE[0] / 2, NODE[1] / 2
    if ax < bx:
        path = curve([(ax + half, ay), *route[1:-1], (bx - half - 6, by)])
    elif edge[0] == edge[1]:
        path = f"M{ax - 14} {ay + up}c-8 26 36 26 28 6"
    elif ax == bx:
        side = half + 26
        path = f"M{ax + half} {ay}C{ax + side} {ay} {bx + side} {by} {bx + half + 6} {by}"
    else:
        low = max(ay, by) + 34
        path = f"M{ax} {ay + up}C{ax} {low} {bx} {low} {bx} {by + up + 6}"
    first = steps[0]
    return {
        "from": edge[0], "to": edge[1], "d": path, "lane": first.pid % 8, "bad": edge in found.bad, "way": is_way,
        "label": _label(steps), "tips": [f"{s.process} {s.pid}: {s.statement}" for s in steps],
        "at": _middle(route) if ax < bx else None,
    }  # fmt: skip


def _label(steps: Sequence[TraceStep]) -> str:
    if len(steps) > 1:
        return f"{len(steps)} moves"
    return f"{steps[0].pid}: {steps[0].statement}"


def _middle(route: list[tuple[float, float]]) -> tuple[float, float]:
    (ax, ay), (bx, by) = route[-2:]
    return (ax + bx) / 2, (ay + by) / 2
