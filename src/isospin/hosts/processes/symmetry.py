"""Processes that do the same up to a renaming: assumed, and checked at every point that is ever reached.

Two points are twins under a renaming if the processes that stand there ask the same, up to the renaming, and go on to
twins whatever they are answered.  A pair of points is first taken to be twins because of what they ask; from
then on each point that becomes known behind one of them is compared with the one behind the other, which is found by
running the program.  That costs one run for each point, not for each execution.

SOUND: a renaming fixes a state if it fixes the shared objects and the points of the processes are twins.  What a
search leaves out because of it consists of images of points that it reached; all of these were compared.  So if the
search comes to its end and nothing differed, what it left out is what the renaming says.  If something differs, a
declared renaming is an error, and one that was only tried is given up, and the search starts again if it was used.

Reference: Godefroid, FORTE 1999 (declared permutations of actions; assumes that the initial state is symmetric).
Differs: what is declared is checked; points stand for local states, so the sequence need not be the same trace.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import field
from typing import Any

from ...core.errors import SourceError
from ...core.records import dataclass
from ...engines.stateless.alike import Obstacle
from ...engines.stateless.protocol import OwnObject, Renaming, Thread, swap
from .futures import Futures
from .situation import LearntOfProcesses, Situation
from .system.calls import CALLS
from .system.joins import Joins
from .system.memory import load
from .system.points import Answer, Point, SystemCall
from .system.semaphores import all_semaphores
from .system.world import SimulatedProcess, SimulatedSystem, pid_of, plain_shape, who_is
from .words import does, name_of

# SOUND: the number of what is made depends on who makes it, and is not renamed: who moves must not make anything.
MAKING = frozenset({
    "fork", "pipe", "map", "semget", "msgget", "shmget", "sem_open", "mq_open", "shm_open",
})  # fmt: skip
WITH_PID = frozenset({"fork", "getpid", "getppid", "wait"})  # the value of the answer is a process
KEYED = {"sem": "set", "queue": "queue", "segment": "segment"}  # what System V knows by a key, and its object
KNOWN = ("another end", "another signal", "other pipes", "other semaphores to give back",
         "its children in another order", "another parent")  # in the order of `record`  # fmt: skip
Key = tuple[Hashable, ...]
SAME: Key = ("same",)
NO_TWINS: dict[Point, list[Any]] = {}


class _NoTwins(Exception):
    """Two points are no twins; the message says why, `point` where."""

    def __init__(self, why: str, point: Point) -> None:
        super().__init__(why)
        self.point = point


@dataclass(eq=False)
class _Pair:
    """Two points that are taken to be twins, and all pairs that follow from it."""

    renaming: Renaming
    key: Key
    one: Point
    other: Point
    declared: bool
    used: bool = False
    join: Point | None = None  # the two are where different orders of waiting lead
    links: list[tuple[Point, Point]] = field(default_factory=list)


class Twins:
    """Pairs of points from which processes do the same, up to a renaming."""

    def __init__(self, situation: Situation, futures: Futures, joins: Joins) -> None:
        self.situation, self.futures, self.joins = situation, futures, joins
        self.refuted: dict[tuple[Key, Point, Point], _NoTwins] = {}  # with the reason
        self.taken = self.relied = 0  # how many pairs were taken for twins, and how many answers rest on
        self.begun: set[Key] = set()  # the declared renamings that were begun with
        self.keys: dict[int, tuple[Renaming, Key]] = {}

    # ---------------------------------------------------------------- questions

    def difference(self, renaming: Renaming) -> str:
        """Of a declared renaming: empty if it fixes the current state."""
        key = self.key(renaming)
        if key not in self.begun:
            self.begin(renaming, key)
        world = self.situation.world
        why = self.changes(world, renaming)
        if why:
            return why
        for who, process in self.situation.living():
            image = world.processes[renaming.thread(who)]
            if not process.point.twins.get(key, NO_TWINS).get(image.point):
                return f"process {renaming.thread(who)} is not where process {who} is"
        return ""

    def begin(self, renaming: Renaming, key: Key) -> None:
        """SOUND: that the processes do the same from the beginning is declared; from here on it is checked."""
        world = self.situation.initial
        assert world is not None
        self.begun.add(key)
        why = self.changes(world, renaming)
        if why:
            self.refuse(renaming, why, world.processes[min(renaming.threads, default=0)].point)
        for who, process in world.processes.items():
            if process.status is None:
                self.take(renaming, key, process.point, world.processes[renaming.thread(who)].point, True)

    def alike(self, first: Thread, second: Thread) -> bool:
        """Can the two processes be exchanged?  What is taken for granted here may be refuted later."""
        renaming = swap(first, second)
        world, key = self.situation.world, self.key(renaming)
        if self.changes(world, renaming):
            return False
        living = self.situation.living()
        pairs = [(p.point, world.processes[renaming.thread(who)].point) for who, p in living]
        if any((key, a, b) in self.refuted for a, b in pairs):
            return False
        if not all(self.take(renaming, key, a, b, False) for a, b in pairs):
            return False
        links = [one.twins[key][other] for one, other in pairs]
        if not all(links):  # what was found out about one has refuted another
            return False
        for link in links:
            self.relied += not link[0].used
            link[0].used = True
        return True

    def obstacle(self, first: Thread, second: Thread) -> Obstacle:
        """Why two processes cannot be exchanged in the current state."""
        renaming, world = swap(first, second), self.situation.world
        names = tuple(name_of(self.situation.path(who)) for who in (first, second))
        if why := self.changes(world, renaming):
            return Obstacle(names, why=why)
        for who, process in self.situation.living():
            image = world.processes[renaming.thread(who)].point
            found = self.refuted.get((self.key(renaming), process.point, image))
            if found is not None:
                return Obstacle(names, why=str(found), location=self.situation.location(found.point))
        return Obstacle(names, why="they do not do the same")

    def key(self, renaming: Renaming) -> Key:
        known = self.keys.get(id(renaming))
        if known is not None:
            return known[1]
        objects = sorted(renaming.objects.items(), key=repr)
        key = (tuple(sorted(renaming.threads.items())), tuple(objects), tuple(sorted(renaming.tosses.items())))
        if renaming.objects or renaming.tosses:  # a declared one, which is asked for again and again
            self.keys[id(renaming)] = renaming, key
        return key

    # ---------------------------------------------------------------- pairs

    def take(self, renaming: Renaming, key: Key, one: Point, other: Point, declared: bool) -> bool:
        """Take two points to be twins, unless something that is known speaks against it."""
        if one.twins.get(key, NO_TWINS).get(other):
            return True
        pair = _Pair(renaming, key, one, other, declared)
        try:
            self.compare(pair, one, other)
            if not declared:
                self.futures.run_ahead(one)
            self.link(pair, one, other)
        except _NoTwins as found:
            self.refute(pair, found)
            return False
        return (key, one, other) not in self.refuted

    def same(self, one: Point, other: Point, join: Point) -> None:
        """Take two points of one process to be the same local state: see joins.py."""
        if one is not other and not one.twins.get(SAME, NO_TWINS).get(other):
            pair = _Pair(Renaming("same", {}), SAME, one, other, False, True, join)
            try:
                self.link(pair, one, other)
            except _NoTwins as found:
                self.refute(pair, found)

    def link(self, pair: _Pair, one: Point, other: Point) -> None:
        """SOUND: every pair has all links that follow from it, also those of others: each can be given up alone."""
        todo = [(one, other)]
        while todo:
            a, b = todo.pop()
            pairs = a.twins.setdefault(pair.key, {}).setdefault(b, [])
            if pair in pairs:
                continue
            self.compare(pair, a, b)
            pairs.append(pair)
            pair.links.append((a, b))
            self.taken += 1
            for answer, point in list(a.following.items()):
                todo.append((point, self.situation.tree.follow(b, self.image_of_answer(pair.renaming, a, answer))))

    def grown(self, before: Point, point: Point) -> None:
        """A new point: its twins must go the same way."""
        for partners in list(before.twins.values()):
            for other, pairs in list(partners.items()):
                for pair in list(pairs):
                    answer = self.image_of_answer(pair.renaming, before, point.answer)
                    try:
                        self.link(pair, point, self.situation.tree.follow(other, answer))
                    except _NoTwins as found:
                        self.refute(pair, found)

    def refute(self, pair: _Pair, found: _NoTwins) -> None:
        """The pair is not alike; if an answer rested on it, the search begins again."""
        if pair.declared:
            self.refuse(pair.renaming, str(found), found.point)
        for one, other in pair.links:
            one.twins[pair.key][other].remove(pair)
        pair.links.clear()
        self.refuted[pair.key, pair.one, pair.other] = found
        if pair.join is not None:
            self.joins.part(pair.join)
        if pair.used:
            raise LearntOfProcesses

    def refuse(self, renaming: Renaming, why: str, point: Point) -> None:
        raise SourceError.at(
            self.situation.location(point), f"the declared permutation {renaming.name} is not a symmetry: {why}"
        )

    def compare(self, pair: _Pair, one: Point, other: Point) -> None:
        """Two points are alike if the renaming takes one call to the other; raises with the reason if it does not."""
        renaming = pair.renaming
        who, image = self.situation.number(one.path), self.situation.number(other.path)
        if renaming.thread(who) != image:
            raise _NoTwins(f"process {who} should become process {renaming.thread(who)}, not {image}", other)
        if one.call.kind in MAKING and who != image:
            raise _NoTwins(f"{name_of(one.path)}, which is moved, makes something new: {does(one.call)}", one)
        if _image_of(renaming, _shape(one.call)) != _shape(other.call) or one.stored != other.stored:
            raise _NoTwins(
                f"where {name_of(one.path)} does {does(one.call)}, {name_of(other.path)} does {does(other.call)}", other
            )
        if all_semaphores(one.call) and any(name[:2] == ("sem", one.call.args[0]) for name in renaming.objects):  # type: ignore[index]
            raise _NoTwins(f"{name_of(one.path)} does {does(one.call)} in their order, and they are moved", one)
        if one.call.kind == "toss" and renaming.tosses:
            outcomes = range(one.call.args[0])
            # SOUND: what is left out is the image of an outcome that there is.
            if {renaming.choice(who, outcome) for outcome in outcomes} != {*outcomes}:
                raise _NoTwins(f"{name_of(one.path)} tosses one of 0 .. {outcomes[-1]}, and others come of it", one)

    def image_of_answer(self, renaming: Renaming, point: Point, answer: Answer) -> Answer:
        """The answer that the image of a process gets."""
        if point.call.kind == "toss":
            who = self.situation.number(point.path)
            return answer._replace(value=renaming.choice(who, answer.value)) if renaming.tosses else answer
        if point.call.kind not in WITH_PID:
            return answer
        pid = who_is(answer.value)
        return answer._replace(value=pid_of(renaming.thread(pid.thread))) if isinstance(pid, OwnObject) else answer

    # ---------------------------------------------------------------- states

    def changes(self, world: SimulatedSystem, renaming: Renaming) -> str:
        """What a renaming changes in the shared objects, and in what the system knows of the processes."""
        for name, image in renaming.objects.items():
            if name[0] == "byte" and _byte(world, name) != _byte(world, image):  # type: ignore[index]
                return f"{_text(name)} is {_byte(world, name)}, {_text(image)} is {_byte(world, image)}"
        for name, value in world.objects.items():
            image = renaming.object(name)
            # SOUND: what is removed takes its key with it, and keys are not renamed.
            if name[0] == "name" and name[1] in KEYED and (KEYED[name[1]], value) in renaming.objects:
                return f"{KEYED[name[1]]} {value} is moved, and has a key (use IPC_PRIVATE)"
            if world.objects.get(image) != value:
                return f"{_text(name)} is {value!r}, {_text(image)} is {world.objects.get(image)!r}"
        for who, process in world.processes.items():
            other = world.processes.get(renaming.thread(who))
            if other is None:
                return f"process {who} has no image"
            known, image = self.record(other), self.renamed_record(renaming, process)
            if known != image:
                part = next(word for word, a, b in zip(KNOWN, known, image, strict=False) if a != b)
                return f"{name_of(self.situation.path(renaming.thread(who)))} would have {part}"
        return ""

    def renamed_record(self, renaming: Renaming, process: SimulatedProcess) -> tuple[Any, ...]:
        """The image of what others could find out."""
        holds = {(_image_id(renaming, pipe), writes): count for (pipe, writes), count in process.holds.items()}
        undo = {renaming.object(name): amount for name, amount in process.undo.items()}
        known = self.record(process)
        moved = tuple(type(part)(map(renaming.thread, part)) for part in known[4:])
        return (*known[:2], holds, undo, *moved)

    def record(self, process: SimulatedProcess) -> tuple[Any, ...]:
        """What others could find out: an end that nobody can see is only an end."""
        sees_ends = self.situation.sees_ends
        status = process.status if sees_ends or process.status is None else 0
        family: tuple[Iterable[Thread], ...] = ()
        if sees_ends:
            at_once = self.joins.waits_at_once(process)
            children = frozenset(process.children) if at_once else process.children
            family = (children, () if process.parent is None else (process.parent,))
        return (status, process.signal, process.holds, process.undo, *family)


# -------------------------------------------------------------------------------------------------- images


def _shape(call: SystemCall) -> Hashable:
    return CALLS[call.kind].shape(call) if call.kind in CALLS else plain_shape(call)


def _image_of(renaming: Renaming, value: Any) -> Any:
    if isinstance(value, OwnObject):
        return renaming.object(value)
    if isinstance(value, tuple):
        if value in renaming.objects:
            return renaming.objects[value]
        return tuple(_image_of(renaming, part) for part in value)
    return value


def _image_id(renaming: Renaming, pipe: int) -> int:
    image = renaming.object(("pipe", pipe))
    return image[1] if isinstance(image, tuple) and isinstance(image[1], int) else pipe


def _byte(world: SimulatedSystem, name: Any) -> int:
    """Pages do not move, but bytes of them do."""
    return load(world, name[1], name[2], 1)[0]


def _text(name: Hashable) -> str:
    if isinstance(name, tuple) and name[0] == "byte":
        return f"the byte at {name[2]} of segment {name[1]}"
    return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)
