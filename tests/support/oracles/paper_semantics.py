"""Pointer automata as the paper defines them, executed on the syntax tree: slow, and independent of the model.

Reference: Wang et al., TSE 2004, 3.2 and 3.3: a state gives every process a value of every variable; expressions have a
value or none (BOTTOM), conditions are TRUE, FALSE or BOTTOM, and every operator is strict.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import TypeAlias

from isospin.front.pointer.lexer import tokenize
from isospin.front.pointer.parser import Parser
from isospin.front.pointer.syntax import (
    Arrow,
    Assignment,
    Comparison,
    Expression,
    IfElse,
    Name,
    Number,
    Operation,
    PointerAutomaton,
    ProcessElement,
    ProcessRule,
    Quantified,
    TransitionRule,
)

RELATIONS = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip
State: TypeAlias = tuple[tuple[int, ...], ...]  # modes, then the values of each variable; a local one has several
PASSIVE = -1
MOST_STARTS = 1_500


class Bottom(Exception):
    """There is no value."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class System:
    def __init__(self, text: str, size: int) -> None:
        self.tree: PointerAutomaton = Parser(tokenize(text, "model.ptr"), "model.ptr").parse()
        self.size = size
        self.modes: dict[str, int] = {}
        for rule in self.tree.processes:
            for mode in rule.modes:
                self.modes[mode.name] = len(self.modes)
        self.roles = list(self.processes())
        self.place = {v.name: i + 1 for i, v in enumerate(self.tree.variables)}
        self.local = {v.name for v in self.tree.variables if v.is_local}
        self.bound: dict[str, int] = {}
        self.state: State = ()
        self.me = 0
        self.bounds = {v.name: self.range(v.bounds) for v in self.tree.variables}
        self.asks = {name.name for name in self.tree.checks}

    def processes(self) -> Iterator[ProcessRule]:
        counts = [None if r.count is None else self.value(r.count) for r in self.tree.processes]
        rest = self.size - sum(c for c in counts if c is not None)
        for rule, count in zip(self.tree.processes, counts, strict=True):
            yield from [rule] * (rest if count is None else count)

    def range(self, bounds: tuple[Expression, Expression] | None) -> tuple[int, int]:
        return (0, self.size) if bounds is None else (self.value(bounds[0]), self.value(bounds[1]))

    # ---------------------------------------------------------------- expressions

    def value(self, e: Expression) -> int:
        match e:
            case Number(value):
                return value
            case Name(name):
                return self.named(name)
            case Arrow(pointer, name) | ProcessElement(name, pointer):
                return self.of(name, self.process(self.value(pointer)))
            case Operation("-", (operand,)):
                return -self.value(operand)
            case Operation(op, (left, right)) if op in "+-*/":
                a, b = self.value(left), self.value(right)
                if op == "/":
                    if b == 0:
                        raise Bottom("division-by-zero")
                    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
                return {"+": a + b, "-": a - b, "*": a * b}[op]
            case IfElse(condition, then, otherwise):
                return self.value(then if self.holds(condition) else otherwise)
        raise AssertionError(e)

    def named(self, name: str) -> int:
        known = {"N": self.size, "P": self.me, "NULL": 0, "TRUE": 1, "FALSE": 0} | self.modes | self.bound
        if name in known:
            return known[name]
        return self.of(name, self.me) if name == "mode" or name in self.local else self.state[self.place[name]][0]

    def of(self, name: str, pid: int) -> int:
        return self.state[0 if name == "mode" else self.place[name]][pid - 1]

    def process(self, pid: int) -> int:
        if not 1 <= pid <= self.size:
            raise Bottom("null-dereference" if pid == 0 else "out-of-range")
        return pid

    def holds(self, e: Expression) -> bool:
        match e:
            case Operation("!", (operand,)):
                return not self.holds(operand)
            case Operation("&&" | "||" | "=>", (left, right)):
                a, b = self.holds(left), self.holds(right)  # both: strict
                return (a and b) if e.op == "&&" else (a or b) if e.op == "||" else (not a or b)
            case Comparison(operands, ops):
                values = [self.value(x) for x in operands]
                return all(self.compare(a, op, b) for a, op, b in zip(values, ops, values[1:], strict=False))
            case Quantified(kind, names, body):
                return (all if kind == "forall" else any)(list(self.instances(names, body)))
            case IfElse(condition, then, otherwise):
                return self.holds(then if self.holds(condition) else otherwise)
        return self.value(e) != 0

    @staticmethod
    def compare(a: int, op: str, b: int) -> bool:
        return bool(RELATIONS[op](a, b))

    def instances(self, names: tuple[str, ...], body: Expression) -> Iterator[bool]:
        outside = self.bound
        for pids in product(range(1, self.size + 1), repeat=len(names)):
            self.bound = outside | dict(zip(names, pids, strict=True))
            yield self.holds(body)
        self.bound = outside

    def surely(self, e: Expression) -> bool:
        """TRUE, and neither FALSE nor BOTTOM."""
        try:
            return self.holds(e)
        except Bottom:
            return False
        finally:
            self.bound = {}

    # ---------------------------------------------------------------- runs

    def initial(self) -> list[State] | None:
        """None: too many."""
        modes = tuple(self.modes[r.modes[0].name] if r.modes else PASSIVE for r in self.roles)
        ranges = []
        for v in self.tree.variables:
            low, high = self.bounds[v.name]
            ranges.append([range(low, high + 1)] * (self.size if v.is_local else 1))
        if prod(len(r[0]) ** len(r) for r in ranges) > MOST_STARTS:
            return None
        found = []
        for values in product(*(tuple(product(*r)) for r in ranges)):
            self.state = (modes, *values)
            if all(self.surely(e) for e in self.tree.initial):
                found.append(self.state)
        return found

    def successors(self, state: State) -> Iterator[State | str]:
        """New states, and the kinds of faults."""
        for pid, rule in enumerate(self.roles, 1):
            here = next((m for m in rule.modes if self.modes[m.name] == state[0][pid - 1]), None)
            for transition in here.rules if here is not None else ():
                self.state, self.me = state, pid
                try:
                    if self.enabled(transition):
                        yield self.after(transition, pid)
                except Bottom as bottom:
                    yield bottom.kind
                finally:
                    self.me, self.bound = 0, {}

    def enabled(self, transition: TransitionRule) -> bool:
        if transition.guard is None:
            return True
        return self.holds(transition.guard) if "guards" in self.asks else self.surely(transition.guard)

    def after(self, transition: TransitionRule, pid: int) -> State:
        for assignment in transition.assignments:
            self.assign(assignment)
        self.put(0, pid, self.modes[transition.target])
        return self.state

    def assign(self, a: Assignment) -> None:
        value = self.value(a.value)
        name, low, high = self.target(a.target), *self.bounds[self.target(a.target)]
        if not low <= value <= high:
            raise Bottom("out-of-range")
        match a.target:
            case Arrow(pointer) | ProcessElement(index=pointer):
                owner = self.process(self.value(pointer))
            case _:
                owner = self.me if name in self.local else 1
        self.put(self.place[name], owner, value)

    @staticmethod
    def target(e: Expression) -> str:
        assert isinstance(e, Name | Arrow | ProcessElement)
        return e.name

    def put(self, place: int, pid: int, value: int) -> None:
        row = self.state[place]
        row = (*row[: pid - 1], value, *row[pid:])
        self.state = (*self.state[:place], row, *self.state[place + 1 :])

    def explore(self, most: int) -> tuple[int, set[str]] | None:
        """How many states, and what is wrong; None if there are too many."""
        starts = self.initial()
        if starts is None:
            return None
        seen, todo, wrong = set(starts), list(starts), set[str]()
        while todo:
            if len(seen) > most:
                return None
            state = todo.pop()
            self.state = state
            wrong |= {p.name for p in self.tree.properties if not self.surely(p.condition)}
            found = list(self.successors(state))
            if not found and "deadlock" in self.asks and self.is_stuck(state):
                wrong.add("deadlock")
            for new in found:
                if isinstance(new, str):
                    wrong.add(new)
                elif new not in seen:
                    seen.add(new)
                    todo.append(new)
        return len(seen), wrong

    def is_stuck(self, state: State) -> bool:
        """Somebody is in a mode that has transitions."""
        return any(
            m.rules for rule, at in zip(self.roles, state[0], strict=True) for m in rule.modes
            if self.modes[m.name] == at
        )  # fmt: skip
