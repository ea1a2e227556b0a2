"""State graphs as other programs read them: DOT (Graphviz), Aldebaran (CADP, mCRL2), GraphML.

Reference: the DOT language (graphviz.org/doc/info/lang.html); the manual page `aut` of CADP; GraphML
(graphml.graphdrawing.org/specification.html).
Differs: Aldebaran has one initial state, so where there are several a state before them leads to each, by `start`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape

from ..core.graph import GraphNode, ModelGraph
from .dot import quoted

_KEYS = (
    ("start", "node", "boolean"), ("orbit", "node", "long"), ("wrong", "node", "string"), ("values", "node", "string"),
    ("move", "edge", "string"), ("permutation", "edge", "string"), ("incomplete", "graph", "string"),
)  # fmt: skip


def dot_text(graph: ModelGraph) -> str:
    """For Graphviz: starts have a bold frame, what is wrong is red, `×6` is the size of an orbit."""
    lines = [f"digraph {quoted(graph.name)} {{", "  rankdir=LR;", '  node [shape=box, fontname="monospace"];']
    lines += [f"  // not complete: {graph.incomplete}"] if graph.incomplete else []
    for number, node in enumerate(graph.nodes):
        lines.append(f"  {number} [{', '.join(_dot_attributes(number, node))}];")
    lines += [f"  {edge.source} -> {edge.target} [label={quoted(edge.label)}];" for edge in graph.edges]
    return "\n".join([*lines, "}", ""])


def _dot_attributes(number: int, node: GraphNode) -> Iterator[str]:
    orbit = f" ×{node.orbit}" if node.orbit is not None and node.orbit > 1 else ""
    wrong = "".join(f"\n{kind}" for kind in node.wrong)
    yield f"label={quoted(f'{number}{orbit}{wrong}')}"
    yield f"tooltip={quoted(_values(node))}"
    if node.is_start:
        yield "penwidth=2.5"
    if node.wrong:
        yield "color=red, fontcolor=red"


def _values(node: GraphNode) -> str:
    return "\n".join(f"{name} = {value}" for name, value in node.values)


def aut_text(graph: ModelGraph) -> str:
    """For CADP, mCRL2 and their kin: `des (first, transitions, states)`, then a line for each edge."""
    starts, count = graph.starts, len(graph.nodes)
    edges = [(edge.source, edge.label, edge.target) for edge in graph.edges]
    first = starts[0] if len(starts) == 1 else count
    if len(starts) != 1:
        edges += [(count, "start", start) for start in starts]
        count += 1
    lines = [f"des ({first}, {len(edges)}, {count})"]
    lines += [f'({a}, "{_one_line(label)}", {b})' for a, label, b in edges]
    return "\n".join([*lines, ""])


def _one_line(label: str) -> str:
    """Without quotes: readers of this format do not agree how they are escaped."""
    return " ".join(label.replace('"', "'").split())


def graphml_text(graph: ModelGraph) -> str:
    """For NetworkX, yEd, Gephi: values, orbits, what is wrong, moves and permutations as data."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    lines += [f'  <key id="{name}" for="{what}" attr.name="{name}" attr.type="{kind}"/>' for name, what, kind in _KEYS]
    lines.append(f'  <graph id="{_attribute(graph.name)}" edgedefault="directed">')
    lines += [_data("incomplete", graph.incomplete)] if graph.incomplete else []
    for number, node in enumerate(graph.nodes):
        known = [("start", "true" if node.is_start else "false"), ("values", _values(node))]
        known += [("orbit", str(node.orbit))] if node.orbit is not None else []
        known += [("wrong", ", ".join(node.wrong))] if node.wrong else []
        lines.append(f'    <node id="{number}">{"".join(_data(*pair) for pair in known)}</node>')
    for number, edge in enumerate(graph.edges):
        moved = "" if edge.permutation is None else _data("permutation", " ".join(map(str, edge.permutation)))
        lines.append(f'    <edge id="e{number}" source="{edge.source}" target="{edge.target}">'
                     f"{_data('move', edge.label)}{moved}</edge>")  # fmt: skip
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def _data(key: str, value: str) -> str:
    return f'<data key="{key}">{escape(value)}</data>'


def _attribute(value: str) -> str:
    return escape(value, {'"': "&quot;"})


GRAPH_FORMATS: dict[str, Callable[[ModelGraph], str]] = {"dot": dot_text, "aut": aut_text, "graphml": graphml_text}
