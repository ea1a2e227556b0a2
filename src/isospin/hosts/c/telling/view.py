"""A stopped program seen from outside, with names: the stacks of its threads, its variables, what it has printed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ....core.errors import NOWHERE, Location
from ....engines.stateless.protocol import Thread
from ..binary.dwarf import is_system
from ..constants import HEAP_FROM, LIVE_BASE, LIVE_UNIT, MOST_THREADS, REGION_BASE, REGION_SIZE
from ..known import Places
from ..symbols import exported
from ..wire import Pending
from .memory import ThreadMemory
from .names import AddressNames, StackFrame

MOST_FRAMES = 64
STACK_WORDS = 4096  # that are searched for a way back into the user's code
WRITE_BASE, WRITE_END = 32, 40  # in the record of a file (glibc): what is not written yet
MOST_OUTPUT = 1 << 20


class _StackLine(NamedTuple):
    """One line of a stack, as it is shown."""

    function: str
    location: Location
    locals: tuple[tuple[str, str], ...]


class ProcessView(ThreadMemory):
    """Reads the memory of a program that waits for us, with the names that its programmer gave."""

    def __init__(self, executable: Path, library: Path, pid: int) -> None:
        super().__init__(Places(executable, library), pid)
        self.debug = self.places.executable.debug
        self.ours = library.name
        self.names = AddressNames(self.debug, self.read, self.one_block, self.library)

    # ---------------------------------------------------------------------------------------------- stacks

    def frames(self, entry: int) -> list[StackFrame]:
        """The calls of the user's code behind a call into the runtime, innermost first."""
        found: list[StackFrame] = []
        base, pc = self.word(entry), self.word(entry + 8)
        if self.debug.function(pc - 1) is None and base > entry:
            pc = self.way_back(entry + 16, base) or pc
        for _ in range(MOST_FRAMES):
            function = self.debug.function(pc - 1)
            if function is not None:
                found.append(StackFrame(pc, base, function))
            if not base:
                break
            above, pc = self.word(base), self.word(base + 8)
            if above <= base:
                break
            base = above
        return found

    def way_back(self, low: int, high: int) -> int | None:
        """Libraries keep no chain of frames: the first address of the user's code that lies on the stack."""
        data = self.read(low, min(high - low, 8 * STACK_WORDS))
        words = (int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data) - 7, 8))
        return next((word for word in words if self.debug.function(word - 1) is not None), None)

    def refresh(self, pending: Mapping[Thread, Pending]) -> None:
        """Names of local variables go by where the threads are now."""
        frames = {thread: self.frames(row.entry) for thread, row in pending.items() if row.entry}
        blocks = {thread: self.field(thread, "tls") for thread in pending}
        self.names.fresh(frames, blocks)

    def place(self, thread: Thread, pc: int = 0) -> Location:
        """The line of the user's own code at which a thread stands; templates of C++ libraries are passed over."""
        frames = self.names.frames.get(thread, [])
        counters = ([pc] if pc else []) + [frame.pc for frame in frames]
        places = [self.debug.place(counter - 1) for counter in counters]
        own = next((place for place in places if not is_system(place)), None)
        if own is not None:
            return own
        started = self.debug.function(self.field(thread, "start")) if thread else None
        return self.debug.place(started.low) if started is not None else next(iter(places), NOWHERE)

    def stack(self, thread: Thread) -> list[_StackLine]:
        return [self.shown(frame) for frame in self.names.frames.get(thread, [])
                if not is_system(self.debug.place(frame.pc - 1))]  # fmt: skip

    def shown(self, frame: StackFrame) -> _StackLine:
        """A frame with the values of its simple variables."""
        values = []
        variables = self.debug.locals(frame.function, frame.pc - 1) if frame.base else ()  # a function that returned
        for variable in variables[::-1]:
            place = self.names.local(frame.base + 16 + variable.at)
            if place is not None and variable.type.kind in ("int", "uint", "char", "bool", "enum", "float", "pointer"):
                values.append((variable.name, self.names.value(place)))
        return _StackLine(frame.function.name, self.debug.place(frame.pc - 1), tuple(values))

    # ---------------------------------------------------------------------------------------------- data

    @cached_property
    def standard_output(self) -> int:
        """Where libc keeps the record of stdout; 0: not found."""
        lines = Path(f"/proc/{self.pid}/maps").read_text().splitlines()
        libc = next((line.split() for line in lines if "/libc.so" in line or "/libc-" in line), None)
        if libc is None:
            return 0
        return int(libc[0].split("-")[0], 16) - int(libc[2], 16) + exported(Path(libc[-1]), "_IO_2_1_stdout_")

    def unwritten(self) -> bytes:
        """What the program printed, and libc still keeps to itself."""
        base, end = (self.word(self.standard_output + offset) for offset in (WRITE_BASE, WRITE_END))
        return self.read(base, end - base) if base and 0 < end - base < MOST_OUTPUT else b""

    @cached_property
    def libraries(self) -> list[tuple[int, int, str]]:
        """Where libraries have their data; what has no name lies behind what has one."""
        found: list[tuple[int, int, str]] = []
        for line in Path(f"/proc/{self.pid}/maps").read_text().splitlines():
            words = line.split()
            low, high = (int(word, 16) for word in words[0].split("-"))
            behind = found[-1][2] if found and found[-1][1] == low else ""
            name = os.path.basename(words[5]) if len(words) > 5 else behind
            found.append((low, high, name if ".so" in name else ""))
        return found

    def library(self, address: int) -> str:
        """The library whose data these are.  What strtok remembers is with us instead."""
        name = next((name for low, high, name in self.libraries if low <= address < high), "")
        return "libc" if name == self.ours or name.startswith("libc.so") else name

    @cached_property
    def ranges(self) -> list[tuple[int, int]]:
        return self.debug.writable()

    def one_block(self, low: int, high: int) -> bool:
        """The runtime has a byte for each 16 of the heap, how many of them may be used; between blocks it is 0."""
        if not 0 <= low - REGION_BASE < MOST_THREADS * REGION_SIZE:
            return False
        live = self.read(LIVE_BASE + (low - REGION_BASE) // LIVE_UNIT, (high - low) // LIVE_UNIT + 1)
        return bool(live) and all(live)

    def heap(self, thread: Thread) -> tuple[int, int]:
        """What the thread has allocated so far."""
        low = REGION_BASE + thread * REGION_SIZE + HEAP_FROM
        return low, max(self.field(thread, "heap_top"), low)
