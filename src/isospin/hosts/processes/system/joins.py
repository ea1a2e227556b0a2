"""A process that waits for all its children, one after the other, waits for a set.

`for (...) wait(NULL)` finds the children in the order of their ends, which mostly does not matter to the process; but
all orders of ends would have to be tried.  So a process that waits for any child is taken to wait for all at once.

SOUND: that is an assumption, checked when the step is made: whatever order the children are found in, with the statuses
that they have or with these in another order, the process must ask for nothing but the next child in between, and be in
the same local state afterwards, which is checked as for twins (`symmetry.py`).  If some of the children never end, it
must do nothing else with the others.  If it does, it waits for one after the other, and the search starts again.

Reference: Yang, Chen, Gopalakrishnan, Wang, SPIN 2009, name threads in joins one by one, which breaks every symmetry.
Differs: the same idea as for the joins of threads, but for processes, and by behaviour.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from itertools import permutations

from ....engines.stateless.protocol import JOIN, Op, Thread
from ..situation import LearntOfProcesses, Situation
from . import life
from .points import Answer, Point
from .world import SimulatedProcess, SimulatedSystem, pid_of

MOST = 4  # children: every order of them is tried by the process, alone
Found = tuple[tuple[Thread, int], ...]  # children and their statuses
Same = Callable[[Point, Point, Point], None]  # the two points are where different orders of waiting at the third lead


class Joins:
    """Waiting for a set of children as one operation, where the process does the same in whatever order they end."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.most = MOST
        self.apart: set[int] = set()  # the places in the program where a process waits for one after the other
        self.passed: dict[tuple[Point, Found], Point] = {}
        self.partly: set[tuple[Point, Found]] = set()

    def together(self, world: SimulatedSystem, who: Thread, point: Point) -> tuple[Thread, ...]:
        """The children for which a process waits at once; none: it does not."""
        if point.call.kind != "wait" or not self.waits_at_once(world.processes[who]):
            return ()
        return world.processes[who].children

    def waits_at_once(self, process: SimulatedProcess) -> bool:
        point = process.point
        if point.call.kind != "wait" or point.call.args[:2] != (-1, 0) or self.situation.kills:
            return False
        alone = process.status is not None or point.call.place in self.apart
        return not alone and 1 < len(process.children) <= self.most

    @staticmethod
    def op(children: Sequence[Thread]) -> Op:
        return Op(JOIN, frozenset(map(life.end_of, children)), waits=True)

    @staticmethod
    def ready(world: SimulatedSystem, children: Sequence[Thread]) -> bool:
        return all(world.processes[c].status is not None for c in children)

    def run(self, world: SimulatedSystem, who: Thread, children: Sequence[Thread], same: Same) -> None:
        """All of them have ended."""
        point = world.processes[who].point
        found = tuple((c, world.processes[c].status or 0) for c in children)
        if (point, found) not in self.passed:
            self.passed[point, found] = self.check(point, found, same)
        world.change(who, point=self.passed[point, found], children=())

    def check(self, point: Point, found: Found, same: Same) -> Point:
        """Every order leads to the same, also if the statuses belonged to other children."""
        children, statuses = zip(*found, strict=True)
        for others in sorted(set(permutations(statuses))):
            given = tuple(zip(children, others, strict=True))
            usual = self.follow(point, given, point)
            for order in permutations(given):
                same(usual, self.follow(point, order, point), point)
        return self.follow(point, found, point)

    def follow(self, point: Point, found: Found, join: Point) -> Point:
        """Where a process is that was found these children in this order, and did nothing else in between."""
        for i, (child, status) in enumerate(found):
            point = self.situation.tree.follow(point, Answer(pid_of(child), 0, struct.pack("<i", status)))
            if i + 1 < len(found) and point.call != join.call:
                self.part(join)
        return point

    def part(self, join: Point) -> None:
        self.apart.add(join.call.place)
        self.passed.clear()  # that every order leads to the same is not watched any more
        raise LearntOfProcesses

    def look_at(self, world: SimulatedSystem) -> None:
        """Nobody can go on: who waits for a set must not do anything with those of it that have ended."""
        for who, process in world.processes.items():
            if process.status is None and (children := self.together(world, who, process.point)):
                found = tuple((c, s) for c in children if (s := world.processes[c].status) is not None)
                if (process.point, found) not in self.partly:
                    for order in permutations(found):
                        if self.follow(process.point, order, process.point).call != process.point.call:
                            self.part(process.point)
                    self.partly.add((process.point, found))
