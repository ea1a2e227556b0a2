"""A program of processes as something that can be stepped: the host behind the stateless searches.

Every process is a function of the answers that it gets (`points.py`), and what they share is simulated (`world.py`).
So a state is the point of each process and the shared objects: it can be kept and gone back to, and a step runs a
process only where no process has been before.

Reference: Godefroid, POPL 1997 and FORTE 1999 (VeriSoft: visible operations of processes, toss, divergence).
Differs: objects are simulated instead of the system's, nothing is executed twice, and ends are visible operations where
somebody can wait for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from signal import Signals

from ...engines.stateless.protocol import Exchanging, Found, Op, Renaming, Thread
from .build import ForkingProgram
from .futures import Futures
from .server import CPU_SECONDS, ProcessServer, UncontrollableProcess
from .situation import LearntOfProcesses as LearntOfProcesses
from .situation import Situation
from .symmetry import Twins
from .system import life, memory
from .system.calls import CALLS
from .system.joins import Joins
from .system.points import FAILING, LAST, Answer, Point, SystemCall, Tree
from .system.world import SimulatedProcess, SimulatedSystem, pid_of
from .weak import PlainRaces, WeakAccesses, describe_weak, tell_race
from .words import name_of, waits_for

MOST_BEFORE = 10_000  # calls of main before the first fork


class ProcessProgram(Situation, Exchanging):
    """A program of processes at some state of one execution."""

    def __init__(self, built: ForkingProgram, arguments: Sequence[str] = (), seconds: int = CPU_SECONDS) -> None:
        self.built, self.arguments = built, tuple(arguments)
        self.server = ProcessServer(built.executable, arguments, seconds)
        try:
            super().__init__(built, Tree(self.server))
        except BaseException:
            self.server.close()
            raise
        self.tree.grown = self.grown
        self.ops: dict[Point, Op] = {}
        self.futures = Futures(self)
        self.joins = Joins(self)
        self.twins = Twins(self, self.futures, self.joins)
        self.weak, self.races = WeakAccesses(), PlainRaces()

    def close(self) -> None:
        self.server.close()

    def begin_search(self) -> None:
        self.again = False

    def where_is(self, thread: Thread) -> Hashable:
        return self.world.processes[thread].point.call.place

    def become_copy(self) -> None:
        """The running processes belong to the other one; what they did is known."""
        self.server = ProcessServer(self.built.executable, self.arguments, self.server.seconds)
        self.tree.runner = self.server

    def has_learnt(self) -> object:
        """SOUND: also what was taken for granted about points, since whoever reaches more of them has to check it."""
        taken = self.twins.taken, self.twins.relied, len(self.twins.refuted), len(self.twins.begun)
        joins = len(self.joins.passed), len(self.joins.partly), len(self.joins.apart)
        races = self.weak.size, self.races.first is not None
        return self.again, self.tree.size, len(self.numbers), len(self.futures.given), *taken, *joins, *races

    def grown(self, before: Point, point: Point) -> None:
        """A process has gone on where none has been."""
        self.futures.grown(before)
        self.twins.grown(before, point)

    # ---------------------------------------------------------------------------------------------- numbers

    def weaker(self) -> str:
        """Why "holds" would be too much."""
        if point := self.weak.first():
            return describe_weak(point, self.location(point))
        if self.races.first is None:
            return ""
        one, other = self.races.first
        return tell_race(one.call, other.call, self.location(one), self.location(other))

    # ---------------------------------------------------------------------------------------------- states

    def restart(self) -> None:
        if self.initial is None:
            world = SimulatedSystem({}, {0: SimulatedProcess(self.tree.first)})
            self.settle(world, 0)
            self.begin(world)
            self.initial = world
        self.world = self.initial

    def begin(self, world: SimulatedSystem) -> None:
        """As long as main is alone there is only one way to go."""
        for _ in range(MOST_BEFORE):
            if len(world.processes) > 1 or world.processes[0].status is not None:
                return
            call = world.processes[0].point.call
            if call.kind == "toss" or not CALLS[call.kind].ready(world, 0, call):
                return
            self.answered(world, 0, CALLS[call.kind].act(world, 0, call))

    def save(self) -> SimulatedSystem:
        return self.world

    def restore(self, saved: SimulatedSystem) -> None:
        self.world = saved

    def pending(self) -> Mapping[Thread, Op]:
        return {who: self.op(who, p.point) for who, p in self.living()}

    def op(self, who: Thread, point: Point) -> Op:
        """The operation that a process will do next; kept for a point where nothing else can change it."""
        known = self.ops.get(point)
        if known is None and (children := self.joins.together(self.world, who, point)):
            return self.joins.op(children)
        if known is None:
            kind = CALLS[point.call.kind]
            known = self.mortal(who, kind.touch(self.world, who, point.call))
            if kind.settled and not self.kills:
                self.ops[point] = known
        return known

    def enabled(self) -> Sequence[Thread]:
        return [who for who, p in self.living() if self.can(who, p)]

    def can(self, who: Thread, process: SimulatedProcess) -> bool:
        call = process.point.call
        if children := self.joins.together(self.world, who, process.point):
            return self.joins.ready(self.world, children)
        return bool(process.signal) or CALLS[call.kind].ready(self.world, who, call)

    def choices(self, thread: Thread) -> int:
        process = self.world.processes[thread]
        return process.point.call.args[0] if process.point.call.kind == "toss" and not process.signal else 1

    # ---------------------------------------------------------------------------------------------- steps

    def step(self, thread: Thread, choice: int = 0) -> Sequence[Found]:
        world = self.world.copy()
        process = world.processes[thread]
        call = process.point.call
        if not process.signal:
            self.weak.note(world, thread, process.point)
            self.races.note(world, thread, process.point)
        if process.signal:
            world.finish(thread, process.signal)
        elif children := self.joins.together(world, thread, process.point):
            self.joins.run(world, thread, children, self.twins.same)
            self.settle(world, thread)
        elif call.kind == "toss":
            self.answered(world, thread, Answer(choice))
        else:
            self.answered(world, thread, CALLS[call.kind].act(world, thread, call))
        found = self.world.found if self.world is self.initial else ()  # those have not been told yet
        self.world = world
        return (*found, *world.found)

    def answered(self, world: SimulatedSystem, who: Thread, answer: Answer) -> None:
        """The call was answered: go on to the next one, which the tree of points knows or finds out."""
        process = world.processes[who]
        if process.status is not None:
            return
        before, point = process.point, self.tree.follow(process.point, answer)
        if before.call.kind in ("write", "update"):
            if len(point.stored) != before.call.args[2]:
                raise UncontrollableProcess(
                    f"{self.location(before)}: an instruction writes shared memory in an unusual way"
                )
            segment, offset = before.call.args[:2]
            memory.store(world, segment, offset, point.stored)
        world.change(who, point=point)
        self.settle(world, who)

    def settle(self, world: SimulatedSystem, who: Thread) -> None:
        """On to the next call that others can notice, or that has to wait."""
        while world.processes[who].status is None:
            point = world.processes[who].point
            if _is_failure(world, who, point.call):
                world.found += (self.failure(who, point),)
            if point.call.kind not in CALLS:
                self.special(world, who, point)
            elif self.at_once(world, who, point.call):
                answer = CALLS[point.call.kind].act(world, who, point.call)
                if world.processes[who].status is None:
                    world.change(who, point=self.tree.follow(point, answer))
            else:
                return

    def at_once(self, world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
        if call.kind in LAST:
            # SOUND: nobody can see it, and nothing is given back.
            process = world.processes[who]
            seen = self.sees_ends and (process.parent is not None or self.sees_parents)
            return not seen and not process.holds and not process.undo
        if call.kind == "wait":
            return not self.kills and not life.candidates(world, who, call)  # nobody changes that but the process
        return CALLS[call.kind].at_once(call)

    def special(self, world: SimulatedSystem, who: Thread, point: Point) -> None:
        if point.call.kind == "fork":
            self.fork(world, who, point)
        else:
            text = point.call.data.decode(errors="replace")
            raise UncontrollableProcess(f"{self.location(point)}: {text} cannot be controlled")

    def fork(self, world: SimulatedSystem, who: Thread, point: Point) -> None:
        """SOUND: a new process commutes with everything that others do: it needs no turn of its own."""
        parent = world.processes[who]
        child = self.number((*point.path, point.forks))
        for (pipe, writes), count in parent.holds.items():
            world.release(pipe, writes, -count)
        world.processes[child] = SimulatedProcess(self.tree.follow(point, Answer(0)), who, holds=parent.holds)
        world.change(
            who, point=self.tree.follow(point, Answer(pid_of(child))), children=(*parent.children, child)
        )  # fmt: skip
        self.settle(world, child)

    def failure(self, who: Thread, point: Point) -> Found:
        """What a call means that says the program has failed."""
        kind, args, data, _ = point.call
        where, name = self.location(point), name_of(self.path(who))
        if kind == "assert":
            return Found("assertion", data.decode(errors="replace"), where, who)
        if kind == "diverge":
            message = f"{name} goes round a loop without end, and without anything that another process could see"
            return Found("divergence", message, where, who)
        if kind == "end":
            return Found("exception", f"the program ends with status {args[0] >> 8}", where, who)
        signal = Signals(args[0]).name
        at = f" at address {args[1]:#x}" if signal in ("SIGSEGV", "SIGBUS") else ""
        return Found("crash", f"{name} is ended by {signal}{at}", where, who)

    def stuck(self) -> Found | None:
        """A deadlock, with what everybody waits for; nothing, if no process is alive."""
        if self.world is self.initial and self.world.found:
            return self.world.found[0]
        waiting = self.living()
        if not waiting:
            return None
        self.joins.look_at(self.world)
        reasons = [f"{name_of(self.path(who))} {waits_for(self, who, p.point)}" for who, p in waiting]
        first = next((p for _, p in waiting if p.point.call.kind != "wait"), waiting[0][1])
        return Found("deadlock", "; ".join(reasons), self.location(first.point), self.number(first.point.path))

    def end_state(self) -> Hashable:
        """What is in the objects of each kind, and how processes have ended, without saying which."""
        # SOUND: renamings move objects and processes, and single bytes; they change no value.
        world = self.world
        pages = b"".join(page for name, page in world.objects.items() if name[0] == "page").replace(b"\0", b"")
        values = Counter((name[0], repr(value)) for name, value in world.objects.items() if name[0] != "page")
        ends = Counter(p.point.call.kind if p.status is None else str(p.status) for p in world.processes.values())
        return frozenset(values.items()), frozenset(Counter(pages).items()), frozenset(ends.items())

    # ---------------------------------------------------------------------------------------------- futures, symmetry

    def future(self, thread: Thread) -> Op | None:
        return self.futures.of(thread, self.world.processes[thread].point)

    def are_alike(self, first: Thread, second: Thread) -> bool:
        return self.twins.alike(first, second)

    def what_changes(self, renaming: Renaming) -> str:
        return self.twins.difference(renaming)


def _is_failure(world: SimulatedSystem, who: Thread, call: SystemCall) -> bool:
    """Also a first process that ends with a status other than 0: whoever runs the program takes that for a failure."""
    first = world.processes[who].parent is None
    return call.kind in FAILING or (call.kind == "end" and first and call.args[0] != 0)
