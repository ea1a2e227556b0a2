"""Where the processes of a program are, and what is known of all its executions: what the parts of the host share."""

from __future__ import annotations

from ...core.errors import Location
from ...engines.stateless.protocol import Op, Thread
from .build import ForkingProgram
from .places import SourceLines
from .server import UncontrollableProcess
from .system import life
from .system.points import Path, Point, Tree
from .system.world import MOST_PROCESSES, SimulatedProcess, SimulatedSystem

WAITING = frozenset({"wait", "waitpid", "wait3", "wait4"})  # calls that see the ends of children
LOOKING = frozenset({"kill", "raise", "getppid"})  # those that see the ends of any process


class LearntOfProcesses(Exception):
    """More is known of the processes than the search has assumed: it has to start again."""


class Situation:
    """The current state of a program of processes, with the numbers of its processes and the tree of their points."""

    def __init__(self, built: ForkingProgram, tree: Tree) -> None:
        self.places = SourceLines(built.executable)
        self.tree = tree
        self.numbers: dict[Path, Thread] = {(): 0}
        self.sees_parents = bool(built.calls & LOOKING)
        self.sees_ends = self.sees_parents or bool(built.calls & WAITING)
        self.kills = "kill" in built.calls
        self.again = False  # something was learnt that the search did not know when it began
        self.initial: SimulatedSystem | None = None
        self.world = SimulatedSystem({}, {})

    def number(self, path: Path) -> Thread:
        """The same process has the same number in every execution."""
        if path not in self.numbers:
            if len(self.numbers) >= MOST_PROCESSES:
                raise UncontrollableProcess(f"the program makes more than {MOST_PROCESSES} processes")
            self.numbers[path] = len(self.numbers)
        return self.numbers[path]

    def path(self, who: Thread) -> Path:
        return next(path for path, number in self.numbers.items() if number == who)

    def location(self, point: Point) -> Location:
        return self.places.of(point.call.place)

    def living(self) -> list[tuple[Thread, SimulatedProcess]]:
        return sorted((who, p) for who, p in self.world.processes.items() if p.status is None)

    def mortal(self, who: Thread, op: Op) -> Op:
        """SOUND: whatever a process does, a signal may come before it, and then it ends instead."""
        if not self.kills:
            return op
        life_of = frozenset({life.life_of(who)})
        gone = life.touch_end(self.world, who).writes if who in self.world.processes else frozenset({life.end_of(who)})
        guards = op.deciding | life_of if op.waits else None
        return Op(op.kind, op.reads | life_of, op.writes | gone, op.waits, guards)
