"""What a process may still touch: the operations at all points behind the one where it stands.

The points that are known were reached by running the process, alone, with answers that it got, and with answers
that calls usually have.  Nothing says that these are all.  But if a search that used the futures never met another
point, then there is none: take the system in which a process halts at an unknown point; its futures are right, so the
search reaches every end of it, up to the order of independent steps, and would have met the point.  If it meets one,
the search is made again.

Reference: Godefroid, 1996 (persistent sets need what a process may still do).
Differs: not from the text of the program, but from its behaviour; checked by the search that uses it.
"""

from __future__ import annotations

from collections.abc import Hashable

from ...engines.stateless.protocol import Op, Thread
from .server import UncontrollableProcess
from .situation import Situation
from .system import life
from .system.calls import CALLS
from .system.points import LAST, Point

MOST_AHEAD = 400  # points that are reached for one question


class Futures:
    """What processes may still touch, found by running them ahead."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.given: dict[Point, Op | None] = {}

    def grown(self, before: Point) -> None:
        """SOUND: a future that was given out may lack what is behind the new point."""
        point: Point | None = before
        while point is not None:
            if point in self.given:
                del self.given[point]
                self.situation.again = True
            point = point.before

    def of(self, who: Thread, point: Point) -> Op | None:
        if point not in self.given:
            found = self.look(who, point)
            self.given[point] = found
        return self.given[point]

    def look(self, who: Thread, point: Point) -> Op | None:
        """Everything that a process may still do, as one operation; None if that is not known."""
        try:
            self.run_ahead(point)
        except UncontrollableProcess:
            return None
        reads: set[Hashable] = set()
        writes: set[Hashable] = set()
        for each in point.known():
            op = self.may(who, each)
            if op is None:
                return None
            reads |= op.reads
            writes |= op.writes
        return Op("future", frozenset(reads), frozenset(writes))

    def run_ahead(self, point: Point) -> None:
        """Run the process on with the answers that calls usually have."""
        tree, todo = self.situation.tree, [point]
        most = tree.size + MOST_AHEAD
        while todo and tree.size < most:
            here = todo.pop()
            if not here.following and here.call.kind in CALLS:
                for answer in CALLS[here.call.kind].expected(here.call):
                    tree.follow(here, answer)
            todo += here.following.values()

    def may(self, base: Thread, point: Point) -> Op | None:
        """What may be touched at a point, by the process `base` or by one that it will have started."""
        situation, call = self.situation, point.call
        who = situation.number(point.path)
        if call.kind in ("fork", "outside"):
            return Op(call.kind)
        if call.kind in LAST:
            pipes = {("pipe", p) if w else ("readers", p) for p, w in situation.world.processes[base].holds}
            return situation.mortal(who, Op("end", writes=frozenset({life.end_of(who), *pipes})))
        if call.kind == "wait":
            mine = [n for path, n in situation.numbers.items() if path[:-1] == point.path and path]
            return situation.mortal(who, Op("wait", frozenset(map(life.end_of, mine))))
        if call.kind == "getppid":
            parent = [situation.number(point.path[:-1])] if point.path else []
            return situation.mortal(who, Op("getppid", frozenset(map(life.end_of, parent))))
        made = {"semctl": "set", "msgctl": "queue", "shmctl": "segment"}.get(call.kind)
        if made is not None and (made, call.args[0]) not in situation.world.objects:
            return None  # not made yet, or gone: what belongs to it is not known
        return situation.mortal(who, CALLS[call.kind].touch(situation.world, who, call))
