"""Partial-order reduction: where it is enough to let one process move.

Reference: Clarke, Grumberg, Peled, Model Checking (1999), chapter 10, conditions C0 to C3; Kurshan, Levin, Minea,
Peled, Yenigun, Static Partial Order Reduction (TACAS 1998), for the cycle condition; Holzmann and Peled, An Improvement
in Formal Verification (1994), for one process as the ample set, and for the ends of channels.
Differs: a process may move alone if nothing that the *others can still do from where they are* conflicts with its
location: that is known for each location, so exclusive ends of channels need no declaration, and what others no longer
touch is free.  Nothing depends on a stack: a depth-first search for errors has a condition on locations (`calm`), a
breadth-first one a weaker one, which needs no numbers of states (`layered`), and the product with a claim one that is
settled state by state (`settled`).

Why it is right.  C0, C1: at a candidate location, no action of others changes what the actions there do or whether
they can be executed; one of them can be.  C2: what a property looks at conflicts with whoever changes it.  C3: every
cycle of a process's control goes through a location that is not `calm`, so every cycle of states has one in which
everybody moves.  SOUND: C3 holds for the graph of states, not for the order in which a search meets them.  So it is
the same for breadth first and depth first, for threads, and for the quotient by a symmetry (a path from a state to its
image, repeated, is a cycle; where a symmetry exchanges locations, `together` sees to it).

A breadth-first search for errors and deadlocks (`layered`).  C3 is there so that nobody is left out for ever.  For
finite runs less is enough: a process may move alone from a stored state if *one of its moves leads to a new state*;
else the state waits once more, and everybody moves.  So candidates stay where a loop of one process would spoil them:
in loops that are bounded by a counter, or where messages go round.  SOUND: take a stored state, and a shortest run from
it to the error.  If everybody moves there, or who moves alone occurs in the run (its first step can be brought to the
front), a shorter run leads from a stored successor to the error.  Otherwise the same run leads there from the new
state.  That was stored later, and there are finitely many, so this ends.  Nothing here asks in what order states are
expanded, by how many threads, or whether a known state is taken for a new one, so it holds for all of these; and for a
quotient, since symmetries keep the lengths of runs.  States that are passed without being stored (`single`) are calm,
as before: otherwise a search could pass them for ever.

Claims (`settled`).  The product with a claim needs all of C3, but not for every location.  When the search first
expands a state of the model, it settles who moves there, and keeps to that whatever the claim does and whichever of
the searches asks: one process alone, if none of its moves leads to the state itself or to a state that is settled in
the same way; else everybody.  SOUND: a cycle of states where one moves alone would have one that was settled last, and
its successor on the cycle was settled before it.  So C3 holds for one graph of the model, that does not depend on the
claim, and the product with that graph is right (the classical stack condition on the product is not: Siegel 2019).  It
is a graph of stored states, so of representatives, if there is a symmetry: a run of the model is a run through them,
and passes one where everybody moves again and again.  States that are passed without being stored look like the one
where the passing ends: a claim that cannot count steps does not miss them.

Weak fairness.  With `fair`, a process that moves alone changes for nobody else whether it can start a step (a message
or room in a queue would).  SOUND: take a fair run.  Whoever may move alone can do so until it does, so it does: no
step need be added, steps are only brought forward.  Bringing one forward leaves the others able or unable to move as
they were, state by state, so who could not move again and again still cannot; and by C3 every step of the run is taken
in the end.  So the reduced graph has a fair run with the same steps.  Who cannot move in a state that is not stored
either moves on the way, or still cannot where the way ends.  Without `fair` that is wrong: if two processes each empty
a queue, one that waits for room in either of them is never seen waiting.

A worked example.

    active proctype A() { y = 1; y = 2; x = 1 }
    active proctype B() { x = 2; assert(x > 0) }

Nobody but A ever touches y, so A may move alone at `y = 1` and at `y = 2`.  At `x = 1` it may not, as long as B stands
before `x = 2` or before the assertion, which reads x.  B may not move alone before A is past `x = 1`.  So the search
goes to A before `x = 1` at once, tries both orders of the two assignments to x there, and goes straight on to the end.

>>> search("A() { y = 1; y = 2; x = 1 }", "B() { x = 2; assert(x > 0) }")
21 states without reduction, 5 with it; in the end (x, y) is (1, 2) or (2, 2) in both

Loops: A may not go round for ever alone.  One location of its loop is no candidate, so B moves, and its assertion
fails.

>>> candidates("A() { do :: y = 1; y = 2 od }", "B() { x = 2; assert(x == 3) }")
A before `y = 1`: A or B may move alone
A before `y = 2`: only B may
>>> search("A() { do :: y = 1; y = 2 od }", "B() { x = 2; assert(x == 3) }")
12 states without reduction, 2 with it; the assertion fails in both
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import NamedTuple

from ..core.model import (
    Action,
    Allocate,
    Binary,
    Const,
    Deterministic,
    Else,
    Enabled,
    End,
    Expr,
    Guard,
    LastPid,
    LocationOf,
    Model,
    NonProgress,
    Place,
    Priority,
    Receive,
    Return,
    Run,
    Send,
    SetPriority,
    Step,
    Template,
    Timeout,
)
from ..core.records import dataclass
from ..semantics.state import Process, State
from ..semantics.walk import parts_of, subexpressions
from .births import numbers_are_unseen
from .effects import ALL, LAST, NOTHING, PLACE, Effects, StepEffects, VisibleEffect, looks_far
from .footprint import observers
from .locks import UNKNOWN
from .queues import ChannelText, ChannelValues, Parameter

Lookups = tuple[tuple[int, int], ...]  # slot of a local variable, row of bits to look its value up in


class AmpleLocation(NamedTuple):
    """What matters about a location of a template: both are sets of bits, one for each effect or for several."""

    future: int  # what a process may do from here on
    conflicts: int | None  # what others must not be able to do, if it moves alone; None: it never does
    calm: bool = False  # every cycle of control leaves these locations, so that it need not find anything new
    single: bool = False  # calm, and it never has a choice there
    future_by: Lookups = ()  # the same, for channels that a variable of the process names
    conflicts_by: Lookups = ()


@dataclass(frozen=True)
class Ample:
    """For each template (by number) and location.  Every set fits into `bits` bits."""

    locations: tuple[dict[int, AmpleLocation], ...]
    observed: int  # what the property looks at: as if a process would read it for ever
    bits: int
    rows: tuple[tuple[int, ...], ...] = ()  # bits by the number of a channel; the last entry: made by a process

    def candidates(self, state: State, single: bool = False) -> Iterator[int]:
        """Processes that may move alone, if they can move, the youngest first; single: calm and without a choice."""
        here = [self.locations[p.template][p.location] for p in state.processes]
        futures = [x.future | self.found(x.future_by, p) for x, p in zip(here, state.processes, strict=True)]
        once, twice = self.observed, self.observed
        for future in futures:
            twice |= once & future
            once |= future
        for pid in reversed(range(len(here))):
            where = here[pid]
            if where.conflicts is not None and where.single >= single:
                conflicts = where.conflicts | self.found(where.conflicts_by, state.processes[pid])
                if not conflicts & (twice | once & ~futures[pid]):
                    yield pid

    def found(self, lookups: Lookups, process: Process) -> int:
        bits = 0
        for slot, row in lookups:
            bits |= self.rows[row][min(process.frame[slot], len(self.rows[row]) - 1)]
        return bits

    def together(self, alike: Iterable[tuple[int, frozenset[int]]]) -> Ample:
        """The table in which locations of a template (by number) that a symmetry exchanges are candidates together.

        SOUND: a cycle through representatives may leave out the location of its template where everybody moves, and
        pass an image of that location instead.
        """
        locations = [dict(table) for table in self.locations]
        for template, group in alike:
            table = locations[template]
            here = [n for n in group if n in table]
            if any(table[n].conflicts is None for n in here):
                table |= {n: table[n]._replace(conflicts=None, calm=False, single=False) for n in here}
            elif not all(table[n].calm for n in here):
                table |= {n: table[n]._replace(calm=False, single=False) for n in here}
        return replace(self, locations=tuple(locations))

    @property
    def useful(self) -> bool:
        return any(where.conflicts is not None for table in self.locations for where in table.values())

    @property
    def wants_new(self) -> bool:
        """Does a search have to see to it that nobody goes round alone?"""
        return any(where.conflicts is not None and not where.calm
                   for table in self.locations for where in table.values())  # fmt: skip


def ample(
    model: Model, most_bits: int | None = None, symmetric: bool = True, fair: bool = False, layered: bool = False
) -> Ample | None:
    """The table of a model with the claims that it carries, or None if nothing can be reduced.

    `symmetric`: steps that commute up to the addresses of objects count as independent.
    `fair`: only runs matter that are weakly fair to processes.
    `layered`: for searches that see to C3 themselves where a location is not calm: a breadth-first search of finite
    runs, which lets everybody move where one finds nothing new, and products, which settle it for each state.
    """
    if why_not(model):
        return None
    found = Analysis(model, symmetric, fair, layered).result(most_bits)
    return found if found.useful else None


def why_not(model: Model) -> str:
    """Why partial orders do not help at all, if so."""
    if model.uses_priority:
        return "priorities: who may move depends on everybody"
    if model.uses_last:
        return "_last: the model sees who moved"
    if any(t.provided is not None for t in model.templates):
        return "provided clauses: who may move depends on everybody"
    return ""


class Analysis:
    """Finds, location by location, where the moves of one process are enough."""

    def __init__(self, model: Model, symmetric: bool = True, fair: bool = False, layered: bool = False) -> None:
        self.model, self.fair, self.layered = model, fair, layered
        self.doing = StepEffects(model, symmetric, fair)
        self.channels, self.leaving = self.doing.channels, self.doing.leaving

    # ---------------------------------------------------------------- futures

    @cached_property
    def futures(self) -> dict[tuple[str, int], Effects]:
        """What a process of a template can still do from a location on, with all whom it starts."""
        found: dict[tuple[str, int], Effects] = {}
        doing = {id(a): self.doing.effects(t, a) | self.tests(t, a) for t in self.model.templates for a in t.actions}
        runs = {id(a): list(self.runs(t, a)) for t in self.model.templates for a in t.actions}
        changed = True
        while changed:
            changed = False
            for template in self.model.templates:
                for action in reversed(template.actions):
                    here = (template.name, action.source)
                    new = found.get(here, NOTHING) | doing[id(action)]
                    new |= found.get((template.name, action.target), NOTHING)
                    for run in runs[id(action)]:
                        entry = self.model.template(run.template).entry
                        new |= self.doing.passed(template.name, run, found.get((run.template, entry), NOTHING))
                    if new != found.get(here):
                        found[here], changed = new, True
        return found

    def widened(self, effects: Effects) -> Effects:
        """With all channels that variables can name in place of the variables."""
        wide: set[VisibleEffect] = set()
        for kind, what in effects:
            wide |= {(kind, q) for q in (self.channels.channels_of(what) if isinstance(what, Parameter) else (what,))}
        return frozenset(wide)

    def tests(self, template: Template, action: Action) -> Effects:
        """Channels whose filling matters beyond the send or receive itself.

        SOUND: beside `else` or an escape clause, and in a d_step, somebody else moves if this one cannot; inside an
        atomic sequence, control is lost.
        """
        beside = self.leaving[template.name][action.source]
        inside = any(a.keeps_control and a.target == action.source for a in template.actions)
        if not (inside or isinstance(action.step, Deterministic) or any(a.escape or _is_else(a) for a in beside)):
            return NOTHING
        effects = self.doing.effects(template, action)
        found: set[VisibleEffect] = {("test", what) for kind, what in effects if kind in ("send", "receive")}
        return frozenset(found | {LAST for kind, _ in effects if kind == "end"})

    def runs(self, template: Template, action: Action) -> Iterator[Run]:
        return (part.step for part in self.doing.parts(template, action) if isinstance(part.step, Run))

    # ---------------------------------------------------------------- candidates

    def candidate(self, template: Template, location: int) -> Effects | None:
        """What others must not be able to do if a process moves alone from here; None: it cannot."""
        first = self.leaving[template.name].get(location, [])
        if not first or location in self.inside(template):
            return None
        rest = self.atomic_rest(template, first)
        if not all(self.may_move_alone(template, a) for a in (*first, *rest)):
            return None
        strict = self.fair or not self.is_uniform(template, first)
        conflicts: set[VisibleEffect] = {ALL}
        for action in first:
            begin, *following = self.doing.parts(template, action)
            conflicts |= self.doing.avoided(template, begin, strict)
            for part in following:
                conflicts |= self.doing.avoided(template, part, True)
        for action in rest:
            for part in self.doing.parts(template, action):
                conflicts |= self.doing.avoided(template, part, True)
                conflicts |= self.doing.ends if isinstance(part.step, End) else NOTHING  # it waits until it is the last
        for action in (*first, *rest):
            conflicts |= self.meetings(template, action.target)
            for run in self.runs(template, action):
                conflicts |= self.starting(template, run)
            if not self.doing.symmetric and self.doing.moves_places(template, action):
                conflicts.add(PLACE)
        return frozenset(conflicts)

    def starting(self, template: Template, run: Run) -> Effects:
        """What must not happen before a process is started: what its initial values read, or who sees it wait."""
        started = self.model.template(run.template)
        found: set[VisibleEffect] = set()
        for effect in self.doing.beginning(template.name, run):
            found |= self.doing.opposite(effect)
        met = frozenset(self.meetings(started, started.entry))
        return frozenset(found) | self.doing.passed(template.name, run, met)

    @cached_property
    def births_are_free(self) -> bool:
        """Does it not matter in which order processes are started?

        SOUND: numbers are unseen, and nobody leaves (`transform/linger.py`), so states that differ in the order of
        births differ in nothing that anybody can tell.
        """
        leaves = any(isinstance(s, End) for t in self.model.templates for a in t.actions for s in parts_of(a.step))
        return not leaves and numbers_are_unseen(self.model)

    def first_steps(self, template: Template, location: int) -> list[Step]:
        """What the actions there begin with."""
        actions = self.leaving[template.name].get(location, [])
        return [self.doing.parts(template, a)[0].step for a in actions]

    def meetings(self, template: Template, location: int) -> set[VisibleEffect]:
        """SOUND: who arrives at a rendezvous is seen by those who would do something else without it.

        And by a sender that waits: now it can start a step.
        """
        steps = self.first_steps(template, location)
        meeting = [
            s.channel for s in steps if isinstance(s, Send | Receive)
            and any(self.channels.types[q].capacity == 0 for q in self.channels.of(s.channel, template.name))
        ]  # fmt: skip
        kinds = ("test", "send") if self.fair else ("test",)
        return {(kind, q) for channel in meeting for q in self.channels.named(channel, template.name) for kind in kinds}

    def inside(self, template: Template) -> frozenset[int]:
        """Locations inside of d_steps: nobody is ever seen there."""
        steps = [a.step for a in template.actions]
        return frozenset(n for s in steps if isinstance(s, Deterministic) for n in s.inside)

    def atomic_rest(self, template: Template, first: Iterable[Action]) -> list[Action]:
        """What may follow in the same atomic sequence."""
        rest: list[Action] = []
        seen: set[int] = set()
        todo = [a.target for a in first if a.keeps_control]
        while todo:
            location = todo.pop()
            if location not in seen:
                seen.add(location)
                actions = self.leaving[template.name].get(location, [])
                rest += actions
                todo += [a.target for a in actions if a.keeps_control]
        return rest

    def may_move_alone(self, template: Template, action: Action) -> bool:
        if self.doing.prints.of(template, action).exposed or self.is_marked(template, action):
            return False
        # SOUND: what is lost depends on all pointers of all processes.
        if self.model.watch_leaks and self.doing.forgets(template, action):
            return False
        return all(self.is_quiet(part.step, template.name) for part in self.doing.parts(template, action))

    def is_marked(self, template: Template, action: Action) -> bool:
        """Does the action change something that a property of infinite runs counts?"""
        ends = (action.source, action.target)
        kinds = {c.kind for c in self.model.claims}
        marks = template.accept_locations if "accept" in kinds else frozenset()
        looks = any(isinstance(e, NonProgress) for top in observers(self.model) for e in subexpressions(top))
        if looks or "non-progress" in kinds:
            marks |= template.progress_locations
        return any(n in marks for n in ends)

    def is_quiet(self, step: Step, template: str) -> bool:
        """Is everything that the step depends on, or changes, a effect that others can avoid?"""
        if isinstance(step, SetPriority) or (isinstance(step, Run) and not self.births_are_free):
            return False
        if isinstance(step, End) and any(
            name == template for name, _ in (*self.doing.remote.variables, *self.doing.remote.locations)
        ):
            return False
        if isinstance(step, Send | Receive):
            types = [self.channels.types[q] for q in self.channels.of(step.channel, template)]
            if not types or any(t.capacity == 0 for t in types):
                return False
        return not looks_far(step)

    def is_uniform(self, template: Template, actions: list[Action]) -> bool:
        """Do all actions take from one channel, or all send to one?  Then others cannot change who of them can.

        SOUND: the head of a queue stays, and so does room in it, as long as nobody else is at the same end.
        """
        steps = [self.doing.parts(template, a)[0].step for a in actions]
        if any(isinstance(a.step, Deterministic) for a in actions):
            return False
        if all(isinstance(s, End) for s in steps):
            return True
        if not isinstance(steps[0], Send | Receive) or {type(s) for s in steps} != {type(steps[0])}:
            return False
        if len({_anywhere(s.channel) for s in steps if isinstance(s, Send | Receive)}) > 1:
            return False
        # SOUND: of several receives out of the middle, a message that comes later could enable another one.
        return len(steps) == 1 or not any(isinstance(s, Receive) and s.anywhere for s in steps)

    def is_single(self, template: Template, location: int) -> bool:
        """Can at most one action be executed, whatever the state?"""
        steps = [s for s in self.first_steps(template, location) if not isinstance(s, Else)]
        if any(isinstance(s, Allocate) and s.type in self.doing.points.recycled for s in steps):
            return False
        return len(steps) == 1 or _exclude_each_other(steps)

    # ---------------------------------------------------------------- the cycle condition

    def candidates(self, template: Template) -> dict[int, Effects]:
        return {n: e for n in self.leaving[template.name] if (e := self.candidate(template, n)) is not None}

    def calm(self, template: Template, candidates: Iterable[int]) -> set[int]:
        """Candidates, without enough of them that every cycle has a location where everybody moves."""
        found = set(candidates)
        passed = {a.target for a in template.actions if a.keeps_control}  # states there are not always stored
        while (sticky := self.on_a_cycle(template, found, passed)) is not None:
            found.remove(sticky)
        return found

    def on_a_cycle(self, template: Template, found: set[int], passed: set[int]) -> int | None:
        """A candidate on a cycle where nobody else need move.

        The one that most jumps lead back to: few are needed.  For a search that only asks which states need not be
        stored (`layered`), rather one at which there is a choice: states there are stored anyway.
        """
        inside = found | passed
        after = {n: [a.target for a in self.leaving[template.name].get(n, []) if a.target in inside] for n in inside}
        looping = [n for n in sorted(found) if n in _reach(after, after[n])]
        if not looping:
            return None
        back = [target for n in looping for target in after[n] if target <= n]
        stored = {n: self.layered and not self.is_single(template, n) for n in looping}
        return max(looping, key=lambda n: (stored[n], back.count(n), -n))

    # ---------------------------------------------------------------- as bits

    def result(self, most_bits: int | None) -> Ample:
        """The table of all locations: what may still be done from there, and what an ample set there conflicts with."""
        candidates = {t.name: self.candidates(t) for t in self.model.templates}
        calm = {name: self.calm(self.model.template(name), table) for name, table in candidates.items()}
        if not self.layered:
            candidates = {name: {n: e for n, e in table.items() if n in calm[name]}
                          for name, table in candidates.items()}  # fmt: skip
        columns = self.columns(candidates)
        size = min(len(columns), most_bits or len(columns))
        bit = {e: i % size for i, column in enumerate(columns) for e in column}  # SOUND: a shared bit is a union
        code = _Code(bit, self.channels, made_at_start(self.model))
        tables = []
        for template in self.model.templates:
            table = {}
            for n in {a.source for a in template.actions} | {a.target for a in template.actions}:
                future = self.futures.get((template.name, n), NOTHING)
                conflicts = candidates[template.name].get(n)
                table[n] = AmpleLocation(code.bits(future), None, future_by=code.lookups(future))
                if conflicts is not None:
                    is_calm = n in calm[template.name]
                    table[n] = table[n]._replace(
                        conflicts=code.bits(conflicts), conflicts_by=code.lookups(conflicts), calm=is_calm,
                        single=is_calm and self.is_single(template, n),
                    )  # fmt: skip
            tables.append(table)
        return Ample(tuple(tables), code.bits(self.observed), size, tuple(code.rows))

    def columns(self, candidates: dict[str, dict[int, Effects]]) -> list[list[VisibleEffect]]:
        """Effects that all sets have or have not together need one bit; channels that variables name are kept apart."""
        conflicts = [effects for table in candidates.values() for effects in table.values()]
        sets = [*self.futures.values(), self.observed, *conflicts]
        variables = {what for s in sets for _, what in s if isinstance(what, Parameter)}
        looked_up = {q for variable in variables for q in self.channels.channels_of(variable)}
        groups: dict[tuple[object, ...], list[VisibleEffect]] = {}
        conflicting = self.widened(NOTHING.union(*conflicts))
        for effect in sorted(conflicting - self.doing.watchable(conflicting), key=repr):
            kind, what = effect
            apart = what if what in looked_up else None
            by_variables = tuple((kind, v) in s for s in sets for v in sorted(variables)) if apart else ()
            groups.setdefault((apart, by_variables, *(effect in s for s in sets)), []).append(effect)
        # SOUND: every event that a trace assertion watches changes the same thing; the others change nothing of it.
        watched = [sorted(self.doing.watched, key=repr)] if conflicting & self.doing.watched else []
        return [*groups.values(), *watched]

    @cached_property
    def observed(self) -> Effects:
        found: set[VisibleEffect] = set()
        for e in observers(self.model):
            found |= set(self.doing.reads(e, "", UNKNOWN))
            if any(isinstance(part, Timeout) for part in subexpressions(e)):
                found.add(ALL)
        found.discard(ALL) if self.only_progress() else None
        return frozenset(found)

    def only_progress(self) -> bool:
        """Is np_ the only thing that a property sees of everybody?  `is_marked` takes care of that."""
        parts = [p for e in observers(self.model) for p in subexpressions(e)]
        return not any(isinstance(p, Timeout | Enabled | LocationOf | LastPid | Priority) for p in parts)


def made_at_start(model: Model) -> list[ChannelText]:
    """The channels with the numbers 1, 2, ... in every state."""
    made = {c.offset for c in model.channels}
    return [ChannelText("", slot) for v in model.globals for slot in range(v.base, v.base + v.size) if slot in made]


@dataclass
class _Code:
    """Effects as bits; those to channels that variables name as rows, to be looked up in a state."""

    bit: dict[VisibleEffect, int]
    channels: ChannelValues
    made: list[ChannelText]
    rows: list[tuple[int, ...]] = field(default_factory=list)

    def bits(self, effects: Iterable[VisibleEffect]) -> int:
        return sum({1 << self.bit[d] for d in effects if d in self.bit})

    def lookups(self, effects: Effects) -> Lookups:
        found = []
        for variable in sorted({what for _, what in effects if isinstance(what, Parameter)}):
            row = self.row(variable, sorted(kind for kind, what in effects if what == variable))
            if any(row):
                self.rows += [] if row in self.rows else [row]
                found.append((variable.slot, self.rows.index(row)))
        return tuple(found)

    def row(self, variable: Parameter, kinds: list[str]) -> tuple[int, ...]:
        # SOUND: a channel that a process makes may have any number behind those that are there from the start.
        later = [q for q in self.channels.channels_of(variable) if q.template]
        known = [self.bits((kind, q) for kind in kinds) for q in self.made]
        return (0, *known, self.bits((kind, q) for kind in kinds for q in later))


def _is_else(action: Action) -> bool:
    return isinstance(action.step, Else)


def _anywhere(e: Expr) -> Expr:
    """The expression, wherever in the source it stands; one that is not simple keeps its place."""
    return Place(e.variable, tuple(map(_anywhere, e.indices))) if isinstance(e, Place) else e


def _exclude_each_other(steps: Sequence[Step]) -> bool:
    """Are they conditions that compare the same thing with different constants?"""
    if all(isinstance(s, Return) for s in steps):
        return True  # there is one for each call
    compared, values = set(), set()
    for step in steps:
        if not (isinstance(step, Guard) and isinstance(step.condition, Binary) and step.condition.op == "=="):
            return False
        left, right = step.condition.left, step.condition.right
        if not (isinstance(right, Const) and isinstance(left, Place)):
            return False
        compared.add(_anywhere(left))
        values.add(right.value)
    return len(compared) == 1 and len(values) == len(steps)


def _reach(after: dict[int, list[int]], start: list[int]) -> set[int]:
    seen, todo = set(start), list(start)
    while todo:
        for n in after[todo.pop()]:
            if n not in seen:
                seen.add(n)
                todo.append(n)
    return seen
