"""What is done to a state in which processes were started at run time: the ended ones go, the others are sorted.

Reference: docs/develop/decisions/births.md.
Differs: the images of processes are no permutation: a process that has ended is GONE, and others close the gap.

An example.  Process 0 stays; 1 to 4 are of one template and at locations 7, end, 3, 7.  Process 2 goes, and the others
are sorted by where they are: 3 comes to 1, 1 to 2 and 4 to 3.  So the images are 0, 2, GONE, 1, 3.
"""

from __future__ import annotations

from ...core.permutation import Permutation
from ...semantics.state import Process, State
from ..detection.births import Births
from ..protocol import KEEP_ALL, KEEP_ONE

GONE = 255  # more than any pid


class BirthFold:
    """Folds the states of one model."""

    def __init__(self, births: Births) -> None:
        self.births, self.base = births, births.base
        self.record = self.ended_process()

    def ended_process(self) -> Process | None:
        """What is kept of a process that has ended: that there is one."""
        births = self.births
        for number in births.movable:
            if births.ended[number]:
                template = births.model.templates[number]
                return Process(number, min(births.ended[number]), (0,) * template.frame_size)
        return None

    def has_ended(self, process: Process) -> bool:
        return process.location in self.births.ended[process.template]

    def images(self, state: State) -> Permutation:
        """Where the processes go in the representative."""
        live = [p for p in range(self.base, len(state.processes)) if not self.has_ended(state.processes[p])]
        images = [p if p < self.base else GONE for p in range(len(state.processes))]
        first = min(self.base, len(state.processes)) + self.kept(state, len(live))
        for place, pid in enumerate(sorted(live, key=lambda p: state.processes[p]), first):
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
        live = sum(image != GONE for image in images[self.base : len(state.processes)])
        kept = self.kept(state, live)
        processes = list(state.processes[: self.base])
        if kept and self.record is not None:
            processes += [self.record] * kept
        moved = sorted(zip(images[self.base :], state.processes[self.base :], strict=False), key=lambda pair: pair[0])
        processes += [process for image, process in moved if image != GONE]
        return state._replace(processes=tuple(processes))
