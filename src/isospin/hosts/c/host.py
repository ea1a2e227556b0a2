"""A C program that runs in a process of its own, driven by requests: the searches in Python over the real binary.

The exploration in C (runtime/explore/explore.c) is much faster; this is what it is compared with, and the way to the
other searches and to replay.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ...core import deadline
from ...core.errors import InternalError
from ...engines.stateless.protocol import SWAP, Found, Op, OwnObject, Renaming, Thread
from ...engines.stateless.registry import explore
from ...engines.stateless.search import SearchRequest, SearchResult
from .constants import REGION_BASE, REGION_SIZE, RequestKind, Space
from .wire import (
    AlikeMessage,
    Answers,
    Damaged,
    Difference,
    LimitsMessage,
    Message,
    Pending,
    Seen,
    StateMessage,
    Stranger,
    Visit,
    Weak,
    Wire,
    named,
)

MOST_STEPS = 20_000  # of main, until all its threads have begun, or of a run to the end
MOST_ROUNDS = 20
ENDED = "the program under control ended unexpectedly"


class _Learnt(Exception):
    """What is visible has changed: the search has to start again."""


class CProgram:
    """`words` are options of the runtime (message.h), `known` is what an earlier run had learnt."""

    def __init__(
        self, executable: Path, arguments: Sequence[str] = (), words: str = "", learnt: Sequence[int] = (),
        stdout: int | IO[Any] | None = subprocess.DEVNULL, answers: Answers | None = None,
    ) -> None:  # fmt: skip
        self.command: list[str | Path] = [executable, *arguments]
        self.words, self.stdout, self.answers = words, stdout, answers
        self.known = list(learnt)
        self.needs_fork = self.reason = ""
        self.weak: list[Weak] = []
        self.strangers: list[Stranger] = []
        self.visits: list[int] = []
        self.learnt = False
        self.outcome = ""
        self.seen: Seen | None = None  # by the last step
        self.clock: tuple[int, ...] = ()  # of who made it
        self.outcomes: Counter[str] = Counter()  # of the executions that went to their end
        self.difference: Difference | None = None  # of the threads that were compared last
        self.now: dict[Thread, Pending] = {}
        self.launch()

    def launch(self) -> None:
        """Start the program as a server that steps itself on request."""
        known = f" learnt={','.join(map(str, self.known))}" if self.known else ""
        self.wire = Wire(self.command, f"mode=serve {self.words}{known}", self.stdout, self.answers)
        self.process = self.wire.process
        try:
            self.state(RequestKind.RESTART)
        except BaseException:  # whoever wanted it has nothing to close yet
            self.close()
            raise

    def close(self) -> None:
        self.wire.close()

    def request(self, kind: RequestKind, *arguments: int) -> Message:
        """Ask, and wait for the answer."""
        try:
            self.wire.send(" ".join([kind, *map(str, arguments)]))
            message = self.wire.receive()
        except (BrokenPipeError, Damaged):
            message = None
        if message is None and deadline.is_over():
            raise deadline.TimeIsOver(deadline.reason("running the program"))
        if message is None:
            raise InternalError(f"{ENDED} (status {self.wire.close()})")
        return message

    def limits(self) -> None:
        """Ask what speaks against `holds`."""
        message = self.request(RequestKind.LIMITS)
        # A search that was cut may have left an answer.
        while isinstance(message, Weak | Stranger | Visit | StateMessage):
            self.weak += [message] if isinstance(message, Weak) else []
            self.strangers += [message] if isinstance(message, Stranger) else []
            self.visits += [message.pc] if isinstance(message, Visit) else []
            message = self.wire.receive() or LimitsMessage(ENDED)
        assert isinstance(message, LimitsMessage)
        self.reason = self.reason or message.reason

    def state(self, kind: RequestKind, *arguments: int) -> list[Found]:
        """A request that is answered by the new state; what went wrong in the step."""
        message = self.request(kind, *arguments)
        assert isinstance(message, StateMessage)
        self.now = message.pending
        # SOUND: executions in the same process as one before, though they need one of their own, do not count.
        shared = not self.needs_fork and bool(message.needs_fork)
        self.learnt = self.learnt or message.again or shared
        self.outcome, self.seen, self.clock = message.outcome, message.seen, message.clock
        self.known, self.needs_fork = message.learnt, self.needs_fork or message.needs_fork
        return [] if message.found is None else [message.found]

    # ---------------------------------------------------------------- Program

    def restart(self) -> None:
        """Back to the start; if the last execution made more visible, the search has to begin again."""
        learnt, self.learnt = self.learnt, False
        self.state(RequestKind.RESTART)
        if self.needs_fork:
            self.limits()
            self.close()
            self.launch()
        if learnt:
            raise _Learnt

    def pending(self) -> Mapping[Thread, Op]:
        return {thread: row.op for thread, row in self.now.items()}

    def enabled(self) -> Sequence[Thread]:
        return [thread for thread, row in self.now.items() if row.enabled]

    def choices(self, thread: Thread) -> int:
        return self.now[thread].choices

    def step(self, thread: Thread, choice: int = 0) -> Sequence[Found]:
        return self.state(RequestKind.STEP, thread, choice)

    def run(self, thread: Thread = -1) -> None:
        """Many steps at once: of whoever can go on, or of one thread until it would join or end."""
        self.state(RequestKind.RUN, thread, MOST_STEPS)

    def stuck(self) -> Found | None:
        found = next(iter(self.state(RequestKind.STUCK)), None)
        self.outcomes[self.outcome] += 1
        return found

    def find_renaming(self, first: Thread, second: Thread) -> Renaming | None:
        """The runtime compares the two; what it had to learn for that makes the search begin again."""
        message = self.request(RequestKind.ALIKE, first, second)
        assert isinstance(message, AlikeMessage)
        self.learnt = self.learnt or message.again
        self.difference = message.difference
        return _CRenaming(SWAP, message.threads, message.cells) if message.answer else None

    def what_changes(self, renaming: Renaming) -> str:
        return "this kind of program does not check declared permutations"


class _CRenaming(Renaming):
    """The objects that it moves are cells of memory: address and size."""

    def object(self, name: Hashable) -> Hashable:
        """An address in a cell that moves becomes the same place in the image of the cell."""
        if not isinstance(name, OwnObject) and not isinstance(name, tuple):
            return name
        space, address = _unnamed(name) if isinstance(name, OwnObject) else name
        for cell, image in self.objects.items() if space != Space.ENDS else ():
            assert isinstance(cell, tuple)
            assert isinstance(image, tuple)
            if cell[0] <= address < cell[0] + cell[1]:
                return named(space, address - cell[0] + image[0])
        return super().object(name)

    @property
    def inverse(self) -> Renaming:
        made = super().inverse
        return _CRenaming(made.name, made.threads, made.objects)

    def then(self, other: Renaming) -> Renaming:
        made = super().then(other)
        return _CRenaming(made.name, made.threads, made.objects)


def _unnamed(name: OwnObject) -> tuple[Space, int]:
    """Space and address of what is in the memory of a thread."""
    if not isinstance(name.what, tuple):
        return Space.ENDS, name.thread
    space, offset = name.what
    return space, REGION_BASE + name.thread * REGION_SIZE + offset


def run_until_known(program: CProgram) -> None:
    """Run it once to its end, each thread as far as it can go, until nothing is learnt from that; then back."""
    for _ in range(MOST_ROUNDS):
        program.run()
        learnt, program.learnt = program.learnt, False
        program.restart()
        if not learnt:
            return


def search(program: CProgram, name: str, asked: SearchRequest) -> SearchResult:
    """One of the searches in Python, from nothing whenever something was learnt."""
    while True:
        program.outcomes.clear()
        try:
            program.restart()
            result = explore(program, name, asked)
        except _Learnt:
            continue
        result.outcomes = dict(program.outcomes) if any(program.outcomes) else {}
        stopped = bool(result.findings) and not asked.all_errors
        if stopped or result.incomplete or not program.learnt:
            return result
