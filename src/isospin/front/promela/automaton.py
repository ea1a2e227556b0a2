"""A finished flow graph -> the locations and actions of a template: jumps are bypassed, choices get their first steps.

Reference and differences: see flow.py, which builds the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...core.errors import SourceError
from ...core.model import Action, Call, Deterministic, Return
from ...core.records import dataclass
from .flow import SPECIAL_LABELS, Flow, FlowElement


@dataclass(frozen=True)
class _Edge:
    """A transition before choices are resolved."""

    element: FlowElement
    target: int
    keeps_control: bool
    escapes: tuple[int, ...]


class TemplateAutomaton:
    """Locations and actions of a finished flow graph."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        _tie_loose_ends(flow)
        left = _leave_atomic(flow)
        self.size = len(flow.elements)
        headers = [e for e in flow.elements if e.kind in ("if", "do", "atomic", "block")]
        self.options = {e.number: [_start(p.first).number for p in e.parts] for e in headers}
        plain = [e for e in flow.elements if e not in headers and e.kind not in ("unless", "dropped")]
        self.returns = {e.number: self.edges_back(e) for e in plain if isinstance(e.step, Return)}
        self.edges = {e.number: self.edge(e) for e in plain if e.number not in self.returns}
        self.entry = self.hunt(_start(flow.body.first), False).number
        stops = ((e.number, self.hunt(flow.labels[e.label], True).number) for e in left)
        self.first_stops = tuple((jump, stop) for jump, stop in stops if stop != self.edges[jump].target)

    def edges_back(self, e: FlowElement) -> list[_Edge]:
        """A return has an edge for each call."""
        return [self.edge(self.returning(e, number, site)) for number, site in e.returns]

    def returning(self, e: FlowElement, number: int, site: int) -> FlowElement:
        call = self.flow.sites[site]
        assert isinstance(e.step, Return)
        assert isinstance(call.step, Call)
        step = replace(e.step, site=site, variables=call.step.variables, into=call.step.into)
        return replace(e, id=number, step=step, next=call.next)

    def edge(self, e: FlowElement) -> _Edge:
        """Where control goes behind an element: a call goes to its function, and comes back by its site."""
        if isinstance(e.step, Call):
            assert e.next is not None
            e.step = replace(e.step, after=self.hunt(e.next, e.atomic).number)
            return _Edge(e, self.hunt(_start(self.flow.entries[e.step.function].first), False).number, False, ())
        following = self.flow.labels[e.label] if e.kind == "goto" else e.next
        target = self.hunt(following, e.atomic) if following is not None else None
        starts = [] if e.kind == "join" else [s.first for s in e.escapes if s.first is not None]
        escapes = [self.hunt(first, e.atomic).number for first in starts]
        return _Edge(e, target.number if target else 0, e.atomic, tuple(escapes))

    def jumps_to_d_steps(self) -> list[FlowElement]:
        """The jumps that go on at a d_step, by way of a loop's end or another jump."""
        jumps = [e for e in self.flow.elements if e.kind == "goto" and not e.d_step]
        ends = {e.number for e in self.flow.elements if e.kind == "d_step"}
        return [e for e in jumps if self.edges[e.number].target in ends]

    def hunt(self, element: FlowElement, atomic: bool) -> FlowElement:
        """Where control really goes: jumps and joins are no locations, unless they leave an atomic sequence."""
        for _ in range(500):
            if element.kind == "goto":
                following = self.flow.labels[element.label]
                if following is element:
                    break
            elif element.kind in ("join", "break") and element.next is not None:
                following = element.next
            elif element.kind == "unless":
                assert element.parts[0].first is not None
                following = self.hunt(element.parts[0].first, atomic)
            else:
                return element
            if atomic and not following.atomic:
                # Differs: SPIN stays at an unless here too, a place that nothing leaves.
                return following if element.kind == "unless" else element
            element = following
        raise SourceError.at(element.location, "this jump leads in circles", "put a statement into the loop")

    def marked(self) -> dict[str, frozenset[int]]:
        """The locations that end, progress and accept labels mark.

        A label on an option's first statement moves behind that statement, and one on a choice at the start of an
        option goes to the options of that choice, as in SPIN's tables.
        """
        marks: dict[int, set[str]] = {n: set() for n in range(self.size + 1)}
        for name, element in self.flow.labels.items():
            marks[element.number].update(kind for kind in SPECIAL_LABELS if name.startswith(kind))
        inside = {e.number for e in self.flow.elements if e.d_step}
        options = {n: first for n, first in sorted(self.options.items()) if n not in inside}
        while any(o in options for first in options.values() for o in first):
            for number, first in options.items():
                for o in first:
                    for inner in options.get(o, ()):
                        marks[inner] |= marks[o]
                options[number] = [inner for o in first for inner in options.get(o, [o])]
        for first in options.values():
            for edge in (self.edges[o] for o in first if o in self.edges):
                marks[edge.target] |= marks[edge.element.number]
        return {kind: frozenset(n for n, found in marks.items() if n and kind in found) for kind in SPECIAL_LABELS}

    def first_edges(self, number: int) -> list[_Edge]:
        """The edges that leave a location: those of all options, for a choice."""
        if number not in self.options:
            return self.returns[number] if number in self.returns else [self.edges[number]]
        return [edge for option in self.options[number] for edge in self.first_edges(option)]

    def actions(self) -> list[Action]:
        """All actions, those of escapes first."""
        table: dict[int, list[tuple[_Edge, int]]] = {
            n: [(edge, 0) for edge in self.first_edges(n)] for n in range(1, self.size + 1) if self.is_location(n)
        }
        for number in table:
            if not self.flow.elements[number - 1].d_step:  # once a d_step has begun, nothing interrupts it
                self.add_escapes(table, number)
        inside = self.d_step_members()
        result = []
        for number, edges in table.items():
            for edge, escape in edges:
                result.append(self.action(number, edge, escape, inside))
        return result

    def is_location(self, number: int) -> bool:
        return number in self.options or number in self.edges or number in self.returns

    def add_escapes(self, table: dict[int, list[tuple[_Edge, int]]], number: int) -> None:
        for edge, _ in list(table[number]):
            for clause in reversed(edge.escapes):
                for other, _ in list(table[clause]):
                    if all(other.element.id != present.element.id for present, _ in table[number]):
                        table[number].insert(0, (other, clause))

    def d_step_members(self) -> dict[int, frozenset[int]]:
        return {
            e.number: frozenset(inner.number for inner in _descend(e)) for e in self.flow.elements if e.kind == "d_step"
        }

    def action(self, number: int, edge: _Edge, escape: int, inside: dict[int, frozenset[int]]) -> Action:
        e = edge.element
        step = e.step
        if e.kind == "d_step":
            step = Deterministic(_start(e.parts[0].first).number, inside[e.number])
        return Action(e.id, number, edge.target, step, e.location, e.text, edge.keeps_control, escape)


