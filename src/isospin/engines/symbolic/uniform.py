"""Do the steps of a model treat processes alike, by their text?

Reference: Ip, Dill, Better Verification Through Symmetry (Formal Methods in System Design 9, 1996): scalarsets.
Differs: a question about one rearrangement that is given, for models of pointer automata's kind; it saves the question
to diagrams (`lemma.py`) where the answer is yes, and says nothing otherwise.

A variable holds names if the rearrangement renames its values as it moves the processes, and numbers if it renames none
of them.  Names come from `Self`, from other names and from constants that stay, such as NULL; they are stored where
names are held, compared with each other, and followed.  Whatever a process does then, the process in its place does in
the rearranged state: by induction over expressions, a number is the same for both, and a name is renamed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import TypeAlias

from ...core.model import (
    Action,
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
    Transition,
    Unary,
    Variable,
)
from ...core.partition import Partition
from ...semantics.walk import operands
from ...symmetry.protocol import Exchange, Rearrangement, Rename
from ...transform.inactive import may_fault
from .encoding.layout import Layout

EQUALITY = frozenset(("==", "!="))
Form: TypeAlias = Hashable


class UniformText:
    """Which rearrangements keep all that is written: those that move variables as processes, if the text allows it."""

    def __init__(self, layout: Layout, exchanges: Iterable[Exchange]) -> None:
        self.layout, self.model = layout, layout.model
        self.families = Partition[int]()  # processes among which somebody hopes to move them
        for exchange in exchanges:
            self.families.join(*exchange.pair)
        self.texts: dict[frozenset[int], _Text] = {}  # by the variables that hold names

    def keeps_steps(self, given: Rearrangement) -> bool:
        """True: every step becomes a step, and every fault a fault.  False: the text does not show it."""
        text = self.text(given)
        return text is not None and text.allows_steps

    def keeps_all(self, given: Rearrangement) -> bool:
        """True: steps, and violations of invariants become such violations.  False: the text does not show it."""
        text = self.text(given)
        return text is not None and text.allows_steps and text.allows_invariants

    def text(self, given: Rearrangement) -> _Text | None:
        """How the text is to be read; None if the question is not one about texts like this."""
        names = {p: q for p, q in enumerate(given.points[: len(self.layout.templates)]) if p != q}
        stays_inside = all(self.families.find(p) == self.families.find(q) for p, q in names.items())
        holders = self.holders(given, names) if self.has_only_such_steps and stays_inside else None
        if holders is None:
            return None
        if holders not in self.texts:
            self.texts[holders] = _Text(self.model, self.actions, holders, self.members)
        return self.texts[holders]

    @cached_property
    def members(self) -> dict[int, frozenset[int]]:
        """By each process that may move: its family."""
        by_leader: dict[int, list[int]] = {}
        for p in range(len(self.layout.templates)):
            by_leader.setdefault(self.families.find(p), []).append(p)
        return {p: frozenset(family) for family in by_leader.values() if len(family) > 1 for p in family}

    @cached_property
    def actions(self) -> list[Action]:
        """Of all templates, each once."""
        return [a for t in {id(t): t for t in self.layout.templates}.values() for a in t.actions]

    @cached_property
    def has_only_such_steps(self) -> bool:
        """Assignments under a guard, to variables of processes and to single ones, each step for itself."""
        model, templates = self.model, self.layout.templates
        return (
            not (self.layout.queues or model.uses_last or model.uses_priority)
            and all(templates[p] is templates[min(family)] for p, family in self.members.items())
            and not any(v.hidden or (v.size > 1 and not v.owned) for v in model.globals)
            and not any(t.locals or t.provided is not None for t in templates)
            and not any(a.keeps_control or a.escape for a in self.actions)
        )

    def holders(self, given: Rearrangement, names: Rename) -> frozenset[int] | None:
        """The variables with names; None if one of them does not move as the processes do, or is renamed otherwise."""
        if any(given.locations):
            return None
        found = set()
        for v in self.model.globals:
            rename = given.globals[v.base][1]
            if rename and rename != names:
                return None
            there = ((v.base + (names.get(p, p) if v.owned else p), rename) for p in range(v.size))
            if any(given.globals[v.base + p] != place for p, place in enumerate(there)):
                return None
            if rename:
                found.add(v.base)
        return frozenset(found)


class _Text:
    """Whether steps and invariants use names as names and numbers as numbers, however families are rearranged."""

    def __init__(
        self, model: Model, actions: list[Action], holders: frozenset[int], family: dict[int, frozenset[int]]
    ) -> None:
        self.model, self.actions, self.holders, self.family = model, actions, holders, family
        self.meant: int | None = None  # one that moves, where its number is written and stands for any of them
        self.found: int | None = None  # one whose number was written where it means nobody else

    @cached_property
    def allows_steps(self) -> bool:
        """Is every step written so?"""
        return all(map(self.is_fine, self.actions))

    @cached_property
    def allows_invariants(self) -> bool:
        """Is every invariant written so?"""
        return all(self.is_number(i.condition) for i in self.model.invariants)

    def is_fine(self, action: Action) -> bool:
        """Does the action use names as names?"""
        match action.step:
            case Guard(condition):
                return self.is_number(condition) and not action.clears
            case Transition(guard, assigns):
                clears = all(self.stays(0) or v.base not in self.holders for v in action.clears)
                stores = all(self.is_place(a.place) and self.suits(a.place.variable, a.value) for a in assigns)
                return clears and stores and self.is_number(guard)
        return False

    def stays(self, value: int) -> bool:
        """Is a process with this number moved nowhere, or meant as such?"""
        if value not in self.family or value == self.meant:
            return True
        self.found = value
        return False

    def suits(self, variable: Variable, value: Expr) -> bool:
        """May the value be stored there?"""
        return self.is_name(value) if variable.base in self.holders else self.is_number(value)

    def is_place(self, e: Place) -> bool:
        """An element that belongs to a process is found by the name of that."""
        return all(map(self.is_name, e.indices))

    def is_name(self, e: Expr) -> bool:
        """Is the value renamed as processes are?"""
        match e:
            case Self():
                return True
            case Const(value):
                return self.stays(value)
            case Place(variable):
                return variable.base in self.holders and self.is_place(e)
            case Bounded(value, low, high):
                return self.tells_nobody_apart(low, high) and self.is_name(value)
            case Conditional(condition, then, otherwise):
                return self.is_number(condition) and self.is_name(then) and self.is_name(otherwise)
        return False

    def tells_nobody_apart(self, low: int, high: int) -> bool:
        """Is all of each family within the bounds, or none of it?"""
        return all((low <= min(f) <= high) == (low <= p <= high) for p, f in self.family.items())

    def is_number(self, e: Expr) -> bool:
        """Is the value the same as before?"""
        match e:
            case Const():
                return True
            case Place(variable):
                return variable.base not in self.holders and self.is_place(e)
            case Binary("&&" | "||"):
                return self.is_junction(e)
            case Binary(op, left, right):
                return self.are_numbers(e) or (op in EQUALITY and self.is_name(left) and self.is_name(right))
            case Unary(_, operand) | Bounded(operand):
                return self.is_number(operand)
            case Conditional(condition, then, otherwise):
                return all(map(self.is_number, (condition, then, otherwise)))
            case AtLabel(_, pid):
                return pid is not None and self.is_name(pid)
        return False

    def are_numbers(self, e: Binary) -> bool:
        """Both operands."""
        return self.is_number(e.left) and self.is_number(e.right)

    # ---------------------------------------------------------------- for all, and there is

    def is_junction(self, e: Binary) -> bool:
        """Operands that are fine each; or the same is said of each process that moves, as in `x[1] || x[2]`."""
        rest: list[tuple[Expr, int]] = []  # operands, and about whom each says something
        for x in operands(e, e.op):
            self.found = None
            if not self.is_number(x):
                if self.found is None:
                    return False
                rest.append((x, self.found))
        fine = not rest or (self.meant is None and not may_fault(e) and self.is_said_of_all(rest))
        self.found = None if fine else rest[0][1]
        return fine

    def is_said_of_all(self, rest: list[tuple[Expr, int]]) -> bool:
        """Is what is said of one process said of its whole family?"""
        said: dict[Form, list[int]] = {}
        for x, who in rest:
            form = self.form_about(x, who)
            if form is None:
                return False
            said.setdefault(form, []).append(who)
        # SOUND: a process that moves takes the place of another one of its family, about which the same is said.
        return all(sorted(who) == sorted(frozenset().union(*(self.family[p] for p in who))) for who in said.values())

    def form_about(self, e: Expr, who: int) -> Form | None:
        """What is said about the process, if its number means the process wherever it names one."""
        self.meant = who
        try:
            return self.form(e, is_name=False) if self.is_number(e) else None
        finally:
            self.meant = None

    def form(self, e: Expr, is_name: bool) -> Form:
        """What is said, whoever is meant: equal for two expressions that differ only in that."""
        match e:
            case Const(value):
                return "it" if is_name and value == self.meant else value
            case Place(variable, indices):
                return variable.base, *(self.form(i, is_name=True) for i in indices)
            case Binary(op, left, right):
                names = op in EQUALITY and not self.are_numbers(e)
                return op, self.form(left, names), self.form(right, names)
            case Unary(op, operand):
                return op, self.form(operand, is_name=False)
            case Bounded(value, low, high):
                return low, high, e.kind, self.form(value, is_name)
            case Conditional(condition, then, otherwise):
                return "?", self.form(condition, is_name=False), self.form(then, is_name), self.form(otherwise, is_name)
            case AtLabel(template, pid, label):
                return template, label, self.form(pid or Self(), is_name=True)
        return type(e).__name__
