"""A stopped program seen from outside: the bytes of its memory, and what the runtime keeps about its threads.

Between two requests the process waits for us, so that everything can be read through the operating system.  Where
things are in the runtime's own records is known from its debugging information, which is not loaded for that again
once it was asked.
"""

from __future__ import annotations

import os

from ....engines.stateless.protocol import Thread
from ..constants import MOST_THREADS, REGION_BASE, REGION_SIZE
from ..known import Places


class ThreadMemory:
    """Reads the memory of a program that waits for us."""

    def __init__(self, places: Places, pid: int) -> None:
        self.places, self.pid = places, pid
        self.memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)

    def close(self) -> None:
        os.close(self.memory)

    def read(self, address: int, size: int) -> bytes:
        """Bytes of the stopped process; none if that memory is not there."""
        try:
            return os.pread(self.memory, size, address)
        except (OSError, OverflowError):
            return b""

    def word(self, address: int) -> int:
        return int.from_bytes(self.read(address, 8), "little")

    def field(self, thread: Thread, name: str) -> int:
        offset, size = self.places.runtime.field("thread", name)
        return int.from_bytes(self.read(REGION_BASE + thread * REGION_SIZE + offset, size), "little")

    def thread_name(self, thread: Thread) -> str:
        """The function that it was started with."""
        if thread == 0:
            return "main"
        return self.places.executable.function(self.field(thread, "start")) or "thread"

    def called(self, thread: Thread) -> str:
        """A thread as traces name it."""
        return "main" if thread == 0 else f"{self.thread_name(thread)} {thread}"

    def owner(self, address: int) -> Thread | None:
        """The thread whose range of memory begins there: that is how the runtime writes who holds a lock."""
        number, offset = divmod(self.word(address) - REGION_BASE, REGION_SIZE)
        return number if offset == 0 and 0 <= number < MOST_THREADS else None
