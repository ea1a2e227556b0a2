"""A claim as an automaton with numbered states, and what cycles its components can have.

Reference: Cerna, Pelanek, Relating hierarchy of temporal properties to model checking (MFCS 2003): one search is enough
where all cycles of a component accept.
Differs: a component is of that kind if no cycle remains without its accepting states.
"""

from __future__ import annotations

from ....core.model import Action, Claim, Enabled, Expr, Template, Timeout
from ....core.records import dataclass
from ....ltl.automaton import Buchi, components
from ....ltl.translate import automaton
from ....semantics.walk import subexpressions
from ...interp.claims import NON_PROGRESS, looked_at
from ..constants import Cycles


@dataclass(frozen=True)
class ClaimAutomaton:
    """State `start` is the first one; `successors` are those that an edge leads to, whatever it looks at."""

    claim: Claim
    successors: tuple[frozenset[int], ...]
    accepting: frozenset[int]
    final: frozenset[int] = frozenset()
    start: int = 0
    stutters: bool = True
    by_labels: bool = False  # accepting is a matter of where the processes are
    buchi: Buchi | None = None

    @property
    def size(self) -> int:
        return len(self.successors)

    def sees(self, kind: type[Expr]) -> bool:
        """Does the claim ask for anything of this kind?"""
        return any(isinstance(e, kind) for top in looked_at(self.claim) for e in subexpressions(top))

    @property
    def sees_timeout(self) -> bool:
        return self.sees(Timeout)

    @property
    def sees_enabled(self) -> bool:
        return self.sees(Enabled)

    @property
    def parts(self) -> list[int]:
        """The number of each state's component."""
        numbers = [0] * self.size
        for number, component in enumerate(components([sorted(s) for s in self.successors])):
            for state in component:
                numbers[state] = number
        return numbers

    @property
    def cycles(self) -> list[Cycles]:
        """Which cycles through each state, within its component, accept."""
        kinds = [Cycles.NO_CYCLE] * self.size
        for component in components([sorted(s) for s in self.successors]):
            members = set(component)
            if self.by_labels:
                kind = Cycles.SOME_CYCLES
            elif not (members & self.accepting and self.has_cycle(members)):
                kind = Cycles.NO_CYCLE
            else:
                # SOUND: a cycle of the product is one of the automaton, and passes an accepting state.
                kind = Cycles.SOME_CYCLES if self.has_cycle(members - self.accepting) else Cycles.EVERY_CYCLE
            for state in component:
                kinds[state] = kind
        return kinds

    def has_cycle(self, members: set[int]) -> bool:
        """Can the automaton go round among these states?"""
        inside = [sorted(s & members) if q in members else [] for q, s in enumerate(self.successors)]
        return any(len(c) > 1 or c[0] in inside[c[0]] for c in components(inside))

    @property
    def searches_twice(self) -> bool:
        """Is a second search needed: are there states of which only some cycles accept?"""
        return Cycles.SOME_CYCLES in self.cycles


def of(claim: Claim) -> ClaimAutomaton:
    """The automaton of any claim: a formula is negated first, since its violations are what is looked for."""
    if claim.kind == "ltl":
        assert claim.formula is not None
        buchi = automaton(claim.formula, negated=True)
        successors = tuple(frozenset(t for _, t in edges) for edges in buchi.edges)
        return ClaimAutomaton(claim, successors, buchi.accepting, buchi.traps, buchi=buchi)
    if claim.kind == NON_PROGRESS:
        return ClaimAutomaton(claim, (frozenset({0, 1}), frozenset({1})), frozenset({1}), stutters=False)
    if claim.template is None:
        return ClaimAutomaton(claim, (frozenset({0}),), frozenset(), by_labels=True)
    return _of_never(claim, claim.template)


def _of_never(claim: Claim, template: Template) -> ClaimAutomaton:
    """A never claim is an automaton already: its locations are the states."""
    number = numbers(template)

    def marked(locations: frozenset[int]) -> frozenset[int]:
        return frozenset(number[x] for x in locations if x in number)

    after = tuple(frozenset(number[x] for x in _reached(template.actions, here)) for here in number)
    accepting, final = marked(template.accept_locations), marked(template.end_locations)
    return ClaimAutomaton(claim, after, accepting, final, number[template.entry])


def numbers(template: Template) -> dict[int, int]:
    """Locations numbered from 0, in their order."""
    places = sorted({template.entry, *(x for a in template.actions for x in (a.source, a.target))})
    return {location: i for i, location in enumerate(places)}


def _reached(actions: tuple[Action, ...], start: int) -> set[int]:
    """Where one look can end; an atomic sequence looks once."""
    inside, todo, found = {start}, [start], set()
    while todo:
        here = todo.pop()
        for action in actions:
            if action.source == here:
                found |= set() if action.keeps_control else {action.target}
                if action.keeps_control and action.target not in inside:
                    inside.add(action.target)
                    todo.append(action.target)
    return found
