"""Compiling a checker while something else is done: an interpreter searches, or a checker that was compiled quicker.

Reference: docs/develop/measured.md, "Before the search begins".
Differs: whoever is overtaken starts from nothing in the one that overtakes it.  Both are made from the same text, so
that who answers cannot be told from the answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path

from ....core import deadline
from .program import compile_checker


class Beside:
    """A checker that is compiled in a thread of its own, perhaps after a while.

    What goes wrong there is raised in `result`, where it is asked for, and nowhere else.
    """

    def __init__(self, source: str, level: str, flags: tuple[str, ...], delay: float = 0.0) -> None:
        self.made_from = source, level, flags
        self.delay = delay
        self.found: tuple[Path, str] | None = None
        self.problem: BaseException | None = None
        self.over = threading.Event()  # nobody waits for it any more
        self.lock = threading.Lock()
        self.ready: Callable[[], None] | None = None
        self.thread = threading.Thread(target=copy_context().run, args=(self._compile,), daemon=True)
        self.thread.start()

    def _compile(self) -> None:
        if self.over.wait(self.delay):
            return
        try:
            with deadline.as_long_as(lambda: not self.over.is_set()):
                found = compile_checker(*self.made_from)
        except BaseException as problem:
            self.problem = problem
            return
        with self.lock:
            self.found = found
            if self.ready is not None:
                self.ready()

    def when_ready(self, do: Callable[[], None] | None) -> None:
        """What is to be done as soon as it is there; None: nothing any more, and nothing is being done any more."""
        with self.lock:
            self.ready = do
            if do is not None and self.found is not None:
                do()

    def result(self) -> tuple[Path, str]:
        """Wait for it; the same as `compile_checker`."""
        try:
            self.thread.join()
        except BaseException:
            self.give_up()
            raise
        if self.problem is not None:
            raise self.problem
        assert self.found is not None
        return self.found

    def give_up(self) -> None:
        """Nobody wants it any more: the compiler is ended, and leaves nothing behind."""
        self.over.set()
        self.thread.join()
