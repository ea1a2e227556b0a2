"""Processes that search together: who may run, what they tell each other, and when all have to stop.

A search that gives a subtree away makes a copy of its own process (`fork`), which has all that is known; only what the
copy found goes back.  As many run at a time as there are tokens, as with GNU make: who waits for another gives its
token back, so that somebody else may run.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import pickle
import select
import signal
import struct
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

PAUSE = 0.02  # seconds between two looks at what else there is, while one waits
PATIENCE = 5.0  # seconds until one runs that should not
LAST_WORDS = 1.0  # seconds to end when all have to stop
PR_SET_PDEATHSIG = 1
COUNTS = struct.Struct("<qqq")  # of a copy: executions, blocked, transitions so far
LIBC = ctypes.CDLL(None)
leave = os._exit  # as it is before a program is checked, in which it has a stand-in
poll = select.poll


class Unanswered(Exception):
    """Nobody will ever say what is asked for."""


class Team:
    """All processes of a search."""

    def __init__(self, workers: int) -> None:
        self._tokens, self._back = os.pipe()
        os.set_blocking(self._tokens, False)
        os.write(self._back, b"+" * (workers - 1))
        self._page = mmap.mmap(-1, 8)
        self.holds = True  # has this process a token?
        self._leaving: list[Copy] = []  # have answered, and are about to end

    def become_copy(self) -> None:
        """In a copy, which runs: what others have started is not its own."""
        self.holds, self._leaving = True, []

    def let_go(self, copy: Copy) -> None:
        """It has answered: nobody waits for its end, for now."""
        self._leaving = [other for other in self._leaving if not other.has_ended()]
        if not copy.has_ended():
            self._leaving.append(copy)

    def leave(self) -> None:
        """In a copy: it ends behind those that it has made, so that their time counts for it."""
        self.release()
        self.part()
        leave(0)

    def part(self) -> None:
        """Wait for the end of all that have answered."""
        for copy in self._leaving:
            copy.part()
        self._leaving = []

    def close(self) -> None:
        self.part()
        for file in (self._tokens, self._back):
            os.close(file)
        self._page.close()

    @property
    def is_stopped(self) -> bool:
        return self._page[0] != 0

    def stop(self) -> None:
        """All have to end."""
        self._page[0] = 1

    def take(self) -> bool:
        """A token, if there is one."""
        try:
            return bool(os.read(self._tokens, 1))
        except BlockingIOError:
            return False

    def give_back(self) -> None:
        os.write(self._back, b"+")

    def wait(self, done: Callable[[], bool], file: int, look: Callable[[], None]) -> None:
        """Let another one run until something is done, by when the file can be read; `look` is called meanwhile, and
        may raise."""
        if done():
            return
        self.release()
        while not done():
            look()
            _pause(file)
        # Who was killed has not given its token back: then one more runs than should, but nobody waits for ever.
        until = time.monotonic() + PATIENCE
        while not self.holds and time.monotonic() < until:
            self.holds = self.take()
            if not self.holds:
                look()
                _pause(self._tokens)

    def release(self) -> None:
        """This process does not run any more, for now or for ever."""
        if self.holds:
            self.holds = False
            self.give_back()


def _pause(file: int) -> None:
    """Until the file can be read, but not long."""
    waiting = poll()
    waiting.register(file, select.POLLIN)
    waiting.poll(PAUSE * 1000)


class Letter:
    """Something that one process writes, once, and its copies read."""

    def __init__(self) -> None:
        self._file = os.memfd_create("letter", os.MFD_CLOEXEC)
        self.bell = os.eventfd(0, os.EFD_CLOEXEC)  # can be read as soon as the letter is there
        self._page = mmap.mmap(-1, 8)

    @property
    def is_there(self) -> bool:
        return self._page[0] != 0

    def write(self, what: Any) -> None:
        """SOUND: what is not the same when it is read (an object that only this process knows) is not written."""
        try:
            text = pickle.dumps(what)
            same = pickle.loads(text) == what
        except Exception:  # whatever the names of a program's objects do
            same, text = False, b""
        if same:
            os.pwrite(self._file, text, 0)
        self._page[0] = 1 if same else 2
        os.eventfd_write(self.bell, 1)

    def read(self) -> Any:
        if self._page[0] != 1:
            raise Unanswered
        return pickle.loads(os.pread(self._file, os.fstat(self._file).st_size, 0))

    def close(self) -> None:
        os.close(self._file)
        os.close(self.bell)
        self._page.close()


class Copy:
    """A copy of this process that does something else, and how it ended."""

    def __init__(self) -> None:
        self.pid = 0
        self.earlier, self.answer = Letter(), Letter()  # to the copy and its copies, and from it
        self._page = mmap.mmap(-1, COUNTS.size)
        self._has_ended = False

    def start(self) -> bool:
        """Two processes come back from here: True in the copy."""
        me = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid:
            return False
        gc.freeze()  # what is shared with the other process stays so
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever made us ends us
        LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL))
        if os.getppid() != me:
            leave(1)
        return True

    def tell(self, executions: int, blocked: int, transitions: int) -> None:
        """In the copy: how far it is."""
        COUNTS.pack_into(self._page, 0, executions, blocked, transitions)

    @property
    def counts(self) -> tuple[int, int, int]:
        executions, blocked, transitions = COUNTS.unpack_from(self._page, 0)
        return executions, blocked, transitions

    def is_done(self) -> bool:
        """Has it said what it found, or ended without that?"""
        return self.answer.is_there or self.has_ended()

    def has_ended(self) -> bool:
        if not self._has_ended:
            self._has_ended = os.waitpid(self.pid, os.WNOHANG)[0] != 0
        return self._has_ended

    def part(self) -> None:
        """Wait for its end, which follows its last words."""
        if not self._has_ended:
            os.waitpid(self.pid, 0)
            self._has_ended = True

    def end(self) -> None:
        """Wait a moment for its last words, then see to it that it ends."""
        until = time.monotonic() + LAST_WORDS
        while not self.is_done() and time.monotonic() < until:
            _pause(self.answer.bell)
        if self.answer.is_there:
            self.part()
        if not self.has_ended():
            os.kill(self.pid, signal.SIGKILL)
            self.part()

    def close(self) -> None:
        for letter in (self.earlier, self.answer):
            letter.close()
        self._page.close()
