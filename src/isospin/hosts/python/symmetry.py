"""Does a permutation of threads and objects leave the state of a Python program as it is?

A thread's local state is a function of how it was started and of what it learnt since: every value that a hook gave it
is in its log.  So two threads with the same start and the same log are at the same place with the same locals, up to
the permutation.  Then all that can still be reached from what the threads hold is compared with its image, in step.

Of a permutation of threads it is found out on the way which objects and which numbers (`control.indices`) change places
with them: the lock of the one goes to the lock of the other, `i` to the other's `i`, `cell[i]` to the other's cell.

Reference: Yang, Chen, Gopalakrishnan, Wang, SPIN 2009 (residual code and local state).
Differs: Python does not show the values that an unfinished expression holds, so the log stands for code and locals: it
tells apart at least as much.  A thread that waits for a set of threads is compared by the variables that it may still
read, since its log names the threads one by one.  Threads that have numbers are not identical, but alike.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Hashable, Iterable
from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from ...core.errors import NOWHERE, Location
from ...engines.stateless.protocol import OwnObject, Renaming
from .candidates import children_of
from .control.indices import HANDLES, THREADS, Family, Index, number
from .control.kernel import Kernel, has_hooks
from .control.records import Fiber
from .hooking.containers import SIMPLE, contents
from .hooking.keys import indexing
from .hooking.reachable import is_users_module
from .images import Differs, IndexImages, IndexRenaming, ObjectImages
from .parts import (
    CODE,
    LOOKING,
    MADE,
    VALUES,
    Pair,
    attributes,
    cell_parts,
    codes,
    doing,
    functions,
    hidden_parts,
    is_open,
    kind_parts,
    members,
    named_in,
    users,
    users_modules,
)
from .rewriting.sites import Sites, is_users_frame
from .stdlib.contents import sync_parts
from .stdlib.futures import ThreadPoolExecutor
from .stdlib.queues import Queue
from .stdlib.sync import Sync
from .stdlib.threads import Thread, local, start_of

__all__ = ["difference", "find_image"]

MOST_PAIRS = 50_000
Path = tuple[Any, str] | None  # how a value was reached: from where, and the last part
Todo = tuple[Any, Any, Path]
Key = tuple[Family | None, Any]  # of an item: a number of a family, or an ordinary key


def difference(kernel: Kernel, renaming: Renaming, sites: Sites) -> str:
    """Empty if the permutation fixes the current state; else what it changes."""
    try:
        _Comparison(kernel, renaming, sites, False).run()
    except Differs as found:
        return str(found)
    return ""


def find_image(kernel: Kernel, threads: dict[int, int], sites: Sites) -> Renaming:
    """The renaming of threads, objects and indices that fixes the current state; `Differs` if there is none."""
    return _Comparison(kernel, IndexRenaming("discovered", threads), sites, True).run()


class _Comparison:
    """One permutation, and the current state."""

    def __init__(self, kernel: Kernel, renaming: Renaming, sites: Sites, discovers: bool) -> None:
        self.kernel, self.renaming, self.sites, self.discovers = kernel, renaming, sites, discovers
        self.objects = ObjectImages(renaming.threads)
        self.indices = IndexImages(kernel.indices)
        self.todo: list[Todo] = []
        self.keyed: list[tuple[dict[Key, Any], dict[Key, Any], Path]] = []  # items that wait for where their index goes
        self.constant: set[int] = set()  # addresses of handles that stay though their threads change places
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []  # SOUND: what was seen stays, or its address would be that of something else
        self.origins: dict[int, int] = {}
        self.count = 0
        # SOUND: a thread that does not just wait may have anything in its variables that it has made itself.  So what
        # has no name stays, and if it is the main thread, its objects and the numbers that it gave: only threads move.
        self.busy = [t for t, f in kernel.fibers.items() if not f.finished and f.live is None and self.stays(t)]
        self.strict = 0 in self.busy

    def stays(self, tid: int) -> bool:
        return self.renaming.thread(tid) == tid

    def run(self) -> Renaming:
        """Compare all threads with their images, then whatever they can reach; raises where they differ."""
        images = [(fiber, self.image(tid)) for tid, fiber in self.kernel.fibers.items()]
        for one, other in images:  # most comparisons end here
            if one is not other:
                self.places(one, other)
        for one, other in images:
            self.fibers(one, other)
        self.exhaust()
        while self.keyed or self.discovers:
            if not self.keys() and not self.indices.settle():
                break
            self.exhaust()
        if self.keyed:
            raise Differs("has keys of which it is not known where they go", _written(self.keyed[0][2]))
        if self.discovers:
            self.indices.check()
            moved = self.objects.moved() | self.indices.moved()
            self.renaming = IndexRenaming(self.renaming.name, self.renaming.threads, moved)
        if self.strict and self.renaming.objects:
            raise Differs("main may have objects or numbers that change places in its variables",
                          place=place_of_thread(self.kernel.fibers[0]))  # fmt: skip
        self.operations()
        return self.renaming

    def exhaust(self) -> None:
        while self.todo:
            self.count += 1
            if self.count > MOST_PAIRS:
                raise Differs("there is too much to compare")
            self.pair(*self.todo.pop())

    def image(self, tid: int) -> Fiber:
        found = self.kernel.fibers.get(self.renaming.thread(tid))
        if found is None:
            raise Differs(f"thread {tid} has no image yet")
        return found

    # ---------------------------------------------------------------------------------------------- threads

    def places(self, one: Fiber, other: Fiber) -> None:
        """Are two threads at the same place?"""
        clocked = self.kernel.memory.known.clocked
        # SOUND: not all operations teach something, so that they are counted, too.
        if (one.finished, one.daemon, one.time * clocked, len(one.held), one.made, one.visits * (not one.finished)) != (
            other.finished, other.daemon, other.time * clocked, len(other.held), other.made,
            other.visits * (not other.finished),
        ):  # fmt: skip
            raise Differs("they are at different places", place=place_of_thread(one))

    def fibers(self, one: Fiber, other: Fiber) -> None:
        """Two threads are alike if they are at the same place and hold, do and see the same, up to the renaming."""
        if one is not other and self.kernel.indices.is_told_later(THREADS, one.tid):
            why, place = self.kernel.indices.known.reasons[THREADS, one.tid]
            raise Differs(why, one.name, (), place)
        if one.finished:
            return
        self.add(zip(one.held, other.held, strict=True), "a lock that is held")
        if one.live is not None and one is other:
            self.waiting(one)
            return
        if one.child_count:
            self.children(one, other)
        self.start(one, other)
        if len(one.log) != len(other.log):
            raise Differs(f"{one.name} has read more or less than {other.name}", place=place_of_thread(one))
        self.add(zip(one.log, other.log, strict=True), f"what {one.name} has read")

    def start(self, one: Fiber, other: Fiber) -> None:
        """How two threads were started."""
        first, second = start_of(one), start_of(other)
        if len(first) != len(second) or (first and len(first[2]) != len(second[2])):
            raise Differs(f"{one.name} and {other.name} were started in different ways")
        if not first:
            return
        # SOUND: a thread has its handle: it is the `self` of its `run`, and `current_thread()`.
        if id(one.handle) not in self.constant:
            self.todo.append((one.handle, other.handle, (None, "self")))
        if [key for key, _ in first[3]] != [key for key, _ in second[3]]:
            raise Differs(f"{one.name} and {other.name} were given different arguments")
        self.todo += [(first[0], second[0], None), (first[1], second[1], (None, THE_FUNCTION))]
        self.todo += [(a, b, (None, Given(key))) for (key, a), (_, b) in zip(first[3], second[3], strict=True)]
        for name, a, b in zip(_parameters(first[1], len(first[2])), first[2], second[2], strict=True):
            self.todo.append((a, b, (None, Given(name))))

    def add(self, pairs: Any, label: str, path: Path = None) -> None:
        self.todo += [(one, other, (path, label)) for one, other in pairs]

    def operations(self) -> None:
        """What each does next must be what the image of another does."""
        for tid, op in self.kernel.pending.items():
            image = self.kernel.pending.get(self.renaming.thread(tid))
            if image is not None and self.renaming.op(op) != image:
                one, other = self.kernel.fibers[tid], self.image(tid)
                does = "something else than" if one is not other else "something that tells one of them from"
                whom = other.name if one is not other else "the others"
                raise Differs(f"{one.name} is about to do {does} {whom}", place=place_of_thread(one))

    def children(self, one: Fiber, other: Fiber) -> None:
        """SOUND: what a thread has in its variables is not seen.  It has the handles of the threads that it started,
        but for workers of pools: these go where it goes, in their order, or it stays, and nobody will look at them."""
        if one is other:
            mine = [self.kernel.fibers[t] for t in children_of(self.kernel, one.tid) if not self.stays(t)]
            for child in mine:
                if child.serves is None:
                    self.unseen(one, child)
        elif list(map(self.renaming.thread, children_of(self.kernel, one.tid))) != children_of(self.kernel, other.tid):
            raise Differs(f"{one.name} and {other.name} have started different threads", place=place_of_thread(one))

    def unseen(self, parent: Fiber, child: Fiber) -> None:
        """Does nothing lead from this thread to its handle, nor back, but waiting for a set of threads in which all
        stay that are in it?  Then the handle is a constant, which is left where it is when threads change places.

        SOUND: as long as nobody can tell which thread it stands for.  That is asked for by `join` and `is_alive`; and
        the thread itself knows if it asks for its handle, now or before, or if that is the `self` of its code."""
        indices, known = self.kernel.indices, self.kernel.indices.known
        why, place = f"{parent.name} has the handles of threads that change places", place_of_thread(parent)
        if type(child.handle) is not Thread or child.exposed:
            raise Differs(f"{why}, and these know who they are", place=place)
        if indices.is_told_later(HANDLES, child.tid):
            told, place = known.reasons[HANDLES, child.tid]
            raise Differs(f"{why}: {child.name} {told}", place=place)
        for part in known.parts.get(HANDLES, ()):
            if child.tid in part and self.renaming.thread(child.tid) not in part:
                told, place = known.split[HANDLES, part]
                raise Differs(f"{why}: {child.name} {told}", place=place)
        self.constant.add(id(child.handle))

    def waiting(self, fiber: Fiber) -> None:
        """A thread that waits for a set of threads: what it may still read afterwards."""
        live = set(fiber.live or ())
        frame = fiber.greenlet.gr_frame
        first, called = True, ""
        while frame is not None:
            if is_users_frame(frame):
                # SOUND: what a block or an expression holds is not seen, and may be used when it ends.
                held = self.sites.blocks.get(frame.f_code.co_filename, ())
                if any(begin <= frame.f_lineno <= end for begin, end in held):
                    raise Differs(f"{fiber.name} waits inside a with or for block, or an except or finally clause")
                if called and self.sites.first_calls.get(frame.f_code.co_filename, {}).get(doing(frame)) != called:
                    raise Differs(f"{fiber.name} waits in the middle of an expression")
                called = frame.f_code.co_name
                looks = any(not LOOKING.isdisjoint(named_in(code)) for code in codes(frame.f_code))
                names = live if first and not looks else set(frame.f_locals)
                first = False
                for name, value in frame.f_locals.items():
                    if name in names and not name.startswith("_iso_"):
                        self.todo.append((value, value, (None, name)))
                if frame.f_code.co_name != "<module>":
                    self.globals(frame.f_globals)
            frame = frame.f_back

    def globals(self, space: dict[str, Any]) -> None:
        if id(space) not in self.seen:
            self.seen[id(space)] = id(space)
            self.todo += [(v, v, (None, n)) for n, v in space.items() if not n.startswith("__")]

    # ---------------------------------------------------------------------------------------------- values

    def pair(self, one: Any, other: Any, path: Path) -> None:
        """The permutation must take the first value to the second."""
        kind = type(one)
        if kind is not type(other):
            raise Differs(f"is a {kind.__name__} and a {type(other).__name__}", _written(path))
        if kind is Index:
            self.index(one, other, path)
            return
        if kind is Fiber:
            if self.image(one.tid) is not other:
                raise Differs("names another thread", _written(path))
            return
        if kind in SIMPLE:
            if one != other or (kind is float and str(one) != str(other)):  # 0.0 and -0.0
                raise Differs("differs", _written(path), (repr(one), repr(other)))
            return
        known = self.seen.get(id(one))
        if known is not None:
            if known != id(other):
                raise Differs(f"is a {kind.__name__} that stands for two others", _written(path))
            return
        self.seen[id(one)] = id(other)
        self.kept += (one, other)
        if kind not in VALUES and self.origins.setdefault(id(other), id(one)) != id(one):
            raise Differs(f"is a {kind.__name__} that two others stand for", _written(path))
        self.names(one, other, path)
        if self.kernel.memory.known.clocked:
            self.times(one, other)
        self.todo += [(a, b, (path, label)) for a, b, label in self.parts(one, other, path)]

    def index(self, one: Index, other: Index, path: Path) -> None:
        if (one.family, one.sign, one.offset) != (other.family, other.sign, other.offset):
            raise Differs("comes from two places", _written(path), (str(number(one)), str(number(other))))
        self.indices.move(one.family, one.base, other.base, _written(path))

    def times(self, one: Any, other: Any) -> None:
        """When others were there last."""
        if isinstance(one, Sync) and one.time != other.time:
            raise Differs(f"a {type(one).__name__} was used at another time")
        first, second = self.kernel.objects.records.get(id(one)), self.kernel.objects.records.get(id(other))
        if first is not None and second is not None and first is not second:
            if {k: p.time for k, p in first.places.items()} != {k: p.time for k, p in second.places.items()}:
                raise Differs(f"a {type(one).__name__} was written at another time")

    def names(self, one: Any, other: Any, path: Path) -> None:
        """Objects with a name must be renamed to each other; those without one must correspond, or be the same."""
        if not self.constant.isdisjoint((id(one), id(other))):
            if one is not other:
                raise Differs("is the handle of each, which others have, too", _written(path))
            return
        first, second = self.name(one), self.name(other)
        kind = type(one).__name__
        if one is not other and self.kernel.memory.addressed and not isinstance(one, VALUES):
            raise Differs(f"is two objects of type {kind}, and the program asks for id() or hash()", _written(path))
        if one is not other and not is_open(type(one)):
            raise Differs(f"is two objects of type {kind}", _written(path))
        if first is None and second is None:
            free = self.discovers and not self.busy
            if one is not other and self.strict and isinstance(one, HAVING_IDENTITY) and _is_given(path):
                raise Differs(f"is two objects of type {kind}, which main may have, too", _written(path))
            if one is not other and not (free or isinstance(one, (*VALUES, *MADE))):
                raise Differs(f"is two objects of type {kind}", _written(path))
        elif first is None or second is None:
            raise Differs(f"is a {kind} that only one of them has used", _written(path))
        elif not (self.objects.move(first, second) if self.discovers else self.renaming.object(first) == second):
            raise Differs(f"is a {kind} that is not where its image should be", _written(path))

    def name(self, thing: Any) -> Any:
        """By which name operations know an object; none if they do not."""
        if isinstance(thing, Sync):
            return thing.name
        if isinstance(thing, Thread):
            return self.kernel.objects.name(thing) if thing._fiber is None else OwnObject(thing._fiber.tid, "thread")
        record = self.kernel.objects.records.get(id(thing))
        return None if record is None or record.thing is not thing else record.name

    # ---------------------------------------------------------------------------------------------- parts

    def parts(self, one: Any, other: Any, path: Path) -> list[Pair]:
        """What a value consists of, pairwise."""
        if isinstance(one, list | tuple | deque | dict):
            self.items(one, other, path)
            return [*attributes(one, other), *kind_parts(one, other)]
        if isinstance(one, set | frozenset):
            first, second = self.members(one), self.members(other)
            self.order(first, second, path)
            if sys.getsizeof(one) != sys.getsizeof(other):  # then what is added later comes at other places
                raise Differs("is two sets of different size", _written(path))
            self.keyed.append((first, second, path))
            return [*attributes(one, other), *kind_parts(one, other)]
        if isinstance(one, ThreadPoolExecutor):
            self.pool(one, other)
        if isinstance(one, Queue):
            self.queue(one, other)
        if isinstance(one, Sync):
            return [*((a, b, MADE_HERE) for a, b in sync_parts(one, other)), *kind_parts(one, other)]
        if isinstance(one, MethodType):
            return [(one.__func__, other.__func__, ""), (one.__self__, other.__self__, "")]
        if isinstance(one, FunctionType):
            return self.function(one, other)
        if isinstance(one, CellType):
            return cell_parts(one, other)
        if isinstance(one, CODE):
            return [(v, v, "") for v in functions(one)]
        if isinstance(one, type):
            return [*((v, v, f".{n}") for n, v in members(one)), *kind_parts(one, one)] if users(one) else []
        if isinstance(one, partial) or (hasattr(type(one), "__next__") and not users(type(one))):
            return hidden_parts(one, other)
        if isinstance(one, local):
            raise Differs("holds values of other threads", _written(path))
        if isinstance(one, ModuleType) and not is_users_module(one):
            changed = self.kernel.border.changed_libraries
            return [(v, v, f".{n}") for home, n, _ in changed if home is one and (v := vars(one).get(n)) is not None]
        hidden = [] if is_open(type(one)) or isinstance(one, ModuleType) else hidden_parts(one, other)
        return [*attributes(one, other), (type(one), type(one), ""), *hidden]

    def pool(self, one: ThreadPoolExecutor, other: ThreadPoolExecutor) -> None:
        """The workers of a pool may change places with each other."""
        first, second = _workers(one), _workers(other)
        if {self.renaming.thread(t) for t in first} != second or one is not other:
            raise Differs("is a pool whose threads would be those of another one")

    def queue(self, one: Queue, other: Queue) -> None:
        """What a thread took from a queue and has not done yet, its image must have taken from the other."""
        for tid in self.kernel.fibers:
            if one.line and other.line and one.line.owed_by(tid) != other.line.owed_by(self.renaming.thread(tid)):
                raise Differs("is a queue of which they have different items")

    def items(self, one: Any, other: Any, path: Path) -> None:
        """Items of containers: those that belong to an index go where it goes."""
        first, second = self.by_key(one, indexing(self.kernel, one)), self.by_key(other, indexing(self.kernel, other))
        if len(first) != len(second):
            raise Differs("has another size", _written(path))
        if isinstance(one, dict):
            self.order(first, second, path)
        for key in [k for k in first if k[0] is None]:
            if key not in second:
                raise Differs("has other keys", _written(path))
            self.todo.append((first.pop(key), second.pop(key), (path, f"[{key[1]!r}]")))
        if first or second:
            self.keyed.append((first, second, path))

    def order(self, first: dict[Key, Any], second: dict[Key, Any], path: Path) -> None:
        """SOUND: in which order keys come can be seen; where those of indices come, is told by whoever looks."""
        if [k if k[0] is None else k[0] for k in first] != [k if k[0] is None else k[0] for k in second]:
            raise Differs("has keys in another order", _written(path))

    def by_key(self, thing: Any, family: Family | None) -> dict[Key, Any]:
        """Items by what they are found: numbers of families, and ordinary keys."""
        items = dict.items(thing) if isinstance(thing, dict) else enumerate(contents(thing))
        return {self.key(key, family): value for key, value in items}

    def members(self, thing: Any) -> dict[Key, Any]:
        return {self.key(key, indexing(self.kernel, thing)): None for key in contents(thing)}

    def key(self, key: Any, family: Family | None) -> Key:
        if type(key) is Index and key.is_pure:
            return key.family, key.base
        if type(key) not in SIMPLE or type(key) is Index:
            raise Differs("has keys that are objects, which are not compared")
        domain = frozenset() if family is None else self.kernel.indices.known.domain(family)
        plain = str(key) if type(key) is float else key
        return (family, int(key)) if isinstance(key, int) and key in domain else (None, (type(key), plain))

    def keys(self) -> bool:
        """Compare those items of which it is known by now where their index goes; False if there are none."""
        moved = False
        left = []
        for first, second, path in self.keyed:
            for family, value in list(first):
                image = value if family is None else self.indices.of(family, value)
                if image is None:
                    continue
                one, moved = first.pop((family, value)), True
                if (family, image) not in second:
                    raise Differs("has other keys", _written(path), (str(value), str(image)))
                label = f"[{value if family is not None else value[1]!r}]"
                self.todo.append((one, second.pop((family, image)), (path, label)))
            if first:
                left.append((first, second, path))
            elif second:
                raise Differs("has other keys", _written(path))
        self.keyed = left
        return moved or self.infer()

    def infer(self) -> bool:
        """An object that goes to another one takes its place with it."""
        for first, second, path in self.keyed:
            homes: dict[Hashable, Key] = {id(value): key for key, value in second.items() if type(value) not in SIMPLE}
            for (family, value), thing in first.items():
                home = homes.get(self.seen.get(id(thing))) if type(thing) not in SIMPLE else None
                if family is not None and home is not None and home[0] == family:
                    self.indices.move(family, value, home[1], _written(path))
                    return True
        return False

    def function(self, one: FunctionType, other: FunctionType) -> list[Pair]:
        """The same code; what it closes over is compared later."""
        if one.__code__ is not other.__code__:
            raise Differs(f"{one.__name__} and {other.__name__} are different functions")
        if has_hooks(one):
            self.code_globals(one)
        cells = zip(one.__closure__ or (), other.__closure__ or (), one.__code__.co_freevars, strict=True)
        return [*cells, (one.__defaults__, other.__defaults__, ""), (one.__kwdefaults__, other.__kwdefaults__, ""),
                *attributes(one, other)]  # fmt: skip

    def code_globals(self, function: FunctionType) -> None:
        """The globals that a function may read, itself or in functions inside."""
        names = [name for code in codes(function.__code__) for name in named_in(code)]
        for name in names:
            if name in function.__globals__ and not name.startswith("_iso_"):
                value = function.__globals__[name]
                self.todo.append((value, value, (None, name)))
        self.imported(names)
        if not LOOKING.isdisjoint(names):
            self.globals(function.__globals__)
            self.todo += [(m, m, (None, n)) for n, m in users_modules()]

    def imported(self, names: Iterable[str]) -> None:
        """SOUND: what is imported where it is used is no variable."""
        modules = users_modules()
        for name in names:
            for full, module in modules:
                if full == name or full.endswith(f".{name}"):
                    self.todo.append((module, module, (None, name)))


class Given(str):
    """The name of something that a thread was given when it was started."""


THE_FUNCTION = Given("the function")
MADE_HERE = Given("")  # the way to tuples that exist for the comparison only
HAVING_IDENTITY = (tuple, frozenset, FunctionType)


def _is_given(path: Path) -> bool:
    """SOUND: may main have the same object, and ask by `is` which one it has?  The function itself nobody shows."""
    if path is None or path[1] is THE_FUNCTION:
        return False
    while path[0] is not None and path[1] is not MADE_HERE:
        path = path[0]
    return isinstance(path[1], Given) and path[1] is not MADE_HERE


def _written(path: Path) -> str:
    """How a value is reached, as the program would write it."""
    parts: list[str] = []
    while path is not None:
        path, label = path
        parts.append(label)
    return "".join(reversed(parts))


def place_of_thread(fiber: Fiber) -> Location:
    """The line of the user's program where a thread is."""
    frame = fiber.greenlet.gr_frame
    while frame is not None and not is_users_frame(frame):
        frame = frame.f_back
    return NOWHERE if frame is None else Location(frame.f_code.co_filename, frame.f_lineno, 1)


def _parameters(function: Any, count: int) -> list[str]:
    """Names for the arguments of a thread."""
    inner = getattr(function, "__func__", function)
    code = getattr(inner, "__code__", None)
    names = list(code.co_varnames[: code.co_argcount])[int(isinstance(function, MethodType)) :] if code else []
    return [*names, *(f"argument {n + 1}" for n in range(len(names), count))][:count]


def _workers(pool: ThreadPoolExecutor) -> set[int]:
    return {worker._fiber.tid for worker in pool.workers if worker._fiber is not None}
