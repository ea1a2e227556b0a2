"""Names and values for addresses, as a reader of the program would write them: `queue.ring[2]->matches` is 3."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..binary.dwarf import UNKNOWN, Debug, DebugFunction, DebugVariable, Type

Read = Callable[[int, int], bytes]  # address, size -> bytes; fewer or none where nothing can be read

MOST_OBJECTS = 4000  # that are looked at to find a name for what was allocated
MOST_ELEMENTS = 256  # of an array that are followed
LONGEST_VALUE = 40
# Objects of libraries whose inside nobody wants to see: what happens to them is said by the step itself.
OPAQUE = (
    "pthread_mutex_t", "pthread_cond_t", "pthread_rwlock_t", "pthread_barrier_t", "pthread_spinlock_t",
    "pthread_once_t", "pthread_t", "sem_t", "mtx_t", "cnd_t", "thrd_t", "once_flag", "mutex", "recursive_mutex",
    "timed_mutex", "thread", "condition_variable", "shared_mutex", "__mutex_base", "FILE", "_IO_FILE",
)  # fmt: skip


class StackFrame(NamedTuple):
    """One call on the stack of a thread."""

    pc: int  # where it goes on
    base: int  # its frame pointer
    function: DebugFunction


class NamedPlace(NamedTuple):
    """A variable, or a part of one."""

    name: str
    at: int
    type: Type


# -------------------------------------------------------------------------------------------------- values


SIGNED = {1: "<b", 2: "<h", 4: "<i", 8: "<q"}
FLOATING = {4: "<f", 8: "<d"}


def _number(type: Type, data: bytes) -> int | float:
    forms = SIGNED if type.kind in ("int", "enum") else FLOATING if type.kind == "float" else {}
    form = forms.get(len(data))
    return struct.unpack(form, data)[0] if form is not None else int.from_bytes(data, "little")


def _scalar_text(type: Type, data: bytes) -> str:
    """As the user would write it: names of enums, characters in quotes."""
    known = _number(type, data)
    if type.kind == "bool":
        return "true" if known else "false"
    if type.kind == "enum":
        return type.values.get(int(known), str(known))
    if type.kind == "char" and 32 <= known < 127:
        return repr(chr(int(known)))
    if type.kind == "float":
        return f"{known:g}"
    return str(known)


class AddressNames:
    """Of one moment of a run: memory may change between two questions, `fresh` says that it did."""

    def __init__(
        self,
        debug: Debug,
        read: Read,
        one_block: Callable[[int, int], bool] = lambda a, b: True,
        library: Callable[[int], str] = lambda a: "",
    ) -> None:
        self.debug = debug
        self.read = read
        self.one_block = one_block  # are both addresses in the same piece of allocated memory?
        self.library = library  # whose memory is it, if not the program's?
        self.statics = debug.variables[0]
        self.addresses = [v.at for v in self.statics]
        self.frames: dict[int, list[StackFrame]] = {}  # thread -> innermost first
        self.thread_blocks: dict[int, int] = {}  # thread -> where its thread-local variables end
        self.allocated: dict[int, NamedPlace] | None = None  # what pointers name, by where it begins

    def fresh(self, frames: dict[int, list[StackFrame]], thread_blocks: dict[int, int]) -> None:
        """The process has made a step: stacks and heap are others."""
        self.frames, self.thread_blocks, self.allocated = frames, thread_blocks, None

    # ---------------------------------------------------------------------------------------------- names

    def place(self, address: int, size: int = 0) -> NamedPlace | None:
        """The smallest named thing of at least that size that the address is in."""
        whole = self.static(address) or self.local(address) or self.thread_local(address) or self.pointed(address)
        return None if whole is None else _narrowed(whole, address, size)

    def variable(self, address: int) -> str:
        """What a variable of the file, or a part of one, is called in every state; nothing if it is none."""
        whole = self.static(address)
        return "" if whole is None else _narrowed(whole, address).name

    def name(self, address: int) -> str:
        """What the user calls it; otherwise the library it belongs to, or the bare address."""
        found = self.place(address)
        if found is not None and found.name:
            return found.name
        library = self.library(address)
        return f"memory of {library} that all threads share" if library else f"the byte at {address:#x}"

    def static(self, address: int) -> NamedPlace | None:
        at = bisect_right(self.addresses, address) - 1
        return _containing(self.statics[at], address, 0, "") if at >= 0 else None

    def local(self, address: int) -> NamedPlace | None:
        """The variable on some thread's stack that the address is in."""
        for thread, frames in self.frames.items():
            for frame in frames:
                for variable in self.debug.locals(frame.function, frame.pc - 1):
                    found = _containing(variable, address, frame.base + 16, f" of {frame.function.name} {thread}")
                    if found is not None:
                        return found
        return None

    def thread_local(self, address: int) -> NamedPlace | None:
        """The variable of some thread (`_Thread_local`) that the address is in."""
        for thread, end in self.thread_blocks.items():
            for variable in self.debug.variables[1]:
                found = _containing(variable, address, end - self.debug.tls_size, f" of thread {thread}")
                if found is not None:
                    return found
        return None

    # ---------------------------------------------------------------------------------------------- what was allocated

    def pointed(self, address: int) -> NamedPlace | None:
        """A block of the heap is called by how it is reached from variables: `head->next`."""
        if self.allocated is None:
            self.allocated = self.reached()
        best = max((at for at in self.allocated if at <= address), default=None)
        if best is None:
            return None
        place = self.allocated[best]
        if address < best + max(place.type.size, 1):
            return place
        return self.element(place, address)

    def element(self, place: NamedPlace, address: int) -> NamedPlace | None:
        """A pointer may name the first of many."""
        index = (address - place.at) // max(place.type.size, 1)
        if index >= 1 << 16 or not self.one_block(place.at, address):
            return None
        name = place.name.removeprefix("*").removeprefix("(").removesuffix(")")
        return NamedPlace(f"{name}[{index}]", place.at + index * place.type.size, place.type)

    def roots(self) -> Iterator[NamedPlace]:
        """Where names begin: variables of the file, and locals of all frames."""
        for variable in self.statics:
            yield NamedPlace(variable.name, variable.at, variable.type)
        for frames in self.frames.values():
            for frame in frames:
                for v in self.debug.locals(frame.function, frame.pc - 1):
                    yield NamedPlace(v.name, frame.base + 16 + v.at, v.type)

    def reached(self) -> dict[int, NamedPlace]:
        """Objects that pointers lead to, named by the way to them."""
        found: dict[int, NamedPlace] = {}
        todo = list(self.roots())
        for place in todo:  # grows
            for pointer in _pointers_in(place):
                target = int.from_bytes(self.read(pointer.at, 8), "little")
                type = pointer.type.target()
                if target and target not in found and self.owned(target, type) and len(found) < MOST_OBJECTS:
                    found[target] = NamedPlace(_dereferenced(pointer.name), target, type)
                    todo.append(found[target])
        return found

    def owned(self, target: int, type: Type) -> bool:
        """Is it memory without a name of its own?"""
        return type.size > 0 and self.static(target) is None and len(self.read(target, type.size)) == type.size

    # ---------------------------------------------------------------------------------------------- values

    def value(self, place: NamedPlace) -> str:
        """What stands there now, shortened; `?` if it cannot be read."""
        data = self.read(place.at, place.type.size)
        if len(data) < place.type.size or not data:
            return "?"
        return _shortened(self.text(place.type, data))

    def text(self, type: Type, data: bytes) -> str:
        """A value as a reader of the program would write it."""
        if type.kind == "pointer":
            return self.pointer_text(type, int.from_bytes(data, "little"))
        if type.kind == "array":
            return self.array_text(type, data)
        if type.kind == "record":
            inner = [f"{p.name} = {self.text(p.type, data[p.offset : p.offset + p.type.size])}"
                     for p in type.parts() if p.name and p.type.name not in OPAQUE]  # fmt: skip
            return "{" + ", ".join(inner) + "}"
        return _scalar_text(type, data) if type.kind != "unknown" else data.hex()

    def array_text(self, type: Type, data: bytes) -> str:
        """Characters as a string, up to the first NUL; of others the first twelve."""
        element = type.target()
        if element.kind == "char":
            return repr(data.split(b"\0", 1)[0].decode(errors="replace")).replace("'", '"')
        size = max(element.size, 1)
        parts = [self.text(element, data[i : i + size]) for i in range(0, min(len(data), 12 * size), size)]
        return "{" + ", ".join(parts) + "}"

    def pointer_text(self, type: Type, target: int) -> str:
        """What it points to, if that has a name of its own; else the address, which is the same in every run."""
        if target == 0:
            return "NULL"
        if type.target().kind == "char":
            text = self.read(target, LONGEST_VALUE).split(b"\0", 1)[0]
            if text.isascii() and text.decode("ascii").isprintable() and text:
                return '"' + text.decode("ascii") + '"'
        whole = self.static(target) or self.local(target)
        if whole is not None:
            return f"&{_narrowed(whole, target, type.target().size).name}"
        called = self.debug.function(target)
        return called.name if called is not None and called.low == target else f"{target:#x}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


