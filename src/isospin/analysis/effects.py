"""What steps do to what others see, and what must not happen around them: the basis of partial-order reduction.

Reference: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems (LNCS 1032), chapter 3; for the
ends of channels Holzmann and Peled, An Improvement in Formal Verification (1994); for objects Iosif, Symmetry reduction
criteria for software model checking (dSPIN), section 5.
Differs: only one direction counts.  A step of a process that moves alone is taken before those of the others, so what
matters is that it could have come later just the same, not that they could have come earlier.

Objects.  States that differ in addresses only are the same for every property, whether the search folds them or not:
that is what `symmetric` independence rests on.  Two `new` of different processes commute up to addresses.  A pointer
that is overwritten changes which places are named, and so where `new` may put its object, but an object in a place that
nobody names any more is like one in any other.  `delete` gives `new` a place to use again, if a dangling pointer to it
is left and that can be seen (`points.never_compared` says when not).  SOUND: a bound on objects is none of the model's
steps: a `new` beyond it is cut off and the search is incomplete, so what is right without a bound is right with it.
Without `symmetric`, everything that changes where the next object goes depends on every `new`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeGuard

from ..core.model import (
    Action,
    Allocate,
    AtLabel,
    Binary,
    Call,
    ChannelTest,
    Delete,
    Enabled,
    End,
    Expr,
    Field,
    Guard,
    LastPid,
    LocationOf,
    Model,
    NonProgress,
    Observe,
    Place,
    Poll,
    Priority,
    ProcessCount,
    Receive,
    RemoteRead,
    Return,
    Run,
    Send,
    SetPriority,
    Step,
    Target,
    Template,
    Timeout,
    is_pointer,
)
from ..semantics.walk import by_source, evaluated, slot_of, stored, stored_fields, subexpressions
from .footprint import Footprints
from .locks import UNKNOWN, Locks, Possession, key_of, known_flow
from .owned import Owned
from .points import PointsTo, Site
from .queues import ChannelText, ChannelValues, Parameter, is_channel

# read, write (a slot of the globals, or of the objects of a site); send, receive, sort, test (a Queue or Parameter);
# use (a channel that goes with a process of this template); follow, delete (objects of a site), new (a type); run,
# count, end (of a template), last (an end at which others see that it waits); place (what moves the next `new`); all;
# watch send, watch receive (a channel): the same as send and receive, for a trace assertion
VisibleEffect = tuple[str, object]
Effects = frozenset[VisibleEffect]
NOTHING: Effects = frozenset()
RUN, LAST, COUNT, PLACE, ALL = ("run", 0), ("last", 0), ("count", 0), ("place", 0), ("all", 0)


class _Part(NamedTuple):
    """A step of an action, and the objects that the process has for itself when it comes to it."""

    step: Step
    known: Possession


class StepEffects:
    """What the steps of one model do."""

    def __init__(self, model: Model, symmetric: bool = True, fair: bool = False) -> None:
        self.model, self.symmetric, self.fair = model, symmetric, fair
        self.prints = Footprints(model)
        self.remote = self.prints.remote
        self.channels = ChannelValues(model)
        self.points = PointsTo(model)
        self.flows = {t.name: known_flow(t, self.points, self.seen_in(t)) for t in model.templates}
        self.locks = Locks(model, self.flows)
        self.leaving = {t.name: by_source(t.actions) for t in model.templates}
        self.sends_pointers = any(is_pointer(f) for t in self.channels.types.values() for f in t.fields)

    def seen_in(self, template: Template) -> Owned:
        return frozenset(base for name, base in self.remote.variables if name == template.name)

    def parts(self, template: Template, action: Action) -> list[_Part]:
        """The single steps of an action, those inside of a d_step in no order."""
        return [_Part(step, known) for step, known in self.flows[template.name].before(action)]

    # ---------------------------------------------------------------- what is done

    def effects(self, template: Template, action: Action) -> Effects:
        """Everything that an action does."""
        found: set[VisibleEffect] = set()
        for step, known in self.parts(template, action):
            found |= set(self.own(step, template.name))
            found |= self.beginning(template.name, step) if isinstance(step, Run) else NOTHING
            for e in evaluated(step):
                found |= set(self.reads(e, template.name, known))
                found |= {ALL} if _depends_on_rest(step, e) else set()
            for place in stored(step):
                found |= {("write", slot) for slot in self.open_slots(place)} if not place.variable.is_local else set()
            for field in self.shared_fields(stored_fields(step), known.owned):
                found |= {("write", cell) for cell in self.cells(field, template.name)}
                found |= {("follow", site) for site in self.followed(field, template.name, known)}
        return frozenset(found | ({PLACE} if self.moves_places(template, action) else set()))

    def reads(self, e: Expr, template: str, known: Possession) -> Iterator[VisibleEffect]:
        """What evaluating an expression does.  What others see of a process is handled where it moves."""
        for part in subexpressions(e):
            match part:
                case Place(variable) if not variable.is_local:
                    yield from (("read", slot) for slot in self.open_slots(part))
                case Field() if not _is_owned(part, known.owned):
                    yield from (("read", cell) for cell in self.cells(part, template))
                    yield from (("follow", site) for site in self.followed(part, template, known))
                case ChannelTest(_, channel) | Poll(channel):
                    yield from (("test", q) for q in self.channels.named(channel, template))
                    yield from self.uses(channel, template)
                case ProcessCount():
                    yield COUNT
                case Enabled() | LocationOf() | NonProgress() | LastPid() | Priority():
                    yield ALL

    def own(self, step: Step, template: str) -> Iterator[VisibleEffect]:
        """What the kind of step itself does: to channels, to objects, to the set of processes."""
        match step:
            case Send(channel, _, in_order):
                for q in self.channels.named(channel, template):
                    yield "send", q
                    yield from [("sort", q)] if in_order else []
                    yield from self.watching("send", q)
                yield from self.uses(channel, template)
            case Receive(channel):
                for q in self.channels.named(channel, template):
                    yield "receive", q
                    yield from self.watching("receive", q)
                yield from self.uses(channel, template)
            case Allocate(_, kind):
                yield "new", kind
            case Delete(pointer):
                yield from (("delete", site) for site in self.points.of(pointer, template))
            case Run():
                yield RUN
            case End():
                yield "end", template
            case SetPriority():
                yield ALL

    def watching(self, event: str, channel: ChannelText | Parameter) -> Iterator[VisibleEffect]:
        """A trace assertion is a variable that the events change which it watches."""
        if self.watched:
            yield f"watch {event}", channel

    @staticmethod
    def watchable(effects: Effects) -> Effects:
        return frozenset((kind, what) for kind, what in effects if kind.startswith("watch "))

    @cached_property
    def watched(self) -> Effects:
        """The events that a trace assertion is about."""
        if self.model.monitor is None:
            return NOTHING
        steps = [a.step for a in self.model.monitor.template.actions]
        return frozenset((f"watch {s.event}", q) for s in steps if isinstance(s, Observe)
                         for q in self.channels.of(s.channel, ""))  # fmt: skip

    def uses(self, channel: Expr, template: str) -> Iterator[VisibleEffect]:
        """SOUND: a channel that its process takes with it when it ends cannot be used any more."""
        return (("use", name) for name in self.channels.makers(channel, template))

    def beginning(self, template: str, run: Run) -> Effects:
        """What the initial values of a started process read, in the names of the process that starts it."""
        started, found = self.model.template(run.template), set[VisibleEffect]()
        for e in (e for v in started.locals for e in v.initial):
            found |= set(self.reads(e, started.name, UNKNOWN))
            found |= {ALL} if _has_timeout(e) else set()
        return self.passed(template, run, frozenset(found))

    def passed(self, template: str, run: Run, effects: Effects) -> Effects:
        """What a started process does, in the names of the one that starts it: parameters are what they are given."""
        given = dict(zip((p.base for p in self.model.template(run.template).parameters), run.values, strict=True))
        found: set[VisibleEffect] = set()
        for kind, what in effects:
            if not isinstance(what, Parameter):
                found.add((kind, what))
            elif _is_channel_name(value := given.get(what.slot)):
                found |= {(kind, q) for q in self.channels.named(value, template)}
            else:
                found |= {(kind, q) for q in self.channels.channels_of(what)}
        return frozenset(found)

    def open_slots(self, place: Place) -> Iterable[int]:
        """The slots that a global place can be; none if a lock keeps others away."""
        return () if key_of(place) in self.locks.protected else _slots(place)

    def followed(self, field: Field, template: str, known: Possession) -> Iterable[Site]:
        """The objects that `p->f` can be of; none if nobody else can delete it meanwhile."""
        return () if self.locks.is_safe(field, known) else self.points.of(field.pointer, template)

    def cells(self, field: Field, template: str) -> Iterable[tuple[Site, int]]:
        """The fields that `p->f` can be; none if a lock keeps others away."""
        if key_of(field) in self.locks.protected:
            return ()
        sites = self.points.of(field.pointer, template)
        return ((site, slot) for site in sites for slot in _slots(field))

    @staticmethod
    def shared_fields(fields: Iterable[Field], owned: Owned) -> Iterator[Field]:
        return (f for f in fields if not _is_owned(f, owned))

    # ---------------------------------------------------------------- where objects go

    @cached_property
    def can_dangle(self) -> bool:
        return bool(self.points.deleted)

    def moves_places(self, template: Template, action: Action) -> bool:
        """Can the action change where the next object goes?"""
        changes = any(isinstance(part.step, Allocate | Delete) for part in self.parts(template, action))
        return changes or (self.can_dangle and self.forgets(template, action))

    def forgets(self, template: Template, action: Action) -> bool:
        """Does the action forget pointers?"""
        cleared = any(is_pointer(v.type) for v in action.clears)
        return cleared or any(self.overwrites(template, part.step) for part in self.parts(template, action))

    def overwrites(self, template: Template, step: Step) -> bool:
        targets: list[Target] = [*stored(step), *stored_fields(step)]
        if any(is_pointer(t.variable.type) for t in targets):
            return True
        if isinstance(step, End):
            messages = any(is_pointer(f) for c in template.channels for f in c.type.fields)
            return messages or any(is_pointer(v.type) for v in template.locals)
        return isinstance(step, Delete | Call | Return) or (isinstance(step, Receive) and self.sends_pointers)

    # ---------------------------------------------------------------- what others must not do

    def opposite(self, effect: VisibleEffect) -> set[VisibleEffect]:
        """What changes the result of a effect that only looks."""
        kind, what = effect
        match kind:
            case "read":
                return {("write", what)}
            case "test":
                return {("send", what), ("receive", what)}
            case "follow":
                assert isinstance(what, int)
                return {("delete", what)} | self.revival(what)
            case "count":
                return {RUN} | self.ends
            case "use":
                return {("end", what)}
        return {ALL}

    @cached_property
    def ends(self) -> set[VisibleEffect]:
        return {("end", t.name) for t in self.model.templates}

    def revival(self, site: Site) -> set[VisibleEffect]:
        """SOUND: a dangling pointer is good again when an object takes the place that it names."""
        return {("new", self.points.types[site])} if self.points.is_recycled(site) else set()

    def avoided(self, template: Template, part: _Part, strict: bool) -> set[VisibleEffect]:
        """What must not happen before or between; strict: nor what only enables or disables the step."""
        step, known = part
        found: set[VisibleEffect] = set()
        for e in evaluated(step):
            for effect in self.reads(e, template.name, known):
                found |= self.opposite(effect)
        # SOUND: who looks at a lock that is given back could not move before.  For fairness it matters that now it can.
        free = self.locks.gives_back(step) is not None and not self.fair
        for place in stored(step) if not free else ():
            if not place.variable.is_local:
                found |= {(kind, slot) for slot in self.open_slots(place) for kind in ("read", "write")}
        for field in self.shared_fields(stored_fields(step), known.owned):
            cells = () if free else self.cells(field, template.name)
            found |= {(kind, cell) for cell in cells for kind in ("read", "write")}
            for site in self.followed(field, template.name, known):
                found |= self.opposite(("follow", site))
        return found | self.avoided_beyond(template, part, strict)

    def avoided_beyond(self, template: Template, part: _Part, strict: bool) -> set[VisibleEffect]:
        """What others must not do before this step, besides what its footprint says."""
        found: set[VisibleEffect] = set()
        match part.step:
            case Send(channel, _, in_order):
                for q in self.channels.named(channel, template.name):
                    found |= {("send", q), ("test", q)} | ({("receive", q)} if strict or in_order else set())
                    found |= set(self.watching("send", q))
                found |= {("end", name) for name in self.channels.makers(channel, template.name)}
            case Receive(channel):
                for q in self.channels.named(channel, template.name):
                    found |= {("receive", q), ("test", q), ("sort", q)} | ({("send", q)} if strict else set())
                    found |= set(self.watching("receive", q))
                found |= {("end", name) for name in self.channels.makers(channel, template.name)}
            case Allocate(_, kind):
                # SOUND: what others delete, while pointers to it are left, is a place more where the object may go.
                found |= {("delete", site) for site, t in self.points.types.items()
                          if t == kind and self.points.is_recycled(site)}  # fmt: skip
            case Delete(pointer) if not (isinstance(pointer, Place) and self.is_own(pointer, part.known.owned)):
                for site in self.points.of(pointer, template.name):
                    found |= {("follow", site), ("delete", site)} | self.revival(site)
            case End():  # its channels go with it
                found |= {RUN, COUNT, LAST, ("use", template.name)}
        return found

    @staticmethod
    def is_own(pointer: Place, owned: Owned) -> bool:
        return pointer.variable.is_local and pointer.variable.base in owned


# ------------------------------------------------------------------------------------------------ small questions


def _is_owned(field: Field, owned: Owned) -> bool:
    pointer = field.pointer
    return isinstance(pointer, Place) and pointer.variable.is_local and pointer.variable.base in owned


def _is_channel_name(e: Expr | None) -> TypeGuard[Place]:
    return isinstance(e, Place) and is_channel(e.variable)


def _slots(place: Place | Field) -> Iterable[int]:
    """The slots that a place can be."""
    one = slot_of(place)
    return range(place.variable.base, place.variable.base + place.variable.size) if one is None else (one,)


FAR = (Timeout, Enabled, LocationOf, NonProgress, LastPid, Priority, AtLabel, RemoteRead)


def looks_far(step: Step) -> bool:
    """Does the step look at what is no effect of others?"""
    return any(isinstance(e, FAR) for top in evaluated(step) for e in subexpressions(top))


def _depends_on_rest(step: Step, e: Expr) -> bool:
    """Does the step see that others can move?

    SOUND: `timeout` as a condition that must be true is no conflict: as long as somebody who may move alone has not
    moved, it is false, and nothing of that kind can happen.
    """
    if not _has_timeout(e):
        return False
    return not (isinstance(step, Guard) and _waits_for_timeout(e))


def _waits_for_timeout(e: Expr) -> bool:
    """Is the condition false unless there is a timeout?"""
    if isinstance(e, Timeout):
        return True
    return (
        isinstance(e, Binary)
        and e.op == "&&"
        and (
            (_waits_for_timeout(e.left) and not _has_timeout(e.right))
            or (_waits_for_timeout(e.right) and not _has_timeout(e.left))
        )
    )


def _has_timeout(e: Expr) -> bool:
    return any(isinstance(part, Timeout) for part in subexpressions(e))
