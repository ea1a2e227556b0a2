"""Loops that nobody can interrupt, as one simultaneous assignment.

Reference: King, Symbolic Execution and Program Testing, 1976; docs/develop/traps.md, "Loops over all processes".
Differs: each process is executed for itself, so its counters are numbers and a loop over all indices is a sequence;
where a condition is not known both sides are executed and joined where they meet again.  `for (i : 0 .. 2) { s = s +
a[i] }` becomes s' = s + a[0] + a[1] + a[2], in which nothing is left of the order (`formulas.py`).  Only what cannot
fault unseen, block or choose is taken; whatever else there is stays as it is.

A loop inside a d_step is part of one step.  A loop inside an atomic sequence is part of one move, so its states are
seen by nobody who looks at whole moves: that is what searches for safety store, and claims do not (`whole_moves`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import prod

from ....core.model import (
    Action,
    Assert,
    Assign,
    Chain,
    Deterministic,
    Expr,
    Guard,
    Model,
    Print,
    Receive,
    Skip,
    Transition,
)
from ....semantics.walk import by_source
from ..specialise import Loop, OwnCode, without_name
from .formulas import TRUE, Unclear
from .rounds import EXIT, Env, KnownLoops, LoopRun

MOST_STEPS = 3000  # of one loop
FEW, EACH = 200, 30  # and at most so many, and for each process or element that there is


def fold_loops(
    model: Model, owns: list[OwnCode], whole_moves: bool, known: KnownLoops | None = None
) -> list[OwnCode]:  # fmt: skip
    """The processes with their loops as single actions, where that is possible."""
    if model.uses_priority or model.objects:
        return owns  # SOUND: who may move can change inside of a loop; addresses are no numbers
    buffered = all(c.type.capacity > 0 for c in (*model.channels, *(c for t in model.templates for c in t.channels)))
    most = min(MOST_STEPS, FEW + EACH * max(len(owns), *_sizes(model), 0))  # so that one without end costs little
    known = known or KnownLoops()
    return [_LoopFolder(own, buffered, most, known).folded(whole_moves) for own in owns]


def _sizes(model: Model) -> list[int]:
    """How many elements the arrays have."""
    return [prod(v.shape) for v in (*model.globals, *(v for t in model.templates for v in t.locals))]


class _LoopFolder:
    """Replaces the loops of one process; `known`: what is known of loops that others have as well."""

    def __init__(self, own: OwnCode, buffered: bool, most: int, known: KnownLoops) -> None:
        self.own, self.buffered, self.most, self.known = own, buffered, most, known
        self.leaving = by_source(own.actions)
        self.inner = {i for a in own.actions if isinstance(a.step, Deterministic) for i in a.step.inside}

    def folded(self, whole_moves: bool) -> OwnCode:
        """The process with its loops as single actions."""
        loops: list[Loop] = []
        gone: set[int] = set()  # locations
        for action in self.own.actions:
            if isinstance(action.step, Deterministic) and _cycles(self.edges(action.step.inside)):
                found = self.attempt(action, [], action.step.entry, action.step.inside, first_wins=True)
                if found is not None:
                    loops.append(found)
                    gone |= action.step.inside
        for entries, cycle in self.atomic_loops() if whole_moves and self.own.provided is None else ():
            for region in self.regions(cycle):
                ways = [self.atomic(entry, region) for entry in entries]
                clear = [one for one in ways if one is not None]
                if len(clear) == len(ways):  # SOUND: who comes in another way would need the actions that are gone
                    loops += clear
                    gone |= region
                    break
        if not loops:
            return self.own
        known = {loop.action.id: loop for loop in loops}
        kept = (known[a.id].action if a.id in known else a for a in self.own.actions if a.source not in gone)
        return replace(self.own, actions=tuple(kept), loops=known)

    def edges(self, inside: Iterable[int]) -> dict[int, set[int]]:
        return {at: {a.target if a.target in inside else EXIT for a in self.leaving.get(at, ())} for at in inside}

    # ---------------------------------------------------------------- loops in atomic sequences

    def atomic_loops(self) -> Iterator[tuple[list[Action], frozenset[int]]]:
        """The cycles of locations in which control is kept, with the actions that enter them."""
        kept = [a for a in self.own.actions if a.keeps_control and a.source not in self.inner]
        graph = {a.source: set[int]() for a in kept}
        for a in kept:
            graph[a.source].add(a.target)
        for cycle in _cycles(graph):
            entries = [a for a in self.own.actions if a.target in cycle and a.source not in cycle]
            # SOUND: whoever is in the cycle has control, so no state of it is stored.
            if self.own.location not in cycle and all(a.keeps_control and not a.escape for a in entries):
                yield entries, cycle

    def regions(self, cycle: frozenset[int]) -> Iterator[frozenset[int]]:
        """The cycle, and with what only follows it (`found = 1; break`) as long as it is left at several places."""
        region, more = cycle, True
        while more:
            yield region
            left = {a.target for a in self.own.actions if a.source in region} - region
            inside = {t for t in left if all(a.source in region for a in self.own.actions if a.target == t)}
            more = len(left) > 1 and bool(inside) and self.own.location not in inside
            region |= inside

    def atomic(self, entry: Action, cycle: frozenset[int]) -> Loop | None:
        """What one way into a loop of an atomic sequence does, with the loop."""
        parts = list(entry.step.actions) if isinstance(entry.step, Chain) else [entry]
        plain = len(parts)
        while plain > 0 and isinstance(parts[plain - 1].step, _PLAIN):
            plain -= 1
        before = parts[:plain]
        if before and not (self.buffered and all(isinstance(b.step, (*_PLAIN, Receive)) for b in before)):
            return None  # SOUND: a rendezvous may take control away
        if any(a.escape for a in self.leaving.get(entry.source, ())):
            return None
        return self.attempt(entry, parts, entry.target, cycle, first_wins=False, before=plain)

    # ---------------------------------------------------------------- one loop

    def attempt(
        self, action: Action, parts: list[Action], start: int, inside: frozenset[int], first_wins: bool, before: int = 0
    ) -> Loop | None:  # fmt: skip
        """One loop, from an action that leads into it; None if it is not clear what it does."""
        code = tuple(a for at in sorted(inside) for a in self.leaving.get(at, ()))
        owner = self.own.pid if any(v.owned for a in (action, *code) for v in a.clears) else -1
        key = (action, code, inside, start, first_wins, before, owner, self.most)
        if key not in self.known.loops:
            self.known.loops[key] = self.execute(action, parts, start, inside, first_wins, before)
        return self.known.loops[key]

    def execute(
        self, action: Action, parts: list[Action], start: int, inside: frozenset[int], first_wins: bool, before: int
    ) -> Loop | None:  # fmt: skip
        """The same, whoever has it."""
        run = self.begun(inside, first_wins)
        env: Env = {}
        guard: Expr = TRUE
        first = tuple(a.step for a in parts[:before])
        try:
            for i, part in enumerate(parts[before:]):
                condition = run.perform(part, env)
                if i == 0 and before == 0:
                    guard = condition
                elif condition is not TRUE:
                    return None
            if not first_wins:
                run.clear(action.clears, env)
            env = run.walk(start, env, EXIT, may_block=first_wins)
            if first_wins:
                run.clear(action.clears, env)
        except (Unclear, RecursionError):
            return None
        if run.evaluated and run.asserts:
            return None  # SOUND: what fails before a fault is told with it
        target = action
        if not first_wins:
            if len(run.ends) != 1:
                return None
            end, keeps = run.ends.pop()
            target = replace(action, target=end, keeps_control=keeps)
        changed = ((place, env[key], where) for key, (place, where) in run.places.items() if env[key] != place)
        shared = self.known.shared
        assigns = tuple((Assign(place, shared(value)), where) for place, value, where in changed)
        ids = tuple(sorted(run.executed)) if run.leaves_early else ()
        guard = guard if not first_wins else run.guard
        return Loop(target, first, guard, assigns, tuple(run.asserts), tuple(run.evaluated), ids)

    def begun(self, inside: frozenset[int], first_wins: bool) -> LoopRun:
        """An execution that has not begun yet."""
        code = tuple(without_name(a, self.own.pid) for at in sorted(inside) for a in self.leaving.get(at, ()))
        owner = self.own.pid if any(v.owned for a in code for v in a.clears) else -1
        meets = _meeting_points(self.edges(inside))
        rounds = self.known.rounds.setdefault((code, inside, first_wins, owner), {})
        return LoopRun(self.own.pid, self.leaving, inside, meets, first_wins, self.most, self.known, rounds)


_PLAIN = (Skip, Guard, Assign, Transition, Assert, Print)


# ------------------------------------------------------------------------------------------------ graphs


def _cycles(graph: dict[int, set[int]]) -> list[frozenset[int]]:
    """The sets of nodes that lie on cycles with each other."""
    reach: dict[int, set[int]] = {}
    for node in graph:
        seen, todo = set[int](), list(graph[node])
        while todo:
            new = todo.pop()
            if new not in seen:
                seen.add(new)
                todo += graph.get(new, ())
        reach[node] = seen
    found = (frozenset(other for other in graph if other in reach[n] and n in reach[other]) for n in graph)
    return list(dict.fromkeys(c for c in found if c))


def _meeting_points(graph: dict[int, set[int]]) -> dict[int, int]:
    """For each node, the nearest one that all its paths to the exit go through."""
    everything = frozenset(graph) | {EXIT}
    behind: dict[int, frozenset[int]] = dict.fromkeys(graph, everything)
    behind[EXIT] = frozenset({EXIT})
    changed = True
    while changed:
        changed = False
        for node, targets in graph.items():
            new = frozenset.intersection(*(behind[t] for t in targets)) | {node} if targets else everything
            if new != behind[node]:
                behind[node], changed = new, True
    found = {}
    for node in graph:
        after = behind[node] - {node}
        # The nearest is behind no other: it has the most nodes behind it.
        found[node] = max(after, key=lambda n: (len(behind[n]), -n), default=EXIT)
    return found
