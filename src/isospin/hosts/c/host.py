"""A C program that runs in a process of its own, driven by requests: the searches in Python over the real binary.

The exploration in C (runtime/explore/explore.c) is much faster; this is what it is compared with, and the way to the
other searches and to replay.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from ...core import deadline
from ...core.errors import InternalError
from ...engines.stateless.protocol import SWAP, Found, Op, OwnObject, Renaming, Thread
from ...engines.stateless.registry import explore
from ...engines.stateless.search import SearchRequest, SearchResult
from .weak import Weak, weak

RUNTIME = Path(__file__).parent / "runtime"
MEMORY, SYNC, ENDS, OUTSIDE = range(4)


def kinds() -> tuple[str, ...]:
    """The kinds of operations in the order of contract.h."""
    return tuple(re.findall(r'_\([A-Z_]+, "([^"]+)"\)', (RUNTIME / "explore" / "contract.h").read_text()))


def _region() -> tuple[int, int]:
    """Where the memory of the first thread begins, and how much each has."""
    text = (RUNTIME / "fibers" / "region.h").read_text()
    base, size = (re.search(rf"define REGION_{name} (0x[0-9a-f]+)", text) for name in ("BASE", "SIZE"))
    assert base is not None
    assert size is not None
    return int(base[1], 16), int(size[1], 16)


KINDS = kinds()
BASE, SIZE = _region()
THREADS = 64
ENDED = "the program under control ended unexpectedly"
MOMENT = 0.002  # seconds
PATIENCE = 2.0  # seconds for a process to put back what it changed
KNOWN = ("finding", "note", "weak", "progress", "result", "state", "alike", "limits")  # others are questions


class _Learnt(Exception):
    """What is visible has changed: the search has to start again."""


class Answers(Protocol):
    """Who knows what the process asks in the middle of a run: program points, for symmetry (places.py)."""

    def answer(self, message: Mapping[str, Any]) -> str: ...


@dataclass(frozen=True)
class CFound(Found):
    """Something wrong, with addresses instead of places."""

    pc: int = 0
    other: int = -1
    other_pc: int = 0
    address: int = 0


def found(message: Mapping[str, Any]) -> CFound:
    thread = message["thread"] if message["thread"] >= 0 else None
    return CFound(
        message["what"], message["message"], thread=thread, pc=message["pc"] % 2**64, other=message["other"],
        other_pc=message["other_pc"] % 2**64, address=message["address"] % 2**64,
    )  # fmt: skip


class Damaged(Exception):
    """What came is no message of ours: nothing that follows can be trusted."""


class Wire:
    """The process, and the two pipes to it.  It leads a group, all of which ends with it, and at the deadline."""

    def __init__(
        self, command: Sequence[str | Path], words: str, stdout: int | IO[Any] | None = subprocess.DEVNULL,
        answers: Answers | None = None,
    ) -> None:  # fmt: skip
        from_child, out = os.pipe()
        into, to_child = os.pipe()
        environment = {**os.environ, "ISOSPIN": f"out={out} in={into} {words}"}
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stdout, env=environment,
            pass_fds=(out, into), start_new_session=True,
        )  # fmt: skip
        os.close(out)
        os.close(into)
        self.limit = ExitStack()
        self.limit.enter_context(deadline.ending(self.process))
        self.incoming = os.fdopen(from_child, encoding="utf-8", errors="replace")
        self.outgoing = os.fdopen(to_child, "w", encoding="utf-8")
        self.answers = answers

    def send(self, line: str) -> None:
        self.outgoing.write(line + "\n")
        self.outgoing.flush()

    def receive(self) -> dict[str, Any] | None:
        """The next message that is no question; None: the process has ended."""
        for line in self.incoming:
            message = understood(line)
            if message["kind"] in KNOWN:
                return message
            if self.answers is None:
                raise InternalError(f"nobody can answer what the process asks: {line.strip()}")
            with deadline.stretch("finding symmetries"):
                answer = self.answers.answer(message)
            self.send(answer)
        return None

    def close(self, patience: float = PATIENCE) -> int:
        """Let it end, or end it, with all that it started; its exit status."""
        with suppress(BrokenPipeError):
            self.outgoing.close()
        until = time.monotonic() + patience
        # SOUND: as long as nobody has taken its status, its number is not given to another process.
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() > until:
                break
            time.sleep(MOMENT)
        deadline.end_group(self.process.pid)
        self.limit.close()
        self.incoming.close()
        return self.process.wait()


def understood(line: str) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        raise Damaged from None
    if not isinstance(message, dict) or "kind" not in message or not line.endswith("\n"):
        raise Damaged
    return message


@dataclass(frozen=True)
class Pending:
    """The next operation of a thread, and what only C programs have."""

    op: Op
    enabled: bool
    choices: int
    pc: int
    entry: int  # of its frames
    spans: tuple[tuple[int, ...], ...]  # space, from, size, writes, decides
    joins: frozenset[Thread]


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
        self.learnt = False
        self.now: dict[Thread, Pending] = {}
        self.launch()

    def launch(self) -> None:
        known = f" learnt={','.join(map(str, self.known))}" if self.known else ""
        self.wire = Wire(self.command, f"mode=serve {self.words}{known}", self.stdout, self.answers)
        self.process = self.wire.process
        self.state("restart")

    def close(self) -> None:
        self.wire.close()

    def request(self, line: str) -> dict[str, Any]:
        try:
            self.wire.send(line)
            message = self.wire.receive()
        except (BrokenPipeError, Damaged):
            message = None
        if message is None and deadline.is_over():
            raise deadline.TimeIsOver(deadline.reason("running the program"))
        if message is None:
            raise InternalError(f"{ENDED} (status {self.process.wait()})")
        return message

    def limits(self) -> None:
        """Ask what speaks against `holds`."""
        message = self.request("limits")
        while message["kind"] == "weak":
            self.weak.append(weak(message))
            message = self.wire.receive() or {"kind": "limits", "reason": ENDED}
        self.reason = self.reason or message["reason"]

    def state(self, line: str) -> list[Found]:
        message = self.request(line)
        self.now = dict(rows(message["pending"]))
        # SOUND: executions in the same process as one before, though they need one of their own, do not count.
        shared = not self.needs_fork and bool(message["needs_fork"])
        self.learnt = self.learnt or bool(message["again"]) or shared
        self.known, self.needs_fork = message["learnt"], self.needs_fork or message["needs_fork"]
        return [found(message)] if "what" in message else []

    # ---------------------------------------------------------------- Program

    def restart(self) -> None:
        learnt, self.learnt = self.learnt, False
        self.state("restart")
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
        return self.state(f"step {thread} {choice}")

    def stuck(self) -> Found | None:
        return next(iter(self.state("stuck")), None)

    def find_renaming(self, first: Thread, second: Thread) -> Renaming | None:
        message = self.request(f"alike {first} {second}")
        self.learnt = self.learnt or bool(message["again"])
        if not message["answer"]:
            return None
        flat, cells = message["threads"], message["cells"]
        threads = dict(zip(flat[::2], flat[1::2], strict=True))
        moves = zip(cells[::3], cells[1::3], cells[2::3], strict=True)
        return _CRenaming(SWAP, threads, {(start, size): (to, size) for start, to, size in moves})

    def what_changes(self, renaming: Renaming) -> str:
        return "this kind of program does not check declared permutations"


class _CRenaming(Renaming):
    """The objects that it moves are cells of memory: address and size."""

    def object(self, name: Hashable) -> Hashable:
        if not isinstance(name, OwnObject) and not isinstance(name, tuple):
            return name
        space, address = _unnamed(name) if isinstance(name, OwnObject) else name
        for cell, image in self.objects.items() if space in (MEMORY, SYNC, OUTSIDE) else ():
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


def rows(numbers: Sequence[int]) -> list[tuple[Thread, Pending]]:
    found, at = [], 0
    while at < len(numbers):
        thread, kind, waits, enabled, choices, joins, pc, entry, count = numbers[at : at + 9]
        at += 9
        spans = tuple(tuple(numbers[at + 5 * i : at + 5 * i + 5]) for i in range(count))
        at += 5 * count
        joined = frozenset(t for t in range(THREADS) if joins >> t & 1)
        op = operation(KINDS[kind], bool(waits), spans, joined)
        found.append((thread, Pending(op, bool(enabled), choices, pc % 2**64, entry % 2**64, spans, joined)))
    return found


def operation(kind: str, waits: bool, spans: Sequence[tuple[int, ...]], joins: frozenset[Thread]) -> Op:
    reads: set[Hashable] = {OwnObject(t, "end") for t in joins}
    writes: set[Hashable] = set()
    guards: set[Hashable] = set(reads)
    for space, start, size, writing, decides in spans:
        names = objects(space, start % 2**64, size)
        (writes if writing else reads).update(names)
        if decides:
            guards.update(names)
    return Op(kind, frozenset(reads), frozenset(writes), waits, frozenset(guards) if guards else None)


def objects(space: int, start: int, size: int) -> list[Hashable]:
    """The bytes of a span, or the one object that it is."""
    if space == ENDS:
        return [OwnObject(start, "end")]
    if space == MEMORY:
        return [named(space, byte) for byte in range(start, start + size)]
    return [named(space, start)]


def named(space: int, address: int) -> Hashable:
    """What is in the memory of a thread moves with it."""
    thread, offset = divmod(address - BASE, SIZE)
    return OwnObject(thread, (space, offset)) if 0 <= thread < THREADS else (space, address)


def _unnamed(name: OwnObject) -> tuple[int, int]:
    """Space and address of what is in the memory of a thread."""
    if not isinstance(name.what, tuple):
        return ENDS, name.thread
    space, offset = name.what
    return space, BASE + name.thread * SIZE + offset


def search(program: CProgram, name: str, asked: SearchRequest) -> SearchResult:
    """One of the searches in Python, from nothing whenever something was learnt."""
    while True:
        try:
            program.restart()
            result = explore(program, name, asked)
        except _Learnt:
            continue
        stopped = bool(result.findings) and not asked.all_errors
        if stopped or result.incomplete or not program.learnt:
            return result
