"""In which states does it matter what a process has in a variable?  A condition for each location of its owner.

Reference: Wang et al., BDD-Based Safety-Analysis of Concurrent Software with Pointer Data Structures (TSE 2004), 6.1:
`oapprox_active`, an over-approximation by weakest preconditions, in terms of what the owner sees.
Differs: a condition also says whether others name the owner at all: who is named by nobody is read by nobody else.

It works on `owned` globals, which have an element for each process.  A condition is a list of cubes, one of which must
be true.  A cube bounds parts of the state, as the owner P sees them: a pointer is NULL, P or another process; a small
number has one of its values; a field of others names P.

SOUND: the condition of x never speaks of x, and it is closed backwards over all steps of P and of everybody else: where
it is false, states that differ in x of P alone have the same steps, faults and invariants, and go on to states that
differ there alone, and it is false, or not at all.  That is so for all states, whether they are reached or not, and for
one variable of one process at a time: resets are made one after the other, each looks at what those before it left.

A worked example, `prev->next = P` in mode 4 of the MCS lock, if `next` matters in mode 5: P overwrites its own `next`
if `prev` is P.  So `next` matters in mode 4 where `prev` is NULL or another process: where prev != P.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, product
from typing import TypeVar

from ..analysis.footprint import deciding
from ..core.model import (
    Action,
    Assign,
    AtLabel,
    Binary,
    Bounded,
    Conditional,
    Const,
    Expr,
    Guard,
    Model,
    Place,
    Self,
    Template,
    Transition,
    Unary,
    Variable,
    points_to_process,
)
from ..core.records import dataclass
from ..semantics.walk import children, evaluated, operands, subexpressions
from .inactive import may_fault

T = TypeVar("T")
NULL, ME, OTHER = "null", "me", "other"
OWN, GLOBAL, IN = "own", "global", "in"  # of P; of all; others name P by this field
Values = frozenset[object]
Part = tuple[str, int, Values]  # the kind, the base of a variable, and the values that are told apart
Cube = frozenset[tuple[Part, Values]]
Cubes = frozenset[Cube]
POINTER: Values = frozenset({NULL, ME, OTHER})
NAMED: Values = frozenset({True})
NAMED_OR_NOT: Values = frozenset({True, False})
ALWAYS: Cubes = frozenset({frozenset()})
NEVER: Cubes = frozenset()
MOST_CUBES = 8  # then nothing is known
FEW_BITS = 2  # numbers of more are not looked at


def can_be_asked(model: Model) -> bool:
    """Only for automata whose processes make plain transitions, watched by invariants alone."""
    plain = all(isinstance(a.step, Transition) or _never(a) for t in model.templates for a in t.actions)
    local = any(t.locals or t.provided is not None for t in model.templates)
    return plain and not local and not model.claims and model.monitor is None and any(v.owned for v in model.globals)


def _never(action: Action) -> bool:
    return isinstance(action.step, Guard) and action.step.condition == Const(0)


# ------------------------------------------------------------------------------------------------ cubes


def _limited(cube: Cube, part: Part, values: Values) -> Cube | None:
    """The cube where the part has one of the values; None if it never has."""
    known = dict(cube)
    left = known.get(part, values) & values
    if not left:
        return None
    known[part] = left
    return frozenset(known.items()) if left < part[2] else _without(cube, part)


def _without(cube: Cube, part: Part) -> Cube:
    return frozenset((p, values) for p, values in cube if p != part)


def _meet(a: Cube, b: Cube) -> Cube | None:
    found: Cube | None = a
    for part, values in b:
        found = None if found is None else _limited(found, part, values)
    return found


def _both(a: Iterable[Cube], b: Iterable[Cube]) -> Cubes:
    return _union(frozenset(c for x, y in product(a, b) if (c := _meet(x, y)) is not None))


def _union(*sets: Iterable[Cube]) -> Cubes:
    """All of them, as few as possible; everything, if there are too many."""
    return _fewest(frozenset(cube for cubes in sets for cube in cubes))


@lru_cache(maxsize=1 << 14)
def _fewest(cubes: Cubes) -> Cubes:
    """Without those that say less than another; two that differ in one part become one."""
    found, grown = set(cubes), len(cubes) > 1
    while grown:
        grown = False
        found = {c for c in found if not any(_covers(other, c) for other in found if other is not c)}
        for a, b in combinations(sorted(found, key=order), 2):
            if (joined := _joined(a, b)) is not None:
                found, grown = (found - {a, b}) | {joined}, True
                break
    return frozenset(found) if len(found) <= MOST_CUBES else ALWAYS


def order(cube: Cube) -> list[tuple[str, int, list[str]]]:
    """Always the same, whatever the order in a set."""
    return sorted((part[0], part[1], sorted(map(str, values))) for part, values in cube)


def _covers(large: Cube, small: Cube) -> bool:
    if len(large) > len(small):
        return False
    known = dict(small)
    return all(part in known and known[part] <= values for part, values in large)


def _joined(a: Cube, b: Cube) -> Cube | None:
    """One cube for both, if they differ in one part only."""
    if len(a) != len(b):
        return None
    x, y = dict(a), dict(b)
    different = [part for part in x if y.get(part) != x[part]]
    if x.keys() != y.keys() or len(different) != 1:
        return None
    (part,) = different
    values = x[part] | y[part]
    return _without(a, part) if values >= part[2] else _without(a, part) | {(part, values)}


# ------------------------------------------------------------------------------------------------ who looks


class _Facts:
    """What is asked of the same expressions again and again."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, str], tuple[Expr, object]] = {}

    def of(self, e: Expr, what: str, find: Callable[[Expr], T]) -> T:
        key = id(e), what
        if key not in self.known:
            self.known[key] = e, find(e)  # the expression stays, and with it its id
        found: T = self.known[key][1]  # type: ignore[assignment]
        return found

    def indices(self, e: Expr, x: Variable) -> list[Expr]:
        """Whose x an expression reads."""
        return self.of(e, "indices", _indices).get(x.base, [])

    def may_fault(self, e: Expr) -> bool:
        return self.of(e, "faults", may_fault)

    def deciding(self, e: Expr) -> list[Expr]:
        return self.of(e, "deciding", lambda e: list(deciding(e)))

    def own_bases(self, e: Expr) -> set[int]:
        """The variables of processes that an expression reads."""
        return set(self.of(e, "indices", _indices))


