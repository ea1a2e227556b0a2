"""What is known of the objects and threads of a Python program: in one execution, and from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from types import MemberDescriptorType
from typing import Any, NamedTuple, TypeAlias

from ....engines.stateless.protocol import Op, OwnObject
from .indices import IndexFacts

WHOLE = "*"
NO_ITEMS, INTS, ALL_ITEMS = "", "ints", "all"  # of which items a function ignores the order
NAMES = "names of the attributes"


class ObjectRecord:
    """What is known about one shared object in this execution: its name, and who accessed what of it."""

    __slots__ = ("name", "places", "thing")

    def __init__(self, name: Hashable, thing: Any) -> None:
        self.name = name
        self.thing = thing  # keeps the object alive, and with it its address
        self.places: dict[Hashable, SharedPlace] = {}


Touched: TypeAlias = tuple[ObjectRecord, Hashable, bool]
"""An object, which attribute of it or WHOLE, and whether it is changed."""


class AttributeSpace(ObjectRecord):
    """The record of a dictionary with the attributes of an object, or with the globals of a module."""

    __slots__ = ("owner",)

    def __init__(self, owner: ObjectRecord | None, name: Hashable, thing: Any) -> None:
        super().__init__(name, thing)
        self.owner: ObjectRecord = self if owner is None else owner  # globals are variables of their own dictionary

    def parts(self, key: Hashable, write: bool) -> Sequence[Touched]:
        """Accesses to an item of the dictionary, or to all of it, as those to attributes."""
        owner = self.owner
        if key is WHOLE:
            return [(owner, NAMES, write), *((owner, name, write) for name in list(self.thing) if type(name) is str)]
        if isinstance(key, tuple) and len(key) == 2:
            key = key[1]
        new = write and key not in self.thing
        return [(owner, key, write), (owner, NAMES, True)] if new else [(owner, key, write)]


class Named:
    """An object that knows its name: which thread made it, and as the how many-th."""

    _maker: int
    _made: int


class SharedPlace:
    """One attribute, variable or item: who read and wrote it, when, and where in the source."""

    __slots__ = ("hidden", "key", "name", "owner", "read_in", "reading", "reads", "storing", "thing", "time", "version",
                 "writes", "writing", "written_in")  # fmt: skip

    def __init__(self, thing: Any, key: Hashable, name: Hashable, ops: tuple[Op, Op, Op]) -> None:
        self.thing = thing
        self.key = key
        self.name = name
        self.reading, self.writing, self.storing = ops  # the operations; storing leaves nothing of what was there
        self.version = 0
        self.time = 0.0  # the latest that a clock has shown to those who wrote it
        self.owner: int | None = None  # the only thread that accessed it so far, or SEVERAL
        self.hidden = False  # it is also accessed where the scheduler is not asked
        self.reads: dict[tuple[int, int], int] = {}  # (who, site) -> period of the last one
        self.writes: dict[tuple[int, int], int] = {}
        self.read_in = 0  # the periods of all of them, as bits
        self.written_in = 0


Watched: TypeAlias = list[tuple[Any, int]]  # places, and the version that each had


class Turn(NamedTuple):
    """What was so at the last turn of a loop."""

    frame: Any
    state: tuple[Any, ...]
    reads: int  # how much had been read
    slept: int  # and how often it had slept
    idle: int = 0  # number of turns without a change that others made


class Fiber:
    """A controlled thread.  What most threads never change is in the class, since fibers are made by the thousand."""

    greenlet: Any
    back: Any  # whom to switch to at the next operation
    kills = 0
    ignores_order = ""  # of which items, in what it is doing with a container
    visits = 0  # operations that it announced
    since = 0.0  # when it began to go round a loop
    timed_out = False  # at a condition, in this turn of a loop
    patience: Watched | None = None  # what must change before it times out again
    slept = 0  # how often
    gives_way = False  # to others, in a loop that counts
    rounds = 0  # that it did so in vain
    quiet = 0  # as `known`: the periods of which it knows by locks of packages only
    live: tuple[str, ...] | None = None  # while it waits for a set of threads: the variables it may still read
    serves: Any = None  # a pool, which alone knows its handle
    task: Hashable = None  # the name of what a worker of a pool does: objects belong to it, and not to the worker
    task_made = 0  # objects that got a name of this task
    exposed = False  # the program has asked who it is, or gave it variables of its own: that may have left traces
    waits_for: Any = None
    touched: Any = None  # this and the next for the explanation
    where: Any = None

    def __init__(
        self, tid: int, parent: int, daemon: bool, run: Callable[[], None], handle: Any, period: int, known: int
    ) -> None:
        self.tid = tid
        self.who = tid  # who accessed something: a worker of a pool is somebody else with each task
        self.parent = parent
        self.daemon = daemon
        self.run = run
        self.handle = handle  # the object that stands for it in the program
        self.period = period  # of its life: a new one begins whenever it lets others know what it did
        self.known = known  # the periods of all threads of which it knows, as bits, and its own
        self.log: list[Any] = []  # what it learnt from outside, in order: with its start this is its local state
        self.held: list[Any] = []  # locks
        self.joined: set[int] = set()  # threads whose end it knows of
        self.turns: dict[int, Turn] = {}
        self.read_log: Watched = []
        self.made = 0  # objects that got a name of this thread
        self.child_count = self.effects = self.turns_idle = 0
        self.time = 0.0  # what its clock shows
        self.done = False  # its greenlet is free
        self.finished = False  # it has ended, and others may know

    @property
    def name(self) -> str:
        return str(self.handle._shown_name) if self.tid else "main"


@dataclass
class ProgramFacts:
    """What is known about a program, so that its executions look alike."""

    shared: set[int] = field(default_factory=set)  # sites at which the scheduler is asked
    awaited: set[Hashable] = field(default_factory=set)  # places that a loop waits for
    whole: set[Hashable] = field(default_factory=set)  # containers that are read as a whole, at a site that is asked
    resized: set[Hashable] = field(default_factory=set)  # containers that are changed as a whole, at such a site
    ordered: set[Hashable] = field(default_factory=set)  # objects that are read as a whole, at any site, if that counts
    item_keys: dict[Hashable, set[Hashable]] = field(default_factory=dict)  # items of containers, at such sites
    variable: dict[str, set[str]] = field(default_factory=dict)  # globals by file that are not constants after all
    patched: set[str] = field(default_factory=set)  # methods, class attributes, `module.name`s that change
    watched_ends: bool = False  # threads look whether others have ended
    watched_starts: bool = False  # threads look whether others have started
    renamed: bool = False  # threads get other names while others run
    spaces: bool = False  # it looks at attributes as items of a dictionary
    foreign: bool = False  # it has imported a library that is neither its own nor Python's
    random: bool = False  # it asks for random numbers: they are the same in each execution
    clocked: bool = False  # it looks at a clock: what the clocks of threads show is state
    polling: set[int] = field(default_factory=set)  # loops that count while they wait; see `polling`
    changed: set[Hashable] = field(default_factory=set)  # what a package may wait for that sleeps; see `polling`
    contended: set[str] = field(default_factory=set)  # places in packages whose locks were found taken; see `packages`
    crowded: set[str] = field(default_factory=set)  # ends of queues to which several threads come; see `lines`
    whole_queues: set[str] = field(default_factory=set)  # queues that are looked at as a whole
    indices: IndexFacts = field(default_factory=IndexFacts)  # numbers by which threads are told apart

    def copy(self) -> ProgramFacts:
        return replace(
            self, shared=set(self.shared), awaited=set(self.awaited), whole=set(self.whole), patched=set(self.patched),
            polling=set(self.polling), contended=set(self.contended), changed=set(self.changed),
            crowded=set(self.crowded), whole_queues=set(self.whole_queues), ordered=set(self.ordered),
            resized=set(self.resized),
            item_keys={k: set(v) for k, v in self.item_keys.items()},
            variable={k: set(v) for k, v in self.variable.items()}, indices=self.indices.copy(),
        )  # fmt: skip


class SearchMemory:
    """What is learnt in one search and used in the next: within a search all executions go by the same knowledge."""

    def __init__(self) -> None:
        self.threads: dict[tuple[int, int], int] = {}  # numbers of threads: the how many-th child of which one?
        self.names: dict[tuple[Hashable, int], Hashable] = {}  # of the objects that a thread makes, one after the other
        self.known = ProgramFacts()
        self.learnt = ProgramFacts()
        self.ops: dict[Hashable, Op] = {}
        self.places: dict[Hashable, tuple[Hashable, tuple[Op, Op, Op]]] = {}  # names and operations of places
        self.spread: dict[int, str] = {}  # sites of calls that take more than one step, and what is called there
        self.guesses: set[int] = set()  # sites of calls of which nobody knows what they touch
        self.races: dict[tuple[int, int], str] = {}  # pairs of sites, and what they access
        self.again = False  # something was learnt that makes the search so far worthless
        self.symmetric = False  # the search uses symmetries
        self.numbering = False  # and those of threads with numbers, too
        self.shows_all = False  # the search wants to see all accesses to what several threads write
        self.mortal = False  # the program might notice when its objects end: seen in its text
        self.addressed = False  # the program asks for id() or hash(): seen in its text
        self.looks_inside = False  # the program uses what is inside of queues: seen in its text

    def begin_search(self) -> None:
        """Use what was learnt; what is visible changes, so operations are made anew."""
        if self.known.indices.structure() != self.learnt.indices.structure():
            self.learnt.indices.forget_tellings()
        self.known = self.learnt.copy()
        self.ops.clear()
        self.places.clear()
        self.again = False

    def thread(self, place: tuple[int, int]) -> int:
        """A number for a thread, by who started it: the same in all executions."""
        number = self.threads[place] = len(self.threads) + 1
        return number

    def name(self, thread: int, number: int) -> Hashable:
        return self.names.setdefault((thread, number), OwnObject(thread, number) if thread else f"o{number}")

    def name_in_task(self, task: Hashable, number: int) -> Hashable:
        """Of an object that a task makes: whoever does the task, it is the same one."""
        return self.names.setdefault((task, number), part(task, f"made {number}"))

    def learn(self) -> None:
        """Something is known now that the search should have known: it begins again."""
        self.again = True

    def meet_package(self) -> None:
        """SOUND: the program has come across an unknown library: then operators are looked at, too."""
        if not self.known.foreign:
            self.learnt.foreign = True
            self.learn()

    def place(self, record: ObjectRecord, key: Hashable, simple: bool = True) -> SharedPlace:
        """The same place has the same operations in all executions, so they are kept.  `simple`: an assignment may say
        that it overwrites; told as a race, it would matter who came first."""
        known = self.places.get((record.name, key))
        if known is None:
            name = part(record.name, key)
            here = frozenset([name])
            writing = Op("write", writes=here)
            storing = writing._replace(overwrites=here) if simple and self._is_simple(record, key) else writing
            known = self.places[record.name, key] = (name, (Op("read", reads=here), writing, storing))
        return SharedPlace(record.thing, key, *known)

    def _is_simple(self, record: ObjectRecord, key: Hashable) -> bool:
        """SOUND: does an assignment to this attribute, variable or item leave the new value there and do nothing else,
        and can nobody see the order of assignments but by reading it?  Clocks can: who reads is not earlier than any of
        those who wrote before.  Where attributes are items of a dictionary, the first one makes a new item."""
        known, kind = self.known, type(record.thing)
        if known.clocked or known.spaces or record.name in known.ordered:
            return False
        if not isinstance(key, str):
            return kind in (list, dict) and record.name not in known.resized
        if kind is dict:  # the variables of a module
            return True
        own = next((base.__dict__[key] for base in kind.__mro__ if key in base.__dict__), None)
        assigns = not any("__setattr__" in base.__dict__ for base in kind.__mro__[:-1])
        return assigns and (isinstance(own, MemberDescriptorType) or not hasattr(type(own), "__set__"))

    def op(self, key: Hashable, make: Callable[[], Op]) -> Op:
        """The operation with this key; one object for each, since they are compared often."""
        op = self.ops.get(key)
        if op is None:
            op = self.ops[key] = make()
        return op


def part(name: Hashable, key: Hashable) -> Hashable:
    """The name of an attribute or item: it belongs to a thread if the object does."""
    return OwnObject(name.thread, (name.what, key)) if isinstance(name, OwnObject) else (name, key)


def place_text(place: SharedPlace) -> str:
    key = place.key
    return f"item {key[1]!r}" if isinstance(key, tuple) else "a container" if key == WHOLE else str(key)
