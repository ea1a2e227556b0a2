"""A symbolic execution of a loop, and its rounds, which are executed once for all processes.

Reference: King, Symbolic Execution and Program Testing, 1976; summaries of loops: Godefroid and Luchaup, ISSTA 2011.
Differs: where a hundred processes look at a hundred, there are ten thousand rounds, and two hundred different ones: the
one that meets another process, and the one that meets oneself.  So a round is executed with numbers for what is known
to be a number and names for the rest, and remembered as one simultaneous assignment (`LoopRound`).  It is used where
the same numbers are known; of one's own pid it may have learnt only the outcome of comparisons with numbers, and they
must come out the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from ....core.errors import Location
from ....core.model import (
    Action,
    Assert,
    Assign,
    Binary,
    Chain,
    ChannelTest,
    Conditional,
    Const,
    Else,
    Expr,
    Guard,
    Place,
    Print,
    Self,
    Skip,
    Transition,
    Unary,
    Variable,
    apply_binary,
    is_pointer,
)
from ....core.records import dataclass
from ....semantics.walk import slot_of, subexpressions
from ..specialise import COMPARISONS, PID, Loop, is_boolean
from .formulas import FALSE, TRUE, Unclear, are_same, both, either, joined, negated, operation, stored_as, truth, unary

EXIT = -1
Key = tuple[bool, int]  # is it local, and the slot
Env = dict[Key, Expr]
Spot = tuple[Place, Key | None]
LoopCode: TypeAlias = "tuple[Action, tuple[Action, ...], frozenset[int], int, bool, int, int, int]"
RoundCode: TypeAlias = "tuple[tuple[Action, ...], frozenset[int], bool, int]"


@dataclass(frozen=True)
class LoopRound:
    """What one round of a loop does, whoever executes it."""

    numbers: tuple[tuple[Key, Const], ...]  # what was known to be a number, and mattered
    tests: tuple[tuple[str, int, bool, int], ...]  # how the own pid compares: operator, number, is it left, outcome
    writes: tuple[tuple[Key, Place, Expr, Location], ...]  # all at once
    keys: dict[int, Key]  # of the places in them, by id
    executed: frozenset[int]
    steps: int  # 0: it has to be executed

    def suits(self, pid: int) -> bool:
        """Does a process with this pid do the same?"""
        return all(
            apply_binary(op, *((number, pid) if is_left else (pid, number))) == outcome
            for op, number, is_left, outcome in self.tests
        )


class KnownRounds:
    """The rounds of one loop, from one of its locations, by the numbers that they know."""

    def __init__(self) -> None:
        self.by_numbers: dict[tuple[Key, ...], dict[tuple[object, ...], list[LoopRound]]] = {}

    def find(self, env: Env, pid: int) -> LoopRound | None:
        """The round of this process in this situation, if it is known."""
        for keys, rounds in self.by_numbers.items():
            for one in rounds.get(tuple([_number(env.get(key)) for key in keys]), ()):
                if one.suits(pid):
                    return one
        return None

    def add(self, one: LoopRound) -> None:
        rounds = self.by_numbers.setdefault(tuple(key for key, _ in one.numbers), {})
        rounds.setdefault(tuple(_number(known) for _, known in one.numbers), []).append(one)


def _number(e: Expr | None) -> object:
    """What tells numbers apart; nothing else is told apart."""
    return (e if e.text else e.value) if isinstance(e, Const) else None


class KnownLoops:
    """What is known of loops, whoever has them and whoever asks; formulas share their parts."""

    def __init__(self) -> None:
        self.loops: dict[LoopCode, Loop | None] = {}
        self.parts: dict[tuple[object, ...], Expr] = {}
        self.places: dict[tuple[object, ...], Spot] = {}
        self.rounds: dict[RoundCode, dict[int, KnownRounds]] = {}

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

    def spot(self, variable: Variable, indices: tuple[Expr, ...]) -> Spot:
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


class LoopRun:
    """One symbolic execution of a loop."""

    def __init__(
        self, pid: int, leaving: dict[int, list[Action]], inside: frozenset[int], meets: dict[int, int],
        first_wins: bool, most: int, shared: KnownLoops, rounds: dict[int, KnownRounds],
    ) -> None:  # fmt: skip
        self.pid, self.leaving, self.inside, self.meets = pid, leaving, inside, meets
        self.first_wins, self.most, self.shared, self.rounds = first_wins, most, shared, rounds
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
        met, has_rounds = set[int](), stop == EXIT and self.path is TRUE
        while at != stop:
            if has_rounds and at in met and self.go_round(at, env):
                continue
            met.add(at)
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
        self.count(1)
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

    # ---------------------------------------------------------------- rounds

    def go_round(self, at: int, env: Env) -> bool:
        """Execute a loop once, if it is clear what that does, whoever does it."""
        known = self.rounds.setdefault(at, KnownRounds())
        one = known.find(env, self.pid)
        if one is None:
            one = _RoundRun(self).round(at, env)
            known.add(one)
        if one.steps == 0:
            return False
        values = [_put(e, env, one.keys) for _, _, e, _ in one.writes]
        self.count(one.steps)
        self.executed |= one.executed
        for (key, place, _, where), value in zip(one.writes, values, strict=True):
            self.write(place, key, value, env, where)
        return True

    def count(self, steps: int) -> None:
        self.steps += steps
        if self.steps > self.most:
            raise Unclear

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
        if isinstance(e, Self):
            return e
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

    def spot(self, e: Place, env: Env) -> Spot:
        """The place that is meant here."""
        indices = tuple([self.value(i, env) for i in e.indices]) if e.indices else ()
        return self.shared.spot(e.variable, indices)

    def read(self, spot: Spot, env: Env) -> Expr:
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


class _RoundRun(LoopRun):
    """One round, executed with numbers for what is known to be a number, and names for the rest."""

    def __init__(self, run: LoopRun) -> None:
        super().__init__(
            run.pid, run.leaving, run.inside, run.meets, run.first_wins, run.most - run.steps, run.shared, run.rounds
        )
        self.places = dict(run.places)
        self.entry: Env = {}
        self.numbers: dict[Key, Const] = {}
        self.wrote: dict[Key, tuple[Place, Location]] = {}
        self.tests: dict[tuple[str, int, bool, int], None] = {}
        self.is_own = False  # it depends on who executes it

    def round(self, head: int, env: Env) -> LoopRound:
        """What happens from a location until it comes again."""
        self.entry = {key: value for key, value in env.items() if isinstance(value, Const)}
        try:
            at, after = self.advance(head, dict(self.entry), may_block=False)
            while at not in (head, EXIT):
                at, after = self.advance(at, after, may_block=False)
        except (Unclear, RecursionError):
            at, after = EXIT, {}
        # SOUND: whoever uses the round does nothing but what it writes.  (If one way leads out, no other one meets it.)
        is_clear = at == head and not (self.asserts or self.evaluated or self.is_own)
        for key in self.wrote:  # what was not written on all ways is what it was
            self.see(key, self.entry.get(key))
        wrote = self.wrote.items() if is_clear else ()
        writes = tuple((key, place, after[key], where) for key, (place, where) in wrote)
        places = (part for _, _, e, _ in writes for part in subexpressions(e) if isinstance(part, Place))
        keys = {id(place): where for place in places if (where := _key(place)) is not None}
        return LoopRound(
            tuple(self.numbers.items()), tuple(self.tests), writes, keys,
            frozenset(self.executed), self.steps if is_clear else 0,
        )  # fmt: skip

    def see(self, key: Key, value: Expr | None) -> None:
        if isinstance(value, Const) and value is self.entry.get(key):
            self.numbers[key] = value

    def write(self, place: Place, key: Key, value: Expr, env: Env, where: Location) -> None:
        super().write(place, key, value, env, where)
        self.wrote.pop(key, None)
        self.wrote[key] = place, where

    def read(self, spot: Spot, env: Env) -> Expr:
        value = super().read(spot, env)
        if spot[1] is not None:
            self.see(spot[1], value)
        return value

    def value(self, e: Expr, env: Env) -> Expr:
        if isinstance(e, Binary) and e.op in COMPARISONS:
            if self.is_me(e.right):
                return self.compared(e.op, self.value(e.left, env), e.right, is_left=True)
            if self.is_me(e.left):
                return self.compared(e.op, self.value(e.right, env), e.left, is_left=False)
        self.is_own |= self.is_me(e)
        return super().value(e, env)

    def is_me(self, e: Expr) -> bool:
        return isinstance(e, Const) and e.text == PID and e.value == self.pid

    def compared(self, op: str, other: Expr, mine: Expr, is_left: bool) -> Expr:
        """A comparison with the own pid: with a number, all others can make it, too."""
        found = operation(op, *((other, mine) if is_left else (mine, other)))
        if isinstance(other, Const) and isinstance(found, Const):
            self.tests[op, other.value, is_left, found.value] = None
        else:
            self.is_own = True
        return found


def _put(e: Expr, env: Env, keys: dict[int, Key]) -> Expr:
    """An expression over what was before a round, over what was before the loop."""
    if isinstance(e, Place):
        return env.get(keys[id(e)], e)
    if isinstance(e, Binary):
        left, right = _put(e.left, env, keys), _put(e.right, env, keys)
        return e if left is e.left and right is e.right else _combined(e.op, left, right)
    if isinstance(e, Unary):
        operand = _put(e.operand, env, keys)
        return e if operand is e.operand else unary(e.op, operand)
    if isinstance(e, Conditional):
        test, then, otherwise = (_put(part, env, keys) for part in (e.condition, e.then, e.otherwise))
        same = test is e.condition and then is e.then and otherwise is e.otherwise
        return e if same else joined(test, then, otherwise)
    return e


def _combined(op: str, left: Expr, right: Expr) -> Expr:
    """An operator, `&&` and `||` too, on operands that cannot fault."""
    if op == "&&":
        return both(left, right)
    if op == "||":
        return either(left, right)
    if op in ("==", "!=") and right == FALSE and is_boolean(left):  # a bit was asked for, and a condition is put there
        return truth(left) if op == "!=" else negated(left)
    if op in ("max", "min"):
        if isinstance(left, Const) and isinstance(right, Const):
            return Const((max if op == "max" else min)(left.value, right.value))
        return Binary(op, left, right)
    return operation(op, left, right)


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
