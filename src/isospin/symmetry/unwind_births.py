"""Paths through states whose live processes were sorted, told in the user's own process numbers.

Reference: `unwind.py`; docs/develop/decisions/births.md.
Differs: who has ended is left out of the states of the search, so a death happens here where a step waits for it, and
at the end of a path where a deadlock does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from ..core.errors import InternalError
from ..core.model import End
from ..core.permutation import Permutation
from ..core.trace import Choice, FoldedChoice, Start
from ..semantics.explain import Position, Replayer, choice_of
from ..semantics.interp import Taken
from .detection.symmetries import Symmetries
from .folding.births import BirthFold
from .protocol import KEEP_ALL


def unwind_births(
    symmetries: Symmetries, path: Iterable[FoldedChoice], start: Start = (), to_the_end: bool = False
) -> list[Choice]:
    """The choices of the unreduced model that a folded path stands for; `to_the_end`: nobody waits for his death."""
    unwinder = _BirthUnwinder(symmetries, start)
    found = list(unwinder.steps(path))
    return found + list(unwinder.all_deaths()) if to_the_end else found


def unwind_births_lasso(
    symmetries: Symmetries, prefix: list[FoldedChoice], cycle: list[FoldedChoice]
) -> tuple[list[Choice], list[Choice]]:
    """A path and a cycle: go round until the state itself is back.  Nobody is started or ends in the cycle, since only
    so many are ever started; so it comes back."""
    unwinder = _BirthUnwinder(symmetries, ())
    identity_of = symmetries.interpreter.identity
    before, around = list(unwinder.steps(prefix)), list[Choice]()
    if None not in unwinder.pids:
        before += unwinder.all_deaths()
    start = identity_of(unwinder.here.state)
    while True:
        around += unwinder.steps(cycle)
        if identity_of(unwinder.here.state) == start:
            return before, around


class _BirthUnwinder:
    """Walks along a folded path twice: in representatives, and in the states that they stand for."""

    def __init__(self, symmetries: Symmetries, start: Start) -> None:
        assert symmetries.births is not None
        self.births, self.fold = symmetries.births, BirthFold(symmetries.births)
        self.replayer = Replayer(symmetries.interpreter)
        self.there = self.here = self.replayer.start(start)  # what the search saw, and what happened
        self.pids: list[int | None] = list(range(len(self.here.state.processes)))  # from there to here; None: a record
        self.same = True  # nothing was folded yet

    def steps(self, path: Iterable[FoldedChoice]) -> Iterator[Choice]:
        for choice, images in path:
            seen = next((t for t in self.replayer.options(self.there) if choice_of(t) == choice), None)
            if seen is None:
                raise InternalError(f"a step of the reduced search does not replay: {choice}")
            if isinstance(seen.action.step, End) and seen.pid >= self.births.base:
                yield from self.same_death(seen) if self.same else self.death_there(seen)
            else:
                yield from self.step(seen)
                if seen.state is None:
                    return
            if images is not None:
                self.folded(images)

    def step(self, seen: Taken) -> Iterator[Choice]:
        """What happens when the search sees a step; SOUND: a step may wait for deaths, but for nothing else."""
        choice, mover = choice_of(seen), self.pids[seen.pid]
        if mover is None:
            raise InternalError(f"a process that has ended goes on: {choice}")
        partner = None if seen.partner is None else self.pids[seen.partner]
        wanted = choice._replace(pid=mover, partner=partner)
        while (happened := self.replayer.take(self.here, wanted)) is None:
            died = self.death()
            if died is None:
                raise InternalError(f"no step of the unreduced model fits {choice}")
            yield died
        yield wanted
        if seen.state is None or happened.state is None:
            return
        before, after = len(self.here.state.processes), len(happened.state.processes)
        self.here, self.there = self.replayer.after(self.here, happened), self.replayer.after(self.there, seen)
        pids = self.pids[: len(seen.state.processes)] + list(range(before, after))
        self.pids = [None if self.is_over(p) else pid for p, pid in enumerate(pids)]

    def is_over(self, pid: int) -> bool:
        """Has a process ended that the search may leave out?"""
        return pid >= self.births.base and self.fold.has_ended(self.there.state.processes[pid])

    def same_death(self, seen: Taken) -> Iterator[Choice]:
        """Nothing was folded yet.  SOUND: pids may be used again, so nobody else dies."""
        self.here = self.there = self.replayer.after(self.there, seen)
        self.pids.pop()
        yield choice_of(seen)

    def death_there(self, seen: Taken) -> Iterator[Choice]:
        """One that has ended dies there: it may be one of many here, or one that others keep from dying."""
        self.there = self.replayer.after(self.there, seen)
        self.pids.pop()
        yield from islice(self.all_deaths(), 1 if self.births.keep == KEEP_ALL else None)

    def folded(self, images: Permutation) -> None:
        """Fold what the search folded."""
        live = [p for p in range(len(self.there.state.processes)) if not self.is_over(p)]
        self.there, self.same = Position(self.fold.move(images, self.there.state)), False
        pids: list[int | None] = [None] * len(self.there.state.processes)
        for p in live:
            pids[images[p]] = self.pids[p]
        self.pids = pids

    # ---------------------------------------------------------------- deaths here

    def all_deaths(self) -> Iterator[Choice]:
        """All who can die do so."""
        while (died := self.death()) is not None:
            yield died

    def death(self) -> Choice | None:
        """The youngest process dies, if it has ended and the search does not see it any more."""
        youngest = len(self.here.state.processes) - 1
        if youngest < self.births.base or youngest in self.pids:
            return None
        for taken in self.replayer.options(self.here):
            if taken.pid == youngest and isinstance(taken.action.step, End):
                self.here = self.replayer.after(self.here, taken)
                return choice_of(taken)
        return None