def _containing(variable: DebugVariable, address: int, base: int, where: str) -> NamedPlace | None:
    """The variable as a place, if the address is in it."""
    start = base + variable.at
    inside = start <= address < start + max(variable.type.size, 1)
    return NamedPlace(variable.name + where, start, variable.type) if inside else None


def _narrowed(place: NamedPlace, address: int, size: int = 0) -> NamedPlace:
    """The part of a variable that an address is in: a member, an element, as deep as it goes."""
    while place.type.name not in OPAQUE:
        inner = next((p for p in _parts_of(place) if p.at <= address < p.at + max(p.type.size, 1)), None)
        if inner is None or inner.type.size < size:
            break
        place = inner
    return place


def _parts_of(place: NamedPlace) -> Iterator[NamedPlace]:
    """Members of a struct, elements of an array."""
    type = place.type
    if type.kind == "record":
        for part in type.parts():
            yield NamedPlace(_member(place.name, part.name), place.at + part.offset, part.type)
    elif type.kind == "array":
        element = type.target()
        for i in range(type.count):
            yield NamedPlace(_indexed(place.name, i), place.at + i * element.size, element)


def _split_owner(name: str) -> tuple[str, str]:
    """`x of work 2`: the words behind the variable stay behind."""
    before, of, after = name.partition(" of ")
    return before, of + after