@dataclass(frozen=True)
class _Viewpoint:
    """Who evaluates: the owner P itself, another process, or nobody in particular; which number P has, if it counts."""

    own: bool
    template: str  # of P
    location: int  # of P
    labels: tuple[tuple[str, int], ...]
    facts: _Facts
    pid: int | None = None

    def is_owner(self, index: Expr) -> bool:
        """Is this certainly P?"""
        return (self.own and isinstance(index, Self)) or (isinstance(index, Const) and index.value == self.pid)

    def is_other(self, index: Expr) -> bool:
        """Is this certainly not P?"""
        if isinstance(index, Const):
            return index.value == 0 or (self.pid is not None and index.value != self.pid)
        return isinstance(index, Self) and not self.own

    def part(self, e: Expr) -> Part | None:
        """The part of the state that an expression reads, as far as P sees it."""
        match e:
            case Place(variable, ()) if not variable.is_local:
                return _part(GLOBAL, variable)
            case Place(variable, (index,)) if variable.owned and self.is_owner(index):
                return _part(OWN, variable)
            case Bounded(value):
                return self.part(value)
        return None

    def names_owner(self, e: Expr) -> Cubes:
        """Where the value of a pointer may be P."""
        if self.is_owner(e):
            return ALWAYS
        if isinstance(e, Self) or (isinstance(e, Const) and self.is_other(e)):
            return NEVER
        part = self.part(e)
        match e:
            case _ if part is not None:
                return _only(part, frozenset({ME}))
            case Place(variable, (Self() | Const() as index,)) if variable.owned and self.is_other(index):
                return _named(variable)
            case Place(variable, (index,)) if variable.owned:
                mine = _only((OWN, variable.base, POINTER), frozenset({ME}))
                return _union(_both(self.names_owner(index), mine), _named(variable))
            case Bounded(value):
                return self.names_owner(value)
            case Conditional(_, then, otherwise):
                return _union(self.names_owner(then), self.names_owner(otherwise))
        return ALWAYS

    def values(self, e: Expr) -> Values | None:
        """What a constant is for P; None if it is none."""
        if self.is_owner(e):
            return frozenset({ME})
        if isinstance(e, Const) and e.value == 0:
            return frozenset({NULL})
        return frozenset({OTHER}) if self.is_other(e) else None

    # ---------------------------------------------------------------- conditions

    def may_be(self, e: Expr, wanted: bool) -> Cubes:
        """Where a condition may have this value."""
        match e:
            case Const(value):
                return ALWAYS if bool(value) == wanted else NEVER
            case Unary("!", operand):
                return self.may_be(operand, not wanted)
            case Binary("&&" | "&" | "||" | "|" as op, left, right):
                a, b = self.may_be(left, wanted), self.may_be(right, wanted)
                return _both(a, b) if wanted == (op in ("&&", "&")) else _union(a, b)
            case AtLabel(template, pid, label) if pid is not None and self.is_owner(pid):
                here = template == self.template and dict(self.labels).get(label) == self.location
                return ALWAYS if here == wanted else NEVER
            case Binary("==" | "!=" as op, left, right):
                return self.compared(left, right, wanted == (op == "=="))
            case Conditional(condition, then, otherwise):
                yes = _both(self.may_be(condition, True), self.may_be(then, wanted))
                return _union(yes, _both(self.may_be(condition, False), self.may_be(otherwise, wanted)))
        return ALWAYS

    def compared(self, left: Expr, right: Expr, equal: bool) -> Cubes:
        """Where two values may be equal, or may not."""
        for a, b in ((left, right), (right, left)):
            if (part := self.part(a)) is None or part[0] == GLOBAL:  # what all share changes too often to be of use
                continue
            known = self.values(b) if part[2] == POINTER else frozenset({b.value}) if isinstance(b, Const) else None
            if known is not None:
                # Another process is one of many: not to be that one says nothing.
                return _only(part, known if equal else part[2] - (known - {OTHER}))
        return ALWAYS

    # ---------------------------------------------------------------- reads

    def depends(self, e: Expr, x: Variable) -> Cubes:
        """Where the value of an expression, or whether it has one, may depend on what P has in x."""
        if not (indices := self.facts.indices(e, x)):
            return NEVER
        if self.facts.may_fault(e):  # SOUND: all of it counts
            return _union(*map(self.names_owner, indices))
        match e:
            case Place(variable, (index,)) if variable.base == x.base and variable.owned:
                return _union(self.depends(index, x), self.names_owner(index))
            case Binary("&&" | "&" | "||" | "|" as op, left, right):
                idle = op in ("&&", "&")
                return _union(
                    _both(self.depends(left, x), self.may_be(right, idle)),
                    _both(self.depends(right, x), self.may_be(left, idle)),
                )
            case Conditional(condition, then, otherwise):
                return _union(
                    self.depends(condition, x),
                    _both(self.depends(then, x), self.may_be(condition, True)),
                    _both(self.depends(otherwise, x), self.may_be(condition, False)),
                )
        return _union(*(self.depends(child, x) for child in children(e)))


