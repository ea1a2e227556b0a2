"""What a step really touches: the reference interpreter on states that note every access.

`Watch(interpreter).offences(states)` compares that with what `analysis/effects.py` says of the step, which may name too
much but never too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from unittest.mock import patch

from isospin.analysis.ample import Analysis, made_at_start
from isospin.analysis.effects import ALL, COUNT, RUN, Effects, looks_far
from isospin.analysis.queues import ChannelText, Parameter
from isospin.core.model import Action, End, Guard, Run, Send, Template
from isospin.semantics import interp
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import Channel, State, World, WritableWorld

Access = tuple[int, str, object]  # who, what was done, to what
CHANNEL = ("send", "receive", "test")


class Noted(list[Any]):
    """A list that notes who looks at it and who changes it."""

    def __init__(self, items: Iterable[Any], world: Any, name: str) -> None:
        super().__init__(items)
        self.world, self.name = world, name

    def note(self, what: str, index: object) -> None:
        self.world.log.add((self.world.pid, f"{what} {self.name}", index))

    def __getitem__(self, index: Any) -> Any:
        self.note("read", index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, item: Any) -> None:
        before = super().__getitem__(index)
        if isinstance(item, Channel):
            grown = len(item.messages) - len(before.messages)
            self.note("send" if grown > 0 else "receive" if grown < 0 else "read", index)
        elif self.name != "process" or index != self.world.pid:
            self.note("write", index)
        super().__setitem__(index, item)

    def __iter__(self) -> Iterator[Any]:
        self.note("count", 0)
        for i in range(super().__len__()):
            yield self[i]

    def __len__(self) -> int:
        if self.name == "process":
            self.note("count", 0)
        return super().__len__()

    def raw(self) -> list[Any]:
        return [super(Noted, self).__getitem__(i) for i in range(super().__len__())]

    def append(self, item: Any) -> None:
        self.note("make", super().__len__())
        super().append(item)

    def pop(self, index: Any = -1) -> Any:
        self.note("drop", super().__len__() - 1)
        return super().pop(index)


def noting(log: set[Access]) -> type[World]:
    """The worlds that write into this log."""

    class Writable(WritableWorld):
        __slots__ = ()

        def __init__(self, world: World) -> None:
            values, channels, processes = world.values, world.channels, world.processes
            world.values = world.channels = world.processes = ()  # not to be looked at while they are copied
            super().__init__(world)
            world.values, world.channels, world.processes = values, channels, processes
            self.values, self.channels = Noted(plain(values), self, "value"), Noted(plain(channels), self, "channel")
            self.processes = Noted(plain(processes), self, "process")

        log = property(lambda self: log)

        def state(self) -> State:
            values, channels, processes = map(tuple, map(plain, (self.values, self.channels, self.processes)))
            return State(values, channels, processes, self.last, self.event, tuple(self.heap))

    class Readable(World):
        __slots__ = ()

        def __init__(self, state: State, pid: int = 0, timeout: bool = False) -> None:
            super().__init__(state, pid, timeout)
            self.values, self.channels = Noted(state.values, self, "value"), Noted(state.channels, self, "channel")
            self.processes = Noted(state.processes, self, "process")

        log = property(lambda self: log)

        def writable(self) -> WritableWorld:
            return Writable(self)

    return Readable


def plain(items: Any) -> list[Any]:
    return items.raw() if isinstance(items, Noted) else list(items)


class Watch:
    """For models without objects."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.model, self.interpreter, self.analysis = interpreter.model, interpreter, Analysis(interpreter.model)
        self.made = made_at_start(self.model)
        self.log: set[Access] = set()
        self.world = noting(self.log)
        doing = self.analysis.doing
        actions = [(t, a) for t in self.model.templates for a in t.actions]
        self.effects = {id(a): doing.effects(t, a) for t, a in actions}
        self.parts = {id(a): [p.step for p in doing.parts(t, a)] for t, a in actions}
        locked = {base for kind, base in doing.locks.protected if not kind}
        self.locked = {s for v in self.model.globals if v.base in locked for s in range(v.base, v.base + v.size)}

    def offences(self, states: Iterable[State]) -> Iterator[str]:
        for state in states:
            yield from self.together(state)
            for pid, process in enumerate(state.processes):
                template = self.model.templates[process.template]
                for action in self.interpreter.leaving[process.template].get(process.location, []):
                    for access in self.touched(state, pid, action):
                        if not self.is_said(state, pid, template, action, access):
                            yield f"{template.name}: {action.text}: {access}"

    def together(self, state: State) -> Iterator[str]:
        """Who can touch what a lock protects must be the only one who can."""
        for pid in range(len(state.processes)) if self.locked else ():
            for other in range(pid):
                both = [self.can_touch(state, p) for p in (pid, other)]
                yield from (f"{other} and {pid} both touch {slot}" for slot in both[0] & both[1] & self.locked)

    def can_touch(self, state: State, pid: int) -> set[object]:
        process = state.processes[pid]
        here = self.interpreter.leaving[process.template].get(process.location, [])
        able = [a for a in here if list(self.interpreter.attempt(World(state, pid), a))]
        return {what for a in able for _, kind, what in self.touched(state, pid, a)
                if "value" in kind and not self.takes(a)}  # fmt: skip

    def takes(self, action: Action) -> bool:
        """Does it take a lock by itself?  Then two may stand before it, in conflict about the lock."""
        locks = {("write", base) for kind, base in self.analysis.doing.locks.locks if not kind}
        return bool(locks & self.effects[id(action)])

    def touched(self, state: State, pid: int, action: Action) -> set[Access]:
        self.log.clear()
        with patch.object(interp, "World", self.world):
            for timeout in (False, True):
                list(self.interpreter.attempt(self.world(state, pid, timeout), action))
        return set(self.log)

    # ---------------------------------------------------------------- what is said

    def is_said(self, state: State, pid: int, template: Template, action: Action, access: Access) -> bool:
        who, kind, what = access
        parts, effects = self.parts[id(action)], self.effects[id(action)]
        if pid != who < len(state.processes):  # the partner of a rendezvous
            return self.is_partner(state, parts, access)
        if ALL in effects:
            return True
        starts = any(isinstance(s, Run) for s in parts)
        match kind:
            case "read value" | "write value":
                return what in self.locked or (kind.split()[0], what) in effects
            case "make process" | "make channel":
                return RUN in effects and starts
            case "drop process" | "drop channel":
                return ("end", template.name) in effects
            case "count process":
                ends = any(isinstance(s, End) for s in parts)
                return COUNT in effects or starts or ends or self.sees_processes(parts)
            case "read process" | "write process":
                return what == who or (starts and who >= len(state.processes)) or self.sees_processes(parts)
        assert isinstance(what, int)
        if what >= len(state.channels):
            return starts  # one that was made just now
        kinds = CHANNEL if kind == "read channel" else (kind.split()[0],)
        return self.names(state, pid, effects, kinds, what) and self.may_lose(state, pid, effects, what)

    def is_partner(self, state: State, parts: list[Any], access: Access) -> bool:
        """What the receiver of a rendezvous touches is said of its receive; or a remote reference looks at it."""
        if self.sees_processes(parts) and "process" in access[1]:
            return True
        if not any(isinstance(s, Send) for s in parts):
            return False
        template = self.model.templates[state.processes[access[0]].template]
        actions = self.interpreter.leaving[state.processes[access[0]].template]
        here = actions.get(state.processes[access[0]].location, [])
        return "process" in access[1] or any(self.is_said(state, access[0], template, a, access) for a in here)

    def sees_processes(self, parts: list[Any]) -> bool:
        started = [self.model.template(s.template) for s in parts if isinstance(s, Run)]
        later = (Guard(e) for t in started for v in t.locals for e in v.initial)
        return any(map(looks_far, parts)) or any(map(looks_far, later)) or any(isinstance(s, Send) for s in parts)

    # ---------------------------------------------------------------- channels

    def queues(self, state: State) -> list[tuple[ChannelText, int]]:
        """What each channel of a state is, and who made it (-1: it is global)."""
        found = [(q, -1) for q in self.made]
        for pid, process in enumerate(state.processes):
            template = self.model.templates[process.template]
            order = [s for v in template.locals for s in range(v.base, v.base + v.size)]
            own = sorted((c.offset for c in template.channels), key=order.index)
            found += [(ChannelText(template.name, offset), pid) for offset in own]
        return found

    def names(self, state: State, pid: int, effects: Effects, kinds: tuple[str, ...], channel: int) -> bool:
        queue, _ = self.queues(state)[channel]
        frame = state.processes[pid].frame
        for kind, what in effects:
            if kind in kinds and what == queue:
                return True
            if kind in kinds and isinstance(what, Parameter):
                if frame[what.slot] == channel + 1 and queue in self.analysis.channels.channels_of(what):
                    return True
        return False

    def may_lose(self, state: State, pid: int, effects: Effects, channel: int) -> bool:
        """SOUND: if the owner is younger, it may end before."""
        queue, owner = self.queues(state)[channel]
        return owner <= pid or ("use", queue.template) in effects

    # ---------------------------------------------------------------- the future

    def growth(self, states: Iterable[State]) -> Iterator[str]:
        """Where a step lets a process do what it could not do before; a started one adds to nobody's future."""
        table = self.analysis.result(None)

        def futures(state: State) -> list[int]:
            here = [table.locations[p.template][p.location] for p in state.processes]
            return [x.future | table.found(x.future_by, p) for x, p in zip(here, state.processes, strict=True)]

        for state in states:
            before = futures(state)
            for taken in self.interpreter.steps(state):
                for pid, future in enumerate(futures(taken.state) if taken.state is not None else ()):
                    if future & ~before[pid if pid < len(before) else taken.pid]:
                        yield f"after {taken.action.text} process {pid} may do more than before"