def _descend(element: FlowElement) -> Iterator[FlowElement]:
    for part in element.parts:
        inner: FlowElement | None = part.first
        while inner is not None:
            yield inner
            yield from _descend(inner)
            if inner is part.last:
                break
            inner = inner.next


def _start(element: FlowElement | None) -> FlowElement:
    """Where a sequence really begins."""
    assert element is not None
    for _ in range(200):
        if element.kind == "join" and element.next is not None:
            element = element.next
        elif element.kind == "unless" and element.parts[0].first is not None:
            element = element.parts[0].first
        else:
            break
    return element


def _leave_atomic(flow: Flow) -> list[FlowElement]:
    """A jump out of an atomic sequence gives up control; one from the end of a sequence into another one keeps it.

    Returns the jumps out of the midst of a sequence.
    """
    left = []
    for element in flow.elements:
        if element.kind == "goto" and (element.atomic or element.ends_atomic):
            target, inside = flow.labels[element.label], element.atomic
            element.atomic = target.atomic or target.ends_atomic
            element.ends_atomic = not element.atomic
            if inside and not element.atomic:
                left.append(element)
    return left


def _tie_loose_ends(flow: Flow) -> None:
    """The last step inside braces goes on behind them."""
    for element in reversed(flow.elements):
        if element.kind not in ("atomic", "block", "d_step") or element.next is None:
            continue
        last = element.parts[0].last
        if last is not None and last.next is None:
            last.next = element.next