def _only(part: Part, values: Values) -> Cubes:
    """Where a part has one of these values."""
    cube = _limited(frozenset(), part, values & part[2])
    return NEVER if cube is None else frozenset({cube})


def _named(variable: Variable) -> Cubes:
    return _only((IN, variable.base, NAMED_OR_NOT), NAMED)


def _part(kind: str, variable: Variable) -> Part | None:
    """A pointer, or a small number; None for what is not looked at."""
    if points_to_process(variable.type):
        return kind, variable.base, POINTER
    few = variable.type.bits <= FEW_BITS
    return (kind, variable.base, frozenset(range(variable.type.low, variable.type.high + 1))) if few else None


def _indices(e: Expr) -> dict[int, list[Expr]]:
    """Whose variables an expression reads, by variable."""
    found: dict[int, list[Expr]] = {}
    for p in subexpressions(e):
        if isinstance(p, Place) and p.variable.owned:
            found.setdefault(p.variable.base, []).append(p.indices[0])
    return found


# ------------------------------------------------------------------------------------------------ steps


class _Steps:
    """What matters before a step, if this matters after it, for one variable x of a process P."""

    def __init__(self, view: _Viewpoint, x: Variable, pids: tuple[int, ...]) -> None:
        self.view, self.x, self.pids = view, x, pids

    def before(self, action: Action, after: Cubes) -> Cubes:
        """Where x of P may matter before this step: its guard or its assignments read it, or it matters after it."""
        assert isinstance(action.step, Transition)
        dead: set[int] = set()
        for variable in action.clears if self.view.own else ():
            dead.add(variable.base)
            after = NEVER if variable.base == self.x.base else self.known(after, _part(OWN, variable), Const(0))
        for assign in reversed(action.step.assigns):
            after = self.before_assignment(assign, after, dead)
        after = _both(after, self.view.may_be(action.step.guard, True))
        return _free(_union(after, self.read(action.step.guard)), self.x)

    def read(self, e: Expr) -> Cubes:
        """Where an expression depends on x of P; if it names processes by number, P is each of them in turn."""
        if not any(isinstance(index, Const) for index in self.view.facts.indices(e, self.x)):
            return self.view.depends(e, self.x)
        return _union(*(replace(self.view, pid=pid).depends(e, self.x) for pid in self.pids))

    def before_assignment(self, assign: Assign, after: Cubes, dead: set[int]) -> Cubes:
        """`dead`: the variables of P that will be overwritten in this step before they are read again."""
        place, variable = assign.place, assign.place.variable
        own = variable.owned and self.view.is_owner(place.indices[0])
        found = self.stored(place, assign.value, after)
        if own and variable.base == self.x.base:
            found = _union(found, _both(_free(after, self.x), self.read(assign.value)))
        elif not (own and variable.base in dead):
            found = _union(found, self.read(assign.value))
        read = [*place.indices, *self.view.facts.deciding(assign.value)]
        found = _union(found, *map(self.read, read))
        if own:
            dead.add(variable.base)
        for e in (assign.value, *place.indices):
            dead -= self.view.facts.own_bases(e)
        return found

    def stored(self, place: Place, value: Expr, after: Cubes) -> Cubes:
        """The same condition before something is stored."""
        variable = place.variable
        if not variable.owned:
            return self.known(after, _part(GLOBAL, variable), value)
        (index,) = place.indices
        if self.view.is_owner(index):
            return NEVER if variable.base == self.x.base else self.known(after, _part(OWN, variable), value)
        elsewhere = self.named(after, variable, value)
        if self.view.is_other(index):
            return elsewhere
        if (part := self.view.part(index)) is not None:
            elsewhere = _both(elsewhere, _only(part, POINTER - {ME}))
        if variable.base == self.x.base:
            return elsewhere
        here = self.known(after, _part(OWN, variable), value)
        return _union(elsewhere, _both(self.view.names_owner(index), here))

    def named(self, after: Cubes, variable: Variable, value: Expr) -> Cubes:
        """Somebody else's pointer gets a value: P may be named by it now, or still by another."""
        part = (IN, variable.base, NAMED_OR_NOT)
        fresh = frozenset(_without(cube, part) for cube in after if part in dict(cube))
        return _union(after, _both(fresh, self.view.names_owner(value))) if fresh else after

    def known(self, after: Cubes, part: Part | None, value: Expr) -> Cubes:
        """A part of the state that P sees gets a value."""
        if part is None:
            return after
        found = [c for c in after if part not in dict(c)]
        for cube in after:
            if part in dict(cube):
                found += self.holds(_without(cube, part), value, dict(cube)[part])
        return _union(found)

    def holds(self, rest: Cube, value: Expr, wanted: Values) -> Cubes:
        """The rest of a cube, and the value is one of those."""
        view, one = self.view, frozenset({rest})
        if isinstance(value, Conditional):
            yes = _both(view.may_be(value.condition, True), self.holds(rest, value.then, wanted))
            return _union(yes, _both(view.may_be(value.condition, False), self.holds(rest, value.otherwise, wanted)))
        if not wanted <= POINTER:
            return NEVER if isinstance(value, Const) and value.value not in wanted else one
        if (values := view.values(value)) is not None:
            return one if values & wanted else NEVER
        if (part := view.part(value)) is not None:
            return _both(one, _only(part, wanted))
        return one if wanted - {ME} else _both(one, view.names_owner(value))


