"""Locks that are used as locks, and what they protect: whoever holds one is alone with it.

Reference: Dwyer, Hatcliff, Robby, Ranganath, Exploiting Object Escape and Locking Information in Partial-Order
Reductions (Formal Methods in System Design, 2004); Savage, Burrows, Nelson, Sobalvarro, Anderson, Eraser (ACM TOCS
1997), for the locks that all accesses have in common; Lipton, Reduction (CACM 1975), for giving a lock back.
Differs: nobody declares a lock.  It is found in the text, as a variable or as a field of objects, and nothing has to be
looked up in a state.

A number (a global variable, or a field of objects) is a lock if all that is done with it is this:

    atomic { !p->locked -> p->locked = 1 }    take it: wait until it is 0, and set it to 1 in the same step
    p->locked = 0                             give it back, by a process that holds it
    p->locked = 1                             by the only process that knows the object; it holds the lock then
    delete p                                  by a process that holds the lock, or the only one that knows the object

and if it is 0 in the beginning, and read by nobody else but by who holds it.  Which locks a process holds at a location
is known from the text: groups of local variables, each of which is null or names one object whose lock it holds.

SOUND: at most one process holds a lock.  It is taken only while it is 0, it is set to 0 only by who holds it, and an
object whose lock is held is not deleted by others.  Variables of two groups name different objects: the lock of the
second was found free while that of the first was held.  What is touched only by processes that hold one and the same
lock (or that are the only ones to know the object) is therefore as good as local: as long as a process holds the lock,
nobody else comes to a step that touches it.  The same is true of a condition that waits for the lock in passing
(`!busy && head != null`): it is false until then.  Giving a lock back changes what others can do, but whoever looks at
the lock waits for it, and cannot move before; so nothing that happens before is in conflict with it.  That is wrong
beside `else`, in the middle of an atomic sequence (which is interrupted if it must wait), and for weak fairness.

A worked example.

    typedef Node { bool locked; byte count };
    active [2] proctype P() { Node *p; p = first; atomic { !p->locked -> p->locked = true }; p->count++; ... }

`p->count` is touched only with the lock of the same node, so only taking the lock is in conflict with others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..core.model import (
    Action,
    Assign,
    Binary,
    Call,
    Const,
    Delete,
    Deterministic,
    Else,
    Expr,
    Field,
    Guard,
    Model,
    Place,
    Return,
    Step,
    Store,
    Target,
    Template,
    Unary,
    is_pointer,
    pointed_to,
)
from ..semantics.walk import evaluated, operands, parts_of, stored, stored_fields, subexpressions
from .flow import FactFlow
from .footprint import deciding, observers
from .owned import NONE, Owned, owned_after
from .points import PointsTo

Key = tuple[str, int]  # a field of the objects of a type, or a global variable (type "")
Keys = frozenset[Key]
Hold = tuple[Key, Owned]  # a lock, and the local variables that name its object; none: a global lock
Test = tuple[Key, int]  # a lock, and the variable that names its object
NOBODY = -1  # in place of that variable, for a global lock
DELETED = -1  # in place of a field: the object itself


class Possession(NamedTuple):
    """What a process has for itself at a location.  A variable that is said to name something may also be null."""

    owned: Owned = NONE  # variables whose objects nobody else knows
    held: frozenset[Hold] = frozenset()
    free: frozenset[Test] = frozenset()  # locks that were found free in this very step
    null: Owned = NONE  # variables that are null for sure

    def holds(self, key: Key, pointer: int) -> bool:
        return any(k == key and (pointer in group or pointer == NOBODY) for k, group in self.held)


UNKNOWN = Possession()
Flows = dict[str, FactFlow[Possession]]


# ------------------------------------------------------------------------------------------------ what is known where


def known_flow(template: Template, points: PointsTo, seen: Owned) -> FactFlow[Possession]:
    """`seen`: variables of the template that others look at."""
    recycled = points.recycled
    inside = {n for a in template.actions if isinstance(a.step, Deterministic) for n in a.step.inside}

    def after(known: Possession, step: Step) -> Possession:
        held, free = _locks_after(known, step)
        null = _null_after(known.null, step)
        return _without(Possession(owned_after(known.owned, step, recycled, seen), held, free), null)._replace(
            null=null
        )

    def left(known: Possession, action: Action) -> Possession:
        cleared = frozenset(v.base for v in action.clears if v.is_local)
        free = known.free if action.keeps_control or action.target in inside else frozenset()
        return _without(known._replace(free=free), cleared)._replace(null=known.null | cleared)

    return FactFlow(template, UNKNOWN, after, left, _both)


def _both(one: Possession, other: Possession) -> Possession:
    """What is true on both ways.  SOUND: who follows a pointer that is null is in error, whatever was known of it."""
    owned = one.owned & (other.owned | other.null) | other.owned & one.null
    return Possession(owned, _common(one, other), one.free & other.free, one.null & other.null)


def _common(one: Possession, other: Possession) -> frozenset[Hold]:
    """SOUND: each group meets at most one of the other way: two parts of one group name the same object."""
    found, rest = set(), sorted(other.held, key=_in_order)
    for key, group in sorted(one.held, key=_in_order):
        fits = [hold for hold in rest if hold[0] == key and (hold[1] & group or not group)]
        best = max(fits, key=lambda hold: len(hold[1] & group), default=None)
        names = NONE if best is None else best[1]
        if best is not None:
            rest.remove(best)
        both = group & (names | other.null) | names & one.null
        found |= {(key, both)} if both or (best is not None and not group) else set()
    return frozenset(found | {(key, group & one.null) for key, group in rest if group & one.null})


def _in_order(hold: Hold) -> tuple[Key, list[int]]:
    return hold[0], sorted(hold[1])


def _without(known: Possession, variables: Owned) -> Possession:
    """With variables that name something else now."""
    held = {(key, group - variables) for key, group in known.held if not group or group - variables}
    free = {(key, pointer) for key, pointer in known.free if pointer not in variables}
    return Possession(known.owned - variables, frozenset(held), frozenset(free), known.null - variables)


def _locks_after(known: Possession, step: Step) -> tuple[frozenset[Hold], frozenset[Test]]:
    """What a process holds behind a step, and which locks it found free."""
    written = frozenset(p.variable.base for p in stored(step) if p.variable.is_local)
    kept, copies = _without(known, written), list(_copies(step))
    groups = ((key, group, group - written | {into for into, value in copies if value in group})
              for key, group in known.held)  # fmt: skip
    held = {(key, now) for key, group, now in groups if now or not group}
    free = kept.free if isinstance(step, Assign | Store) else frozenset[Test]()
    if isinstance(step, Guard):
        free |= {test for part in operands(step.condition, "&&") if (test := _tested(part)) is not None}
    if isinstance(step, Delete) and (pointer := _variable(step.pointer)) is not None:
        held = {hold for hold in held if pointer not in hold[1]}
    if (setting := _written(step)) is not None:
        (key, pointer), value = setting
        if value and not known.holds(key, pointer):
            held.add((key, NONE if pointer == NOBODY else frozenset({pointer})))
        elif not value:
            held = {hold for hold in held if not (hold[0] == key and (pointer in hold[1] or pointer == NOBODY))}
        free = frozenset(test for test in free if test[0] != key)
    return frozenset(held), free


def _null_after(null: Owned, step: Step) -> Owned:
    null -= {p.variable.base for p in stored(step) if p.variable.is_local}
    match step:
        case Assign(place, Const(0)) if (variable := _variable(place)) is not None:
            null |= {variable}
        case Guard(condition):
            null |= {v for part in operands(condition, "&&") if (v := _tested_null(part)) is not None}
    return null


def _tested_null(e: Expr) -> int | None:
    match e:
        case Unary("!", operand) | Binary("==", operand, Const(0)) | Binary("==", Const(0), operand):
            return _variable(operand)
    return None


def _copies(step: Step) -> Iterator[tuple[int, int]]:
    """Local variables that get the value of another one, and of which."""
    pairs: list[tuple[Target | None, Expr]] = []
    match step:
        case Assign(place, value) | Return(value=value, into=place):
            pairs = [(place, value)]
        case Call(parameters=parameters, values=values):
            pairs = [(Place(p), v) for p, v in zip(parameters, values, strict=True)]
    for place, value in pairs:
        into, source = _variable(place), _variable(value)
        if into is not None and source is not None:
            yield into, source


def _variable(e: Expr | None) -> int | None:
    """The local pointer that it is, if it is a simple one."""
    if isinstance(e, Place) and e.variable.is_local and not e.variable.shape and is_pointer(e.variable.type):
        return e.variable.base
    return None


# ------------------------------------------------------------------------------------------------ patterns in the text


def key_of(target: Target) -> Key:
    return (target.kind, target.variable.base) if isinstance(target, Field) else ("", target.variable.base)


def _lock(e: Expr) -> Test | None:
    """The lock that an expression can be: a global variable, or a field of what a local variable names."""
    if isinstance(e, Place) and not e.variable.is_local and not e.variable.shape:
        return key_of(e), NOBODY
    if isinstance(e, Field) and not e.variable.shape and (pointer := _variable(e.pointer)) is not None:
        return key_of(e), pointer
    return None


def _tested(e: Expr) -> Test | None:
    """The lock that is free if the condition is true."""
    match e:
        case Unary("!", operand) | Binary("==", operand, Const(0)) | Binary("==", Const(0), operand):
            return _lock(operand)
    return None


def _is_zero(e: Expr) -> bool:
    return isinstance(e, Const) and e.value == 0


def _written(step: Step) -> tuple[Test, int] | None:
    """The lock that a step sets to 0 or 1."""
    match step:
        case Assign(target, Const(0 | 1 as value)) | Store(target, Const(0 | 1 as value)):
            return None if (lock := _lock(target)) is None else (lock, value)
    return None


# ------------------------------------------------------------------------------------------------ what is a lock


class Locks:
    """The locks of a model, and what they protect."""

    def __init__(self, model: Model, flows: Flows) -> None:
        self.model, self.flows = model, flows
        self.wrong: set[Key] = set()  # no locks
        self.common: dict[Key, Keys] = {}  # what is touched -> locks that are held whenever it is
        self.look_around()
        for template in model.templates:
            for action in template.actions:
                if action.source in flows[template.name].at:  # else nobody ever comes there
                    self.look_at(template, action)
        self.locks: Keys = self.set_to_one() - self.wrong
        # SOUND: two locks that are always taken together do not protect each other.
        self.protected: Keys = frozenset(k for k, by in self.common.items() if by & self.locks) - self.locks

    def set_to_one(self) -> Keys:
        steps = (step for t in self.model.templates for a in t.actions for step, _ in self.flows[t.name].before(a))
        return frozenset(written[0][0] for step in steps if (written := _written(step)) is not None and written[1])

    def look_around(self) -> None:
        """At what is not done by steps: initial values, and what properties see."""
        variables = [("", v) for v in self.model.globals]
        variables += [(o.name, v) for o in self.model.objects for v in o.fields]
        self.wrong |= {(kind, v.base) for kind, v in variables if v.choices or not all(map(_is_zero, v.initial))}
        tops = [*observers(self.model), *(e for t in self.model.templates for v in t.locals for e in v.initial)]
        for e in tops:
            for part in subexpressions(e):
                if isinstance(part, Field) or (isinstance(part, Place) and not part.variable.is_local):
                    self.wrong.add(key_of(part))
                    self.touch(part, UNKNOWN)

    def look_at(self, template: Template, action: Action) -> None:
        """At all that an action reads and writes; what is inside of a d_step has actions of its own."""
        waits = self.may_wait(template, action)
        for v in action.clears:
            if not v.is_local:
                self.wrong.add(("", v.base))
                self.common[("", v.base)] = frozenset()
        if any(isinstance(part, Deterministic) for part in parts_of(action.step)):
            return self.look_beside(template, action)
        for i, (step, known) in enumerate(self.flows[template.name].before(action)):
            if isinstance(step, Guard) and waits and i == 0:
                self.look_at_condition(step.condition, known)
            else:
                self.look_at_values(evaluated(step), known)
            self.look_at_writing(step, known)
        return None

    def look_beside(self, template: Template, action: Action) -> None:
        """At what stands around a d_step in one action: too rare to be worth more than to be refused."""
        for step, _ in self.flows[template.name].before(action) if len([*parts_of(action.step)]) > 1 else ():
            self.look_at_values(evaluated(step), UNKNOWN)
            self.look_at_writing(step, UNKNOWN)

    def look_at_condition(self, condition: Expr, known: Possession) -> None:
        """A condition that waits: it is false unless the locks are free that it asks for.

        SOUND: what is evaluated before that must not fault, whatever the values.
        """
        parts = list(operands(condition, "&&"))
        tests = [_tested(part) for part in parts]
        for i, part in enumerate(parts):
            sure = not any(True for _ in deciding(part))
            behind = [t for j, t in enumerate(tests) if t is not None and (j < i or (j != i and sure))]
            for test in behind:
                known = known._replace(free=known.free | {test})
            if tests[i] is None:
                self.look_at_values([part], known)
            else:
                self.look_at_test(part, known)
            known = known._replace(free=frozenset())

    def look_at_test(self, part: Expr, known: Possession) -> None:
        """The lock itself is looked at as it should be."""
        for e in subexpressions(part):
            if isinstance(e, Field) or (isinstance(e, Place) and not e.variable.is_local):
                self.touch(e, known)
                if _lock(e) != _tested(part):
                    self.read(e, known)

    def look_at_values(self, values: Iterator[Expr] | list[Expr], known: Possession) -> None:
        for top in values:
            for e in subexpressions(top):
                if isinstance(e, Field) or (isinstance(e, Place) and not e.variable.is_local):
                    self.touch(e, known)
                    self.read(e, known)

    def read(self, e: Target, known: Possession) -> None:
        """Whoever looks at a lock without holding it, and does not wait for it, spoils it."""
        lock = _lock(e)
        if lock is None or not (known.holds(*lock) or lock[1] in known.owned):
            self.wrong.add(key_of(e))

    def look_at_writing(self, step: Step, known: Possession) -> None:
        """Whoever writes a lock in another way than locks are written spoils it."""
        targets: list[Target] = [*stored(step), *stored_fields(step)]
        for target in targets:
            if isinstance(target, Field) or not target.variable.is_local:
                self.touch(target, known)
                if not self.is_lawful(step, known):
                    self.wrong.add(key_of(target))
        if isinstance(step, Delete) and (kind := pointed_to(step.pointer)):
            self.delete(kind, _variable(step.pointer), known)

    @staticmethod
    def is_lawful(step: Step, known: Possession) -> bool:
        """Is a lock taken that was found free, or given back by who holds it?"""
        if (written := _written(step)) is None:
            return False
        lock, value = written
        return known.holds(*lock) or lock[1] in known.owned or (value == 1 and lock in known.free)

    def delete(self, kind: str, pointer: int | None, known: Possession) -> None:
        """Only who holds the lock of an object may delete it, or the only one who knows it."""
        if pointer is not None and pointer in known.owned:
            return
        fields = next(o.fields for o in self.model.objects if o.name == kind)
        keys = {(kind, v.base) for v in fields}
        self.wrong |= {key for key in keys if pointer is None or not known.holds(key, pointer)}
        here = frozenset(key for key, group in known.held if not group)
        self.common[(kind, DELETED)] = self.common.get((kind, DELETED), here) & here

    def touch(self, target: Target, known: Possession) -> None:
        """A variable or a field is read or written by a process that knows this."""
        pointer = _variable(target.pointer) if isinstance(target, Field) else None
        if pointer is not None and pointer in known.owned:
            return
        here = {key for key, group in known.held if pointer in group or not group}
        here |= {key for key, variable in known.free if variable in (pointer, NOBODY)}
        key = key_of(target)
        self.common[key] = self.common.get(key, frozenset(here)) & here

    # ---------------------------------------------------------------- waiting

    def may_wait(self, template: Template, action: Action) -> bool:
        """Does the action simply wait until its first condition is true?"""
        around = [a for a in template.actions if any(
            isinstance(s, Deterministic) and action.source in s.inside for s in parts_of(a.step))]  # fmt: skip
        entries = [next(iter(parts_of(a.step))) for a in around]
        if not all(isinstance(s, Deterministic) and s.entry == action.source for s in entries):
            return False
        others = [a for a in template.actions if a is not action and a not in around]
        if around and (action.target == action.source or any(action.source in (a.source, a.target) for a in others)):
            return False  # a d_step takes another way if it cannot take this one, and must not wait when it comes back
        return all(_is_open(template, a.source) for a in (*around, action))

    # ---------------------------------------------------------------- answers

    def is_safe(self, field: Field, known: Possession) -> bool:
        """Is it certain that nobody else deletes the object meanwhile?"""
        pointer = _variable(field.pointer)
        if pointer is not None and any(key in self.locks and pointer in group for key, group in known.held):
            return True
        deleting = self.common.get((field.kind, DELETED), frozenset()) & self.locks
        return any(key in deleting for key, group in known.held if not group)

    def gives_back(self, step: Step) -> Key | None:
        """The lock that the step gives back."""
        written = _written(step)
        return written[0][0] if written is not None and not written[1] and written[0][0] in self.locks else None


def _is_open(template: Template, location: int) -> bool:
    """Does a process that stands here just wait, and may all others move meanwhile?

    SOUND: beside `else` or an escape clause it does something else if it cannot move, and the middle of an atomic
    sequence is left to others only if it cannot go on.
    """
    leaving = [a for a in template.actions if a.source == location]
    otherwise = any(a.escape or isinstance(next(iter(parts_of(a.step))), Else) for a in leaving)
    return not otherwise and not any(a.keeps_control and a.target == location for a in template.actions)