def _member(name: str, part: str) -> str:
    """The name of a field: of what a pointer leads to with an arrow, and the owner stays at the end."""
    before, owner = _split_owner(name)
    if not part:  # a base class, or a struct without a name: its members are ours
        return name
    if before.startswith("*"):
        return f"{before[1:]}->{part}{owner}"
    return f"{before}.{part}{owner}"


def _indexed(name: str, index: int) -> str:
    """The name of an element; the owner stays at the end."""
    before, owner = _split_owner(name)
    return f"{f'({before})' if before.startswith('*') else before}[{index}]{owner}"


def _dereferenced(name: str) -> str:
    before, owner = _split_owner(name)
    return f"*{before}{owner}"


def _pointers_in(place: NamedPlace) -> Iterator[NamedPlace]:
    """All pointers inside of a place."""
    if place.type.kind == "pointer":
        yield place
    elif place.type.kind == "record" and place.type.name not in OPAQUE:
        for part in _parts_of(place):
            yield from _pointers_in(part)
    elif place.type.kind == "array" and place.type.target().kind in ("pointer", "record", "array"):
        for _, part in zip(range(MOST_ELEMENTS), _parts_of(place), strict=False):
            yield from _pointers_in(part)


def _scalars(place: NamedPlace) -> Iterator[NamedPlace]:
    """The parts that have a value of their own and may be shown."""
    if place.type.name in OPAQUE or place.type is UNKNOWN:
        return
    if place.type.kind == "record" or (place.type.kind == "array" and place.type.target().kind != "char"):
        for part in _parts_of(place):
            yield from _scalars(part)
    else:
        yield place
