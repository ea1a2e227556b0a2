"""A deadlock of a model: who waits for what, and for whom.

A process waits at its statements.  What a condition reads was last changed by somebody on the way: that is whom it
waits for.  Who waits for a message waits for those whose text sends to that channel, and who wants to send for those
who receive.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import InternalError
from ..core.model import (
    Action,
    Chain,
    ChannelTest,
    Deterministic,
    Expr,
    Field,
    Guard,
    Place,
    Poll,
    Receive,
    RemoteRead,
    Send,
    Step,
    Transition,
)
from ..core.trace import Start, Trace, Wait
from .explain import Namer, Position, Replayer, object_name
from .interp import Interpreter
from .state import Fault, World
from .walk import parts_of, subexpressions


def waits_of(interpreter: Interpreter, trace: Trace, start: Start = ()) -> tuple[Wait, ...]:
    """Of all processes that cannot go on at the end of a run."""
    replayer = Replayer(interpreter)
    at = replayer.start(start)
    for choice in trace.choices:
        taken = replayer.take(at, choice)
        if taken is None:
            raise InternalError(f"a step of the counterexample does not replay: {choice}")
        at = replayer.after(at, taken)
    found = _Stuck(interpreter, trace, at)
    templates = interpreter.model.templates
    return tuple(found.wait(pid) for pid, process in enumerate(at.state.processes)
                 if process.location not in templates[process.template].end_locations)  # fmt: skip


class _Stuck:
    """The last state of a run, and what led there."""

    def __init__(self, interpreter: Interpreter, trace: Trace, at: Position) -> None:
        self.interpreter, self.trace, self.at = interpreter, trace, at
        self.namer = Namer(interpreter)

    def wait(self, pid: int) -> Wait:
        """Of one process: at which statements it stands, and for whom it waits; for itself only if for nobody else."""
        w = World(self.at.state, pid)
        actions = [a for a in self.interpreter.actions_of(w) if a.text]
        said = " or ".join(dict.fromkeys(f"{a.text} (line {a.location.line})" for a in actions))
        found: dict[int, list[str]] = {}
        for action in actions:
            for whom, what in self.links(w, action.step):
                if what not in found.setdefault(whom, []):
                    found[whom].append(what)
        others = {whom: whats for whom, whats in found.items() if whom != pid} or found
        name = self.interpreter.name(self.at.state, pid)
        links = tuple((whom, ", ".join(whats)) for whom, whats in sorted(others.items()))
        return Wait(pid, name, f"waits for {said}", links)

    def links(self, w: World, step: Step) -> Iterator[tuple[int, str]]:
        """Whom a step waits for, and what connects the two."""
        match step:
            case Guard(condition) | Transition(condition):
                for e in subexpressions(condition):
                    yield from self.of_read(w, e)
            case Send(channel):
                yield from self.of_channel(w, channel, Receive)
            case Receive(channel):
                yield from self.of_channel(w, channel, Send)
            case Chain(actions):
                yield from self.links(w, actions[0].step)
            case Deterministic(entry=entry):
                for action in self.leaving(w, entry):
                    yield from self.links(w, action.step)

    def leaving(self, w: World, location: int) -> list[Action]:
        return self.interpreter.leaving[w.processes[w.pid].template].get(location, [])

    def of_read(self, w: World, e: Expr) -> Iterator[tuple[int, str]]:
        if isinstance(e, ChannelTest | Poll):
            yield from self.of_channel(w, e.channel, Send if isinstance(e, Poll) else (Send, Receive))
        elif (name := self.name(w, e)) and (whom := self.changed_by(name)) is not None:
            yield whom, name

    def name(self, w: World, e: Expr) -> str:
        """How a step calls what it changes, if others can change it."""
        evaluator = self.interpreter.evaluator
        try:
            match e:
                case Place(variable) if not variable.is_local:
                    return variable.element(evaluator.offset(e)(w) - variable.base if e.indices else 0)
                case Field(_, _, variable):
                    element = variable.element(evaluator.offset(e)(w) - variable.base)
                    return f"{object_name(self.at, evaluator.slot(e)(w))}.{element}"
                case RemoteRead(template, pid, Place(variable)) if pid is not None and not variable.shape:
                    return f"{template}[{evaluator.value(pid)(w)}]:{variable.element(0)}"
        except Fault:
            pass
        return ""

    def changed_by(self, name: str) -> int | None:
        """Who changed it last; in a rendezvous it is the receiver who stores something."""
        for step in reversed(self.trace.steps):
            if any(changed == name for changed, _ in step.changes):
                return step.pid if step.partner is None else step.partner
        return None

    def of_channel(self, w: World, channel: Expr, does: type | tuple[type, ...]) -> Iterator[tuple[int, str]]:
        """The others in whose text there is such a step with this channel, as they know it now."""
        index = self.channel(w, channel)
        for pid, process in enumerate(self.at.state.processes if index is not None else ()):
            there = World(self.at.state, pid)
            template = self.interpreter.model.templates[process.template]
            parts = (part for action in template.actions for part in parts_of(action.step))
            if pid != w.pid and any(
                isinstance(p, Send | Receive) and isinstance(p, does) and self.channel(there, p.channel) == index
                for p in parts
            ):
                yield pid, self.namer.channel_name(self.at.state, index or 0)

    def channel(self, w: World, channel: Expr) -> int | None:
        try:
            return self.interpreter.evaluator.channel(channel)(w)
        except Fault:
            return None
