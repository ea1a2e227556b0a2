"""Replaces the pids (and other names of processes) that a state holds, without moving anything."""

from __future__ import annotations

from collections.abc import Callable

from ...semantics.state import State
from ..folding.owners import Owner
from ..folding.shape import Shape

NEUTRAL = -1  # names nothing
Choice = Callable[[Owner], Owner]  # whose name the name of an owner becomes


def with_values(shape: Shape, state: State, choose: Choice | None = None) -> State:
    """The state with other names in it; without a choice, all variables that can hold names hold none."""
    values = list(state.values)
    for slot, _, names in shape.globals:
        values[slot] = _changed(names, values[slot], choose)
    processes = list(state.processes)
    for pid, process in enumerate(processes):
        frame = list(process.frame)
        for slot, _, names in shape.frames[pid]:
            frame[slot] = _changed(names, frame[slot], choose)
        processes[pid] = process._replace(frame=tuple(frame))
    channels = list(state.channels)
    for c, _, fields in shape.channels:
        if c < len(channels):
            messages = tuple(
                tuple(_changed(names, v, choose) for v, names in zip(m, fields, strict=True))
                for m in channels[c].messages
            )
            channels[c] = channels[c]._replace(messages=messages)
    return state._replace(values=tuple(values), channels=tuple(channels), processes=tuple(processes))


def _changed(names: dict[int, Owner], value: int, choose: Choice | None) -> int:
    if choose is None:
        return NEUTRAL if names else value
    owner = names.get(value)
    if owner is None:
        return value
    target = choose(owner)
    return next((v for v, o in names.items() if o == target), value)
