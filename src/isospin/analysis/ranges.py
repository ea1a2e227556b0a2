"""Between which values variables and expressions lie, whatever happens.

Reference: Cousot and Cousot, Abstract Interpretation (POPL 1977): intervals with widening.
Differs: one interval per variable for the whole run, and the type as the only other one: enough to see that most
indices and divisors are harmless.

0 belongs to every variable's interval, since dead variables may be cleared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from ..core.model import (
    INT,
    Allocate,
    Assign,
    AtLabel,
    Binary,
    Bind,
    Bounded,
    Call,
    ChannelTest,
    ChannelType,
    Conditional,
    Const,
    Enabled,
    Expr,
    LastPid,
    Model,
    NonProgress,
    Place,
    Poll,
    Priority,
    ProcessCount,
    Receive,
    RemoteRead,
    Return,
    Run,
    Scalar,
    Self,
    Send,
    Sort,
    Step,
    Template,
    Timeout,
    Transition,
    Unary,
    Variable,
)
from ..semantics.walk import different_steps

Interval = tuple[int, int]
BOOLEAN: Interval = (0, 1)
ANYTHING: Interval = (INT.low, INT.high)
PIDS: Interval = (0, 255)
ROUNDS = 4  # then what still grows gets the range of its type


class Ranges:
    """The intervals of all variables of a model, widened until no assignment leaves them.

    `messages` are those that channels have at the start.
    """

    def __init__(self, model: Model, messages: Iterable[tuple[int, ...]] = ()) -> None:
        self.model, self.messages = model, set(messages)
        self.every_step = [(t.name, step) for t in model.templates for step in different_steps(t.actions)]
        self.started = {t.name: self.pids(t) for t in model.templates}
        self.known: dict[tuple[str, int], Interval] = {}
        for template, variable in self.variables():
            self.known[template, variable.base] = self.at_start(template, variable)
        self.solve()

    def variables(self) -> Iterator[tuple[str, Variable]]:
        yield from (("", v) for v in self.model.globals)
        yield from ((t.name, v) for t in self.model.templates for v in t.locals)

    def pids(self, template: Template) -> Interval:
        """The numbers that processes of a template can have."""
        # SOUND: a process that is started later can get any number.
        if any(isinstance(s, Run) for _, s in self.steps()):
            return PIDS
        mine = [i for i, instance in enumerate(self.model.instances) if instance.template == template.name]
        return (min(mine), max(mine)) if mine else PIDS

    def steps(self) -> Iterator[tuple[str, Step]]:
        return iter(self.every_step)

    def at_start(self, template: str, variable: Variable) -> Interval:
        constant = all(isinstance(e, Const) for e in variable.initial)
        if constant and variable.choices and not variable.initial:
            return min(0, *variable.choices), max(0, *variable.choices)
        if not constant or variable.choices or variable.type.sort is Sort.CHANNEL:
            return variable.type.low, variable.type.high
        values = [variable.rest, *(variable.type.wrap(e.value) for e in variable.initial if isinstance(e, Const))]
        for instance in self.model.instances:
            if instance.template == template:
                names = [p.base for p in self.model.template(template).parameters]
                values += [v for base, v in zip(names, instance.values, strict=False) if base == variable.base]
        return min([0, *values]), max([0, *values])

    # ---------------------------------------------------------------- the fixpoint

    def solve(self) -> None:
        """Widen the intervals until no assignment leaves them."""
        for number in count():
            grown: dict[tuple[str, int], Interval] = {}
            for name, variable, found in self.assigned():
                key = (name if variable.is_local else "", variable.base)
                low, high = variable.type.low, variable.type.high
                if found[0] < low or found[1] > high:
                    found = low, high  # SOUND: a value that does not fit wraps
                a, b = grown.get(key, self.known[key])
                if found[0] < a or found[1] > b:
                    wider = (min(a, found[0]), max(b, found[1]))
                    grown[key] = (low, high) if number >= ROUNDS else wider
            if not grown:
                return
            self.known.update(grown)

    def assigned(self) -> Iterator[tuple[str, Variable, Interval]]:
        """Every variable that a step sets, with the range of what it is set to."""
        for name, step in self.steps():
            match step:
                case Assign(place, value):
                    yield name, place.variable, self.bounds(value, name)
                case Transition(_, assigns):
                    yield from ((name, a.place.variable, self.bounds(a.value, name)) for a in assigns)
                case Call(parameters=parameters, values=values):
                    for parameter, value in zip(parameters, values, strict=True):
                        yield name, parameter, self.bounds(value, name)
                case Return(value=value, into=Place(variable)):
                    yield name, variable, self.bounds(value, name)
                case Allocate(Place(variable)):
                    yield name, variable, ANYTHING
                case Receive(_, patterns):
                    for i, pattern in enumerate(patterns):
                        if isinstance(pattern, Bind) and isinstance(pattern.place, Place):
                            yield name, pattern.place.variable, self.received(i, len(patterns))
                case Run(started, values, _, into):
                    for parameter, value in zip(self.model.template(started).parameters, values, strict=True):
                        yield started, parameter, self.bounds(value, name)
                    if into is not None:
                        yield name, into.variable, PIDS

    # ---------------------------------------------------------------- messages

    def received(self, i: int, fields: int) -> Interval:
        """The range of field i of a message with so many fields, whatever channel it comes from."""
        kinds = {c.fields[i] for c in self.channels() if len(c.fields) == fields}
        lows, highs = zip(*(self.sent(i, fields, kind) for kind in kinds), strict=True) if kinds else ((0,), (0,))
        return min(lows), max(highs)

    def sent(self, i: int, fields: int, kind: Scalar) -> Interval:
        """The same of a channel in which it has this type; 0 is what is left behind."""
        found: list[Interval] = [(0, 0), *((m[i], m[i]) for m in self.messages if len(m) == fields)]
        for name, step in self.steps():
            if isinstance(step, Send) and len(step.values) == fields:
                found.append(self.bounds(step.values[i], name))
        low, high = min(low for low, _ in found), max(high for _, high in found)
        # SOUND: what does not fit wraps, to any value of the type.
        return (low, high) if kind.low <= low and high <= kind.high else (kind.low, kind.high)

    def channels(self) -> Iterator[ChannelType]:
        yield from (c.type for c in self.model.channels)
        yield from (c.type for t in self.model.templates for c in t.channels)

    # ---------------------------------------------------------------- expressions

    def bounds(self, e: Expr, template: str) -> Interval:
        """The range of an expression, by what is known of its variables so far."""
        match e:
            case Const(value):
                return value, value
            case Place(variable):
                return self.known.get((template if variable.is_local else "", variable.base), ANYTHING)
            case RemoteRead(other, _, place):
                return self.known.get((other, place.variable.base), ANYTHING)
            case Conditional(_, then, otherwise):
                (a, b), (c, d) = self.bounds(then, template), self.bounds(otherwise, template)
                return min(a, c), max(b, d)
            case Bounded(value, least, most):
                low, high = self.bounds(value, template)
                return max(low, least), min(high, most)
            case Binary(op, left, right):
                return _binary(op, self.bounds(left, template), self.bounds(right, template))
            case Unary("!") | Timeout() | NonProgress() | Enabled() | AtLabel() | Poll():
                return BOOLEAN
            case Self():
                return self.started.get(template, PIDS)
            case ProcessCount() | LastPid() | Priority():
                return PIDS
            case ChannelTest(test):
                return (0, INT.high) if test == "len" else BOOLEAN
        return ANYTHING

    def fits(self, place: Place, template: str) -> bool:
        """Is every index certainly in range?"""
        found = [self.bounds(i, template) for i in place.indices]
        return all(low >= 0 and high < size for (low, high), size in zip(found, place.variable.shape, strict=True))


def _binary(op: str, left: Interval, right: Interval) -> Interval:
    if op in ("==", "!=", "<", "<=", ">", ">=", "&&", "||"):
        return BOOLEAN
    low, high = ANYTHING
    if op in ("+", "-", "*"):
        (a, b), (c, d) = left, right
        corners = {"+": (a + c, b + d), "-": (a - d, b - c), "*": (a * c, a * d, b * c, b * d)}[op]
        low, high = min(corners), max(corners)
    elif op == "&" and (left[0] >= 0 or right[0] >= 0):
        low, high = 0, min(b for a, b in (left, right) if a >= 0)
    elif op == "%":
        most = max(abs(right[0]), abs(right[1]), 1) - 1
        low, high = (0 if left[0] >= 0 else -most), most
    elif op in ("/", ">>") and left[0] >= 0 and right[0] >= 0:
        low, high = 0, left[1]
    # SOUND: a result that may not fit into 32 bits wraps, so its bounds say nothing.
    return (low, high) if INT.low <= low and high <= INT.high else ANYTHING
