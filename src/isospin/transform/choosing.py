"""Loops that choose a value: `select (i : 0 .. N - 1)` is a choice among the ways through the loop that stands for it.

Reference: Lipton, Reduction (CACM 1975): nobody sees a step that reads and writes one local variable only.
Differs: such a loop is executed from the value that it begins with, and each way through it is one chain of the actions
that it is made of (`merge.py`), so that paths are told as ever.  In the middle of the loop its variable says how far it
has come, which is no name of a process; at its end it is one value like any other, and processes that choose each other
are symmetric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..core.model import (
    Action,
    Assign,
    Binary,
    Const,
    Expr,
    Guard,
    Model,
    Place,
    Skip,
    Sort,
    Unary,
    Variable,
    apply_binary,
    apply_unary,
)
from ..semantics.walk import stored, subexpressions

Actions = tuple[Action, ...]
MOST_PARTS = 40_000  # of all ways through a loop, and their beginnings: a hundred values are thirty thousand


class FixedNumbers:
    """The global numbers that nobody ever writes: `select (i : 0 .. last)` is over a range if `last` is one of them."""

    def __init__(self, model: Model) -> None:
        written = {p.variable.base for t in model.templates for a in t.actions for p in stored(a.step)
                   if not p.variable.is_local}  # fmt: skip
        # SOUND: of several initial values it has the one that the run began with.
        candidates = (v for v in model.globals if not v.choices and not v.shape and v.type.sort is Sort.NUMBER)
        self.values = {v.base: _initial(v) for v in candidates if v.base not in written}

    def put(self, e: Expr) -> Expr:
        """The expression with numbers for such variables."""
        match e:
            case Place(variable) if not variable.is_local:
                value = self.values.get(variable.base)
                return e if value is None else Const(value)
            case Unary(_, operand):
                return replace(e, operand=self.put(operand))
            case Binary(_, left, right):
                return replace(e, left=self.put(left), right=self.put(right))
        return e

    def put_into(self, action: Action) -> Action:
        """An action of a loop that may choose, with numbers for such variables."""
        match action.step:
            case Guard(condition):
                return replace(action, step=Guard(self.put(condition)))
            case Assign(place, value):
                return replace(action, step=Assign(place, self.put(value)))
        return action


def _initial(variable: Variable) -> int | None:
    """The number that it begins with; None: not known."""
    first = variable.initial[0] if variable.initial else Const(0)
    return variable.type.wrap(first.value) if isinstance(first, Const) else None


class ChoosingLoops:
    """The loops of one template that do nothing but choose; `is_plain`: nobody sees or interrupts an action."""

    def __init__(
        self, leaving: dict[int, list[Action]], is_plain: Callable[[Action], bool], fixed: FixedNumbers
    ) -> None:  # fmt: skip
        self.leaving, self.is_plain, self.fixed = leaving, is_plain, fixed
        self.known: dict[int, frozenset[int]] = {}

    def runs(self, chain: Sequence[Action]) -> list[Actions]:
        """All ways through the loop at which a chain arrives with a known value; none if that is no choice."""
        parts = [a for a in chain if not isinstance(a.step, Skip)]
        head = chain[-1].target
        last = self.fixed.put_into(parts[-1]).step if parts else None
        if not isinstance(last, Assign) or not isinstance(last.value, Const) or len(self.leaving.get(head, ())) < 2:
            return []
        loop, variable = self.loop(head), last.place.variable
        if not loop or not is_counter(variable) or not self.speaks_only_of(variable, loop):
            return []
        found, made = list[Actions](), 0
        todo: list[tuple[int, int, Actions]] = [(head, variable.type.wrap(last.value.value), ())]
        while todo:
            at, value, way = todo.pop()
            options = [
                a
                for a in self.leaving[at]
                if not isinstance(a.step, Guard) or evaluate(self.fixed.put(a.step.condition), value)
            ]
            made += len(options) * (1 + len(way))
            if not options or made > MOST_PARTS:
                return []  # SOUND: it may block, or never end
            for action in reversed(options):
                longer = (*way, action)
                if action.target not in loop:
                    found.append(longer)
                else:
                    step = action.step
                    new = evaluate(self.fixed.put(step.value), value) if isinstance(step, Assign) else value
                    todo.append((action.target, variable.type.wrap(new), longer))
        return found if len(found) > 1 else []

    def loop(self, head: int) -> frozenset[int]:
        """The locations of a loop, if there is one at this location and all in it is plain."""
        if head not in self.known:
            self.known[head] = self.find_loop(head)
        return self.known[head]

    def find_loop(self, head: int) -> frozenset[int]:
        """Forward through all that is plain, and back from there."""
        before: dict[int, set[int]] = {}
        seen, todo = {head}, [head]
        while todo:
            at = todo.pop()
            for action in self.leaving.get(at, ()):
                if self.is_plain(action) and isinstance(action.step, Guard | Assign | Skip):
                    before.setdefault(action.target, set()).add(at)
                    todo += {action.target} - seen
                    seen.add(action.target)
        loop, todo = set[int](), [head]
        while todo:
            new = before.get(todo.pop(), set()) - loop
            loop |= new
            todo += new
        leaving = [a for at in loop for a in self.leaving[at]]
        plain = all(self.is_plain(a) and isinstance(a.step, Guard | Assign | Skip) for a in leaving)
        return frozenset(loop) if plain else frozenset()

    def speaks_only_of(self, variable: Variable, loop: frozenset[int]) -> bool:
        """Is nothing else read or written in a loop?"""
        steps = [self.fixed.put_into(a).step for at in loop for a in self.leaving[at]]
        targets = [s.place.variable for s in steps if isinstance(s, Assign)]
        read = (s.condition if isinstance(s, Guard) else s.value for s in steps if isinstance(s, Guard | Assign))
        return all(v == variable for v in targets) and all(is_about(e, variable) for e in read)


def is_counter(variable: Variable) -> bool:
    """Is it a local number?"""
    return variable.is_local and not variable.shape and variable.type.sort in (Sort.NUMBER, Sort.PID)


def is_about(e: Expr, variable: Variable) -> bool:
    """Is this variable all that the value depends on, and is there always one?"""
    return all(
        (isinstance(part, Place) and part.variable == variable)
        or isinstance(part, Const | Unary)
        or (isinstance(part, Binary) and part.op not in ("/", "%"))
        for part in subexpressions(e)
    )


def settled(parts: Sequence[Action]) -> Actions:
    """The actions of a chain without the loop that chose a value: the value is there at once."""
    found: list[Action] = []
    about: dict[tuple[int, int], bool] = {}  # parts come again and again

    def speaks_only_of(variable: Variable, e: Expr) -> bool:
        key = id(e), variable.base
        if key not in about:
            about[key] = is_about(e, variable)
        return about[key]

    for part in parts:
        step = part.step
        last = found[-1].step if found else None
        if found and isinstance(step, Skip):
            continue
        if isinstance(last, Assign) and isinstance(last.value, Const) and is_counter(last.place.variable):
            variable, value = last.place.variable, last.place.variable.type.wrap(last.value.value)
            if isinstance(step, Guard) and speaks_only_of(variable, step.condition) and evaluate(step.condition, value):
                continue
            if isinstance(step, Assign) and step.place.variable == variable and speaks_only_of(variable, step.value):
                computed = Const(variable.type.wrap(evaluate(step.value, value)))
                new = step.value if isinstance(step.value, Const) else computed
                found[-1] = replace(found[-1], step=Assign(last.place, new))
                continue
        found.append(part)
    return tuple(found)


def evaluate(e: Expr, value: int) -> int:
    """An expression in which every variable has this value."""
    match e:
        case Const(number):
            return number
        case Unary(op, operand):
            return apply_unary(op, evaluate(operand, value))
        case Binary("&&", left, right):
            return int(bool(evaluate(left, value) and evaluate(right, value)))
        case Binary("||", left, right):
            return int(bool(evaluate(left, value) or evaluate(right, value)))
        case Binary(op, left, right):
            return apply_binary(op, evaluate(left, value), evaluate(right, value))
    return value
