"""What is done to a state in which processes were started at run time: the ended ones go, the others are sorted.

Reference: docs/develop/decisions/births.md.
Differs: the images of processes are no permutation: a process that has ended is GONE, and others close the gap.

An example.  Process 0 stays; 1 to 4 are of one template and at locations 7, end, 3, 7.  Process 2 goes, and the others
are sorted by where they are: 3 comes to 1, 1 to 2 and 4 to 3.  So the images are 0, 2, GONE, 1, 3.  Where pids are
data, somebody may still know process 2, and nobody is started any more who could get its pid.  Then its pid becomes the
first that no process has: the images are 0, 2, 4, 1, 3.
"""

from __future__ import annotations

from ...core.permutation import Permutation
from ...semantics.state import Process, State
from ..detection.births import Births
from ..protocol import KEEP_ALL, KEEP_ONE
from .live_names import LiveNames

GONE = 255  # more than any pid


class Remembered(Exception):
    """A pid is known that another process may get, or a channel of a process that has ended."""


class BirthFold:
    """Folds the states of one model."""

    def __init__(self, births: Births) -> None:
        self.births, self.base = births, births.base
        self.record = self.ended_process()
        self.names = None if births.pids is None else LiveNames(births.model, births.pids, births.base)

    def ended_process(self) -> Process | None:
        """What is kept of a process that has ended: that there is one."""
        births = self.births
        for number in births.movable:
            template = births.model.templates[number]
            if births.ended[number] and not template.channels:
                return Process(number, min(births.ended[number]), (0,) * template.frame_size)
        return None

    def has_ended(self, process: Process) -> bool:
        return process.location in self.births.ended[process.template]

    def may_start(self, state: State) -> bool:
        """Can a process be started from here on?"""
        births = self.births
        return not births.bounded or any(p.location in births.starts[p.template] for p in state.processes)

    def live(self, state: State) -> list[int]:
        """Those that move and have not ended."""
        return [p for p in range(self.base, len(state.processes)) if not self.has_ended(state.processes[p])]

    def images(self, state: State) -> Permutation | None:
        """Where the processes go in the representative; None: the state stays as it is."""
        live = self.live(state)
        if self.names is None:
            return self.placed(state, sorted(live, key=lambda p: state.processes[p]), [])
        starts = self.may_start(state)
        if self.births.cautious and (starts or self.names.channels.exist):
            return None
        known = self.names.known_of_others(state, live)
        if self.names.knows_dead_channel(state, live, known):
            raise Remembered  # SOUND: until its owner dies it can be used, and when that is depends on who is younger
        if starts and (known or self.names.left_over(state, live)):
            # SOUND: whether a new process gets a pid that somebody remembers depends on who is younger than whom.
            raise Remembered
        first = self.placed(state, live, known)
        order = self.names.canonical(self.move(first, state), len(live), len(known))
        back = [*live, *known]
        chosen = [back[i] for i in order]
        return self.placed(state, chosen[: len(live)], chosen[len(live) :])

    def placed(self, state: State, live: list[int], known: list[int]) -> Permutation:
        """The live processes in this order, and behind them the pids of others that somebody knows."""
        size = max([len(state.processes), *(p + 1 for p in known)])
        images = [p if p < self.base else GONE for p in range(size)]
        kept = self.kept(state, len(live))
        for place, pid in enumerate(live, min(self.base, len(state.processes)) + kept):
            images[pid] = place
        for place, pid in enumerate(known, self.base + len(live)):
            images[pid] = place
        return tuple(images)

    def kept(self, state: State, live: int) -> int:
        """How many processes that have ended are kept."""
        ended = len(state.processes[self.base :]) - live
        if self.births.keep == KEEP_ALL:
            return ended
        return int(self.births.keep == KEEP_ONE and live == 0 and ended > 0)

    def move(self, images: Permutation, state: State) -> State:
        """The state with its processes where the images say; those that are kept though they have ended come first."""
        live = self.live(state)
        kept = self.kept(state, len(live))
        processes = list(state.processes[: self.base])
        if kept and self.record is not None:
            processes += [self.record] * kept
        live.sort(key=lambda p: images[p])
        moved = state._replace(processes=(*processes, *(state.processes[p] for p in live)))
        if self.names is None:
            return moved
        channels, numbers = self.names.channels.carried(state, live)
        return self.names.renamed(moved._replace(channels=channels), images, numbers)
