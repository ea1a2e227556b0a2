"""Loops that nobody can interrupt, as one simultaneous assignment.

Reference: King, Symbolic Execution and Program Testing, 1976; docs/develop/traps.md, "Loops over all processes".
Differs: each process is executed by itself, so its counters are numbers and a loop over all indices is a sequence;
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
from typing import TypeAlias

from ...core.errors import Location
from ...core.model import (
    Action,
    Assert,
    Assign,
    Binary,
    Chain,
    ChannelTest,
    Conditional,
    Const,
    Deterministic,
    Else,
    Expr,
    Guard,
    Model,
    Place,
    Print,
    Receive,
    Skip,
    Transition,
    Unary,
    Variable,
    is_pointer,
)
from ...semantics.walk import by_source, slot_of
from .formulas import FALSE, TRUE, Unclear, are_same, both, either, joined, negated, operation, stored_as, truth, unary
from .specialise import PID, Loop, OwnCode

MOST_STEPS = 3000  # of one loop
FEW, EACH = 200, 30  # and at most so many, and for each process or element that there is
EXIT = -1
Key = tuple[bool, int]  # is it local, and the slot
Env = dict[Key, Expr]
_Spot = tuple[Place, Key | None]
_Code: TypeAlias = "tuple[Action, tuple[Action, ...], frozenset[int], int, bool, int, int, int]"


class KnownLoops:
    """What is known of loops, whoever has them and whoever asks; formulas share their parts."""

    def __init__(self) -> None:
        self.loops: dict[_Code, Loop | None] = {}
        self.parts: dict[tuple[object, ...], Expr] = {}
        self.places: dict[tuple[object, ...], _Spot] = {}

    def shared(self, e: Expr) -> Expr:
        """The same expression, with parts that others have too: a hundred processes that look at each other have ten
        thousand parts, a hundred different ones."""
        match e:
            case Binary(op, left, right):
                a, b = self.shared(left), self.shared(right)
                return self.one((op, id(a), id(b)), e if a is left and b is right else replace(e, left=a, right=b))
            case Conditional(condition, then, otherwise):
                parts = (self.shared(condition), self.shared(then), self.shared(otherwise))
                return self.one(("?", *map(id, parts)), Conditional(*parts))
            case Const(value, text):
                return self.one(("number", value, text), e)
            case Place(variable, indices) if slot_of(e) is not None:
                known = ((i.value, i.text) for i in indices if isinstance(i, Const))
                return self.one(("place", id(variable), *known), e)
        return e

    def one(self, key: tuple[object, ...], e: Expr) -> Expr:
        """The first expression with this key."""
        return self.parts.setdefault(key, e)

    def spot(self, variable: Variable, indices: tuple[Expr, ...]) -> _Spot:
        """A place, and where that is."""
        if not indices:
            key: tuple[object, ...] = (id(variable),)
        elif all(type(i) is Const for i in indices):
            key = (id(variable), *((i.value, i.text) for i in indices if isinstance(i, Const)))
        else:
            return Place(variable, indices), None
        if key not in self.places:
            place = Place(variable, indices)
            self.places[key] = place, _key(place)
        return self.places[key]


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
        run = _Run(self, inside, first_wins)
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


_PLAIN = (Skip, Guard, Assign, Transition, Assert, Print)


class _Run:
    """One symbolic execution of a loop."""

    def __init__(self, folder: _LoopFolder, inside: frozenset[int], first_wins: bool) -> None:
        self.leaving, self.inside, self.first_wins = folder.leaving, inside, first_wins
        self.pid, self.most, self.shared = folder.own.pid, folder.most, folder.known
        self.meets = _meeting_points(folder.edges(inside))
        self.places: dict[Key, tuple[Place, Location]] = {}  # what was written, and where for the last time
        self.asserts: list[tuple[Expr, Location]] = []
        self.evaluated: list[tuple[Expr, Location]] = []
        self.path: Expr = TRUE  # what is known to hold here
        self.guard: Expr = TRUE
        self.ends: set[tuple[int, bool]] = set()
        self.executed: set[int] = set()
        self.leaves_early = False
        self.steps = 0
        self.is_open = False  # an index was not known

    # ---------------------------------------------------------------- control

    def walk(self, at: int, env: Env, stop: int, may_block: bool = False) -> Env:
        """Execute from a location up to another one."""
        while at != stop:
            at, env = self.advance(at, env, may_block)
            may_block = False
        return env

    def advance(self, at: int, env: Env, may_block: bool) -> tuple[int, Env]:
        """One step, or a choice with all that follows up to where its options meet."""
        if at == EXIT:
            raise Unclear
        options = self.options(at, env)
        if len(options) == 1 and (options[0][0] is TRUE or may_block):
            if may_block:
                self.guard = options[0][0]
            return self.take(options[0][1], env)
        certain = options and options[-1][0] is TRUE
        if not options or not (certain or may_block or _covers(options)):
            raise Unclear  # it may block
        if may_block:
            self.guard = FALSE
            for condition, _ in options:
                self.guard = either(self.guard, condition)
        return self.branch(at, env, options)

    def branch(self, at: int, env: Env, options: list[tuple[Expr, Action]]) -> tuple[int, Env]:
        """Take every option, as far as all of them meet again."""
        stop = self.meets.get(at, EXIT)
        self.leaves_early |= stop == EXIT
        otherwise: Expr = TRUE
        before, found = self.path, list[tuple[Expr, Env]]()
        for condition, action in options:
            self.path = both(before, both(otherwise, condition))
            there, after = self.take(action, dict(env))
            found.append((condition, self.walk(there, after, stop)))
            otherwise = both(otherwise, negated(condition))
        self.path = before
        result = found[-1][1]
        for condition, other in reversed(found[:-1]):
            result = self.merged(condition, other, result)
        return stop, result

    def merged(self, condition: Expr, then: Env, otherwise: Env) -> Env:
        initial = {key: self.places[key][0] for key in then.keys() | otherwise.keys()}
        # In the order of the first writes, so that nothing depends on hash seeds.
        return {
            key: joined(condition, then.get(key, initial[key]), otherwise.get(key, initial[key]))
            for key in self.places
            if key in initial
        }

    def options(self, at: int, env: Env) -> list[tuple[Expr, Action]]:
        """What can be executed, with its condition, in order; the last condition is what is left."""
        found: list[tuple[Expr, Action]] = []
        before = self.path
        for action in self.leaving.get(at, ()):
            if action.escape:
                raise Unclear
            if isinstance(action.step, Else):
                if action is not self.leaving[at][-1]:
                    raise Unclear
                condition: Expr = FALSE if any(c is TRUE for c, _ in found) else TRUE
            else:
                condition = self.condition(action, env)
                if (
                    not self.first_wins
                    and condition is not FALSE
                    and not all(_excludes(c, condition) for c, _ in found)
                ):
                    raise Unclear  # a choice
            if condition is not FALSE:
                found.append((condition, action))
            if condition is TRUE and self.first_wins:
                break
            if self.first_wins:  # what comes next is evaluated only if this is not executable
                self.path = both(self.path, negated(condition))
        self.path = before
        return found

    def condition(self, action: Action, env: Env) -> Expr:
        """When an action can be executed."""
        step = action.step.actions[0].step if isinstance(action.step, Chain) else action.step
        if isinstance(step, Guard):
            return truth(self.known(step.condition, env, action.location))
        if isinstance(step, Transition):
            return truth(self.known(step.guard, env, action.location))
        return TRUE

    def take(self, action: Action, env: Env) -> tuple[int, Env]:
        """Execute an action, and where that leads."""
        self.steps += 1
        if self.steps > self.most:
            raise Unclear
        self.executed.add(action.id)
        if not isinstance(action.step, Guard):  # that was evaluated to find out what can be executed
            self.perform(action, env)
        if not self.first_wins:
            self.clear(action.clears, env)
        if action.target in self.inside:
            if not self.first_wins and not action.keeps_control:
                raise Unclear  # SOUND: others may come in between
            return action.target, env
        self.ends.add((action.target, action.keeps_control))
        return EXIT, env

    # ---------------------------------------------------------------- steps

    def perform(self, action: Action, env: Env) -> Expr:
        """Execute an action; its condition, which somebody else looks at."""
        match action.step:
            case Skip() | Else():
                return TRUE
            case Guard(condition):
                return truth(self.known(condition, env, action.location))
            case Assign():
                self.assign(action.step, env, action.location)
                return TRUE
            case Transition(guard, assigns):
                condition = truth(self.known(guard, env, action.location))
                for one in assigns:
                    self.assign(one, env, action.location)
                return condition
            case Assert(condition):
                held = truth(self.known(condition, env, action.location))
                if held is not TRUE:
                    self.asserts.append((either(negated(self.path), held), action.location))
                return TRUE
            case Print(_, values):
                for value in values:
                    self.known(value, env, action.location)
                return TRUE
            case Chain(actions):
                first, *rest = (self.perform(part, env) for part in actions)
                if any(condition is not TRUE for condition in rest):
                    raise Unclear
                return first
        raise Unclear

    def assign(self, step: Assign, env: Env, where: Location) -> None:
        value = self.known(step.value, env, where)
        place, key = self.spot(step.place, env)
        if key is None or is_pointer(place.variable.type):
            raise Unclear
        self.write(place, key, stored_as(place.variable.type, value), env, where)

    def write(self, place: Place, key: Key, value: Expr, env: Env, where: Location) -> None:
        if not are_same(value, env.get(key, place)):
            self.places.pop(key, None)
            self.places[key] = (place, where)
        env[key] = value
        self.places.setdefault(key, (place, where))

    def clear(self, variables: tuple[Variable, ...], env: Env) -> None:
        """What is dead gets the value at which it rests."""
        for variable in variables:
            if is_pointer(variable.type):
                raise Unclear
            for i in [self.pid] if variable.owned else range(variable.size):
                place = Place(variable, _indices(variable, i))
                key = _key(place)
                assert key is not None
                self.write(place, key, Const(variable.rest), env, variable.location)

    # ---------------------------------------------------------------- expressions

    def known(self, e: Expr, env: Env, where: Location) -> Expr:
        """The value of an expression, in terms of what was before the loop."""
        self.is_open = False
        value = self.value(e, env)
        if self.is_open:  # SOUND: whether it faults is part of what the loop does
            self.evaluated.append((Conditional(self.path, value, FALSE), where))
        return value

    def value(self, e: Expr, env: Env) -> Expr:
        """The value of an expression; whether an index was not known is remembered."""
        if isinstance(e, Const):
            return e if e.text in ("", PID) else Const(e.value)
        if isinstance(e, Place):
            return self.read(self.spot(e, env), env)
        if isinstance(e, Binary) and e.op not in ("&&", "||"):
            return operation(e.op, self.value(e.left, env), self.value(e.right, env))
        match e:
            case Unary(op, operand):
                return unary(op, self.value(operand, env))
            case Binary("&&" | "||", left, right):
                test = truth(self.value(left, env))
                if isinstance(test, Const):  # SOUND: the right side may fault, and is not evaluated if the left decides
                    return test if bool(test.value) == (e.op == "||") else truth(self.value(right, env))
                return (both if e.op == "&&" else either)(test, self.value(right, env))
            case Conditional(condition, then, otherwise):
                test = truth(self.value(condition, env))
                if isinstance(test, Const):
                    return self.value(then if test.value else otherwise, env)
                return joined(test, self.value(then, env), self.value(otherwise, env))
            case ChannelTest(test, channel):
                which = self.value(channel, env)
                if isinstance(which, Const) and which.value > 0:
                    return ChannelTest(test, which)
        raise Unclear

    def spot(self, e: Place, env: Env) -> _Spot:
        """The place that is meant here."""
        indices = tuple([self.value(i, env) for i in e.indices]) if e.indices else ()
        return self.shared.spot(e.variable, indices)

    def read(self, spot: _Spot, env: Env) -> Expr:
        """What a place holds now; if its index is not known, what it held before the loop."""
        place, key = spot
        if is_pointer(place.variable.type):
            raise Unclear
        if key is not None:
            return env.get(key, place)
        if all(isinstance(i, Const) for i in place.indices):
            raise Unclear  # it faults
        mine = place.variable
        if any(p.variable.base == mine.base and p.variable.is_local == mine.is_local for p, _ in self.places.values()):
            raise Unclear  # which element is read is not known, and one was written
        self.is_open = True
        return place


def _key(place: Place) -> Key | None:
    slot = slot_of(place)
    return None if slot is None else (place.variable.is_local, slot)


def _indices(variable: Variable, offset: int) -> tuple[Expr, ...]:
    found: list[Expr] = []
    for size in reversed(variable.shape):
        offset, i = divmod(offset, size)
        found.insert(0, Const(i))
    return tuple(found)


def _excludes(a: Expr, b: Expr) -> bool:
    """Is it clear that two conditions never hold together?"""
    return a is FALSE or b is FALSE or any(negated(x) in _conjuncts(b) for x in _conjuncts(a))


def _covers(options: list[tuple[Expr, Action]]) -> bool:
    """Is it clear that one of the conditions holds?"""
    conditions = [condition for condition, _ in options]
    return any(negated(a) == b for i, a in enumerate(conditions) for b in conditions[i + 1 :])


def _conjuncts(e: Expr) -> list[Expr]:
    return _conjuncts(e.left) + _conjuncts(e.right) if isinstance(e, Binary) and e.op == "&&" else [e]


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
