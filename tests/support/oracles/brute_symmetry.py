"""Symmetry by brute force: every permutation is tried on the whole state graph, with an action that the test defines.

Nothing of `isospin.symmetry` is used for the action: the layout says which arrays go by process and which variables
hold processes, and a permutation is a symmetry if it maps the reachable state graph to itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

from isospin.core.model import Model, Variable
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import Channel, State

Pids = tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """How processes occur in the states of a model; `first` is the pid that index or value 0 stands for."""

    arrays: tuple[str, ...] = ()  # global arrays with one element for each process
    holders: tuple[str, ...] = ()  # variables (global or local) that hold processes
    parameters: tuple[str, ...] = ()  # locals that say who the process is: they stay with the place
    first: int = 0
    fields: tuple[int, ...] = ()  # message fields that hold processes, in all channels
    channel_fields: tuple[int, ...] = ()  # message fields that hold channels
    own_channels: tuple[str, ...] = ()  # local variables that hold channels
    servers: dict[int, int] | None = None  # other things with one element each, by the process they belong to


class Brute:
    def __init__(self, model: Model, layout: Layout) -> None:
        self.model, self.layout = model, layout
        self.interpreter = Interpreter(model)
        self.graph: dict[State, frozenset[State]] = {}
        self.initial = list(self.interpreter.initial_states())
        self.explore()
        self.full = max(self.graph, key=lambda s: len(s.processes))
        self.templates = [p.template for p in self.full.processes]
        self.telling: list[State] = []  # states that have refuted permutations before: tried first

    def explore(self) -> None:
        todo = list(self.initial)
        while todo:
            state = todo.pop()
            if state not in self.graph:
                after = frozenset(m.state for m in self.interpreter.moves(state) if m.state is not None)
                self.graph[state] = after
                todo += after

    # ---------------------------------------------------------------- the action

    def act(self, pids: Pids, state: State) -> State:
        if len(state.processes) < len(pids):
            return state  # not everybody is born
        processes = list(state.processes)
        for pid, process in enumerate(state.processes):
            target = state.processes[pids[pid]]
            variables = self.model.templates[process.template].locals
            frame = list(self.frame(pids, variables, process.frame))
            for v in variables:
                if v.name in self.layout.parameters:
                    frame[v.base] = target.frame[v.base]
            processes[pids[pid]] = process._replace(frame=tuple(frame))
        values = self.frame(pids, self.model.globals, state.values)
        return state._replace(values=values, processes=tuple(processes), channels=self.channels(pids, state))

    def frame(self, pids: Pids, variables: tuple[Variable, ...], frame: tuple[int, ...]) -> tuple[int, ...]:
        result = list(frame)
        for v in variables:
            for i in range(v.size):
                value = frame[v.base + i]
                if v.name in self.layout.holders:
                    value = self.name(pids, value)
                if v.name in self.layout.own_channels:
                    value = self.channel(pids, value)
                place = self.index(pids, i) if v.name in self.layout.arrays else i
                result[v.base + place] = value
        return tuple(result)

    def name(self, pids: Pids, value: int) -> int:
        pid = value + self.layout.first
        return pids[pid] - self.layout.first if pid < len(pids) else value

    def index(self, pids: Pids, i: int) -> int:
        if self.layout.servers is None:
            return self.name(pids, i)
        owner = self.layout.servers[i]
        return next(k for k, pid in self.layout.servers.items() if pid == pids[owner])

    def owner(self, channel: int) -> int | None:
        """The process that created a channel."""
        created = len(self.model.channels)
        for pid, number in enumerate(self.templates):
            created += len(self.model.templates[number].channels)
            if channel <= created:
                return pid if channel > len(self.model.channels) else None
        return None

    def channel(self, pids: Pids, value: int) -> int:
        owner = self.owner(value) if value else None
        return value if owner is None else value + sum(
            (1 if pids[owner] > owner else -1) * len(self.model.templates[self.templates[p]].channels)
            for p in range(min(owner, pids[owner]), max(owner, pids[owner]))
        )

    def channels(self, pids: Pids, state: State) -> tuple[Channel, ...]:
        result = list(state.channels)
        arrays = {c.offset: i for i, c in enumerate(self.model.channels)}
        for v in self.model.globals:
            for i in range(v.size):
                if v.name in self.layout.arrays and v.base + i in arrays:
                    here, there = arrays[v.base + i], arrays[v.base + self.index(pids, i)]
                    result[there] = self.content(pids, state.channels[here])
        for c, channel in enumerate(state.channels):
            if c >= len(self.model.channels):
                result[self.channel(pids, c + 1) - 1] = self.content(pids, channel)
            elif not any(v.base <= self.model.channels[c].offset < v.base + v.size for v in self.model.globals
                         if v.name in self.layout.arrays):  # fmt: skip
                result[c] = self.content(pids, channel)
        return tuple(result)

    def content(self, pids: Pids, channel: Channel) -> Channel:
        def field(i: int, value: int) -> int:
            if i in self.layout.fields:
                return self.name(pids, value)
            return self.channel(pids, value) if i in self.layout.channel_fields else value

        return channel._replace(messages=tuple(tuple(field(i, v) for i, v in enumerate(m)) for m in channel.messages))

    # ---------------------------------------------------------------- symmetries

    def candidates(self) -> Iterator[Pids]:
        """All permutations that keep the templates."""
        kinds = list(dict.fromkeys(self.templates))
        groups = [[p for p, t in enumerate(self.templates) if t == kind] for kind in kinds]
        for images in product(*(permutations(g) for g in groups)):
            result = list(range(len(self.templates)))
            for group, image in zip(groups, images, strict=True):
                for pid, target in zip(group, image, strict=True):
                    result[pid] = target
            yield tuple(result)

    def is_symmetry(self, pids: Pids) -> bool:
        """Is the permutation an automorphism of the reachable state graph that keeps the initial states?"""
        if any(self.act(pids, s) != s for s in self.initial):
            return False
        for state in (*self.telling, *self.graph):
            if self.graph.get(self.act(pids, state)) != frozenset(self.act(pids, s) for s in self.graph[state]):
                self.telling = [state, *(s for s in self.telling if s != state)][:20]
                return False
        return True

    def group(self) -> set[Pids]:
        return {pids for pids in self.candidates() if self.is_symmetry(pids)}

    def orbits(self, group: set[Pids]) -> int:
        left, count = set(self.graph), 0
        while left:
            left -= {self.act(pids, next(iter(left))) for pids in group}
            count += 1
        return count
