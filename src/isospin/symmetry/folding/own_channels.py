"""Channels that processes have declared themselves: they move with their owners, and their numbers are names.

Reference: docs/develop/decisions/births.md, "Channels of their own".
Differs: SPIN numbers channels like processes, in the order in which they are made; so those of the processes that stay
come first, and then the others stand in the order of their owners.

An example.  Channel 1 is global, process 0 stays, and 1 and 2 have two channels each: 2 and 3 belong to process 1, 4
and 5 to process 2.  If the two change places, channels 4 and 5 become 2 and 3, also in variables and messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...semantics.state import Channel, State
from ..detection.pid_places import PidPlaces

NOBODY = -1  # the owner of a channel whose process is dead


class Own(NamedTuple):
    """Whose channel it is, and which of his."""

    pid: int
    which: int


class OwnChannels:
    """The channels of the processes that move, in the states of one model."""

    def __init__(self, places: PidPlaces, base: int) -> None:
        self.own, self.fixed, self.base = places.own, places.fixed, base
        self.exist = places.owns_channels

    def owners(self, state: State) -> list[Own]:
        """One for each such channel, in their order."""
        if not self.exist:
            return []
        return [
            Own(pid, k)
            for pid in range(self.base, len(state.processes))
            for k in range(len(self.own[state.processes[pid].template]))
        ]

    def owner(self, number: int, owners: list[Own]) -> Own | None:
        """The owner of a channel by its number; None if it stays where it is, or there is none."""
        if not self.exist or number <= self.fixed:
            return None
        place = number - self.fixed - 1
        return owners[place] if place < len(owners) else Own(NOBODY, number)

    def fields(self, state: State, own: Own) -> tuple[int, ...]:
        """What the messages in a channel hold."""
        return self.own[state.processes[own.pid].template][own.which]

    def carried(self, state: State, order: Iterable[int]) -> tuple[tuple[Channel, ...], dict[int, int]]:
        """The channels if the processes that move are these, and where each number has gone."""
        if not self.exist:
            return state.channels, {}
        channels, numbers = list(state.channels[: self.fixed]), dict[int, int]()
        of: dict[int, list[int]] = {}
        for number, own in enumerate(self.owners(state), self.fixed + 1):
            of.setdefault(own.pid, []).append(number)
        for number in (n for pid in order for n in of.get(pid, ())):
            channels.append(state.channels[number - 1])
            numbers[number] = len(channels)
        return tuple(channels), numbers