def _free(cubes: Cubes, x: Variable) -> Cubes:
    """SOUND: the condition must not depend on what it is about."""
    part = _part(OWN, x)
    return cubes if part is None else _union(_without(cube, part) for cube in cubes)


# ------------------------------------------------------------------------------------------------ the fixpoint


class Activity:
    """For each template, location and owned variable: where it matters."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.owned = [v for v in model.globals if v.owned]
        self.pids = {
            t.name: tuple(p for p, i in enumerate(model.instances) if i.template == t.name) for t in model.templates
        }
        self.actions = [(a, a.step) for t in model.templates for a in t.actions if isinstance(a.step, Transition)]
        self.writes = {a.id: {assign.place.variable.base for assign in step.assigns} for a, step in self.actions}
        self.looks = {a.id for a, step in self.actions if any(_looks(e) for e in evaluated(step))}
        self.facts = _Facts()
        self.made: dict[tuple[object, ...], Cubes] = {}
        self.active = {v.base: self.solve(v) for v in self.owned}

    def solve(self, x: Variable) -> dict[tuple[str, int], Cubes]:
        """The least condition that is closed under all steps."""
        found: dict[tuple[str, int], Cubes] = {}
        for template in self.model.templates:
            for location in {a.source for a in template.actions} | {a.target for a in template.actions}:
                found[template.name, location] = self.seen(template, location, x)
        changed = True
        while changed:
            changed = False
            for template in self.model.templates:
                for location in {a.source for a in template.actions}:
                    new = self.step(template, location, x, found)
                    if new != found[template.name, location]:
                        found[template.name, location], changed = new, True
        return found

    def steps(self, template: Template, location: int, x: Variable, own: bool) -> _Steps:
        """Steps of the owner, at this location, or of others."""
        view = _Viewpoint(own, template.name, location, template.labels, self.facts)
        return _Steps(view, x, self.pids[template.name])

    def seen(self, template: Template, location: int, x: Variable) -> Cubes:
        """Where invariants, and others, read it."""
        steps = self.steps(template, location, x, False)
        tops = [part for i in self.model.invariants for e in (i.condition, i.defined) for part in operands(e, "&&")]
        found = NEVER
        for part in tops:
            found = found if found == ALWAYS else _union(found, _free(steps.read(part), x))
        for action, _ in self.actions:
            found = found if found == ALWAYS else _union(found, self.others(template, location, x, action, NEVER))
        return found

    def others(self, template: Template, location: int, x: Variable, action: Action, after: Cubes) -> Cubes:
        """A step of another process; where P is counts only if that looks."""
        key = (x.base, action.id, after, template.name, location if action.id in self.looks else None)
        if key not in self.made:
            self.made[key] = self.steps(template, location, x, False).before(action, after)
        return self.made[key]

    def step(self, template: Template, location: int, x: Variable, found: dict[tuple[str, int], Cubes]) -> Cubes:
        """One more step back, of the owner or of others."""
        here = found[template.name, location]
        mine = self.steps(template, location, x, True)
        for action in template.actions_from(location):
            if here != ALWAYS and isinstance(action.step, Transition):
                here = _union(here, mine.before(action, found[template.name, action.target]))
        for cube in sorted(here, key=order):
            bases = {base for (_, base, _), _ in cube}
            for action, _ in self.actions:
                if here != ALWAYS and self.writes[action.id] & bases:
                    here = _union(here, self.others(template, location, x, action, frozenset({cube})))
        return here


def _looks(e: Expr) -> bool:
    """Does an expression ask where processes are that it names by number?"""
    return any(isinstance(part, AtLabel) and isinstance(part.pid, Const) for part in subexpressions(e))
