"""The wire to a C program under control: the process, the two pipes, and messages with types.

`docs/develop/wire.md` describes the protocol.  What comes is taken apart here and nowhere else; a line that is none of
our messages is damage, and nothing that follows it can be trusted.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from ...core import deadline
from ...core.records import dataclass
from ...engines.stateless.protocol import Found, Op, OwnObject, Step, Thread
from .constants import (
    FIRST_NAME,
    MOST_THREADS,
    NAMES_OF_THREAD,
    REGION_BASE,
    REGION_SIZE,
    AccessKind,
    MessageKind,
    OperationKind,
    QuestionKind,
    Space,
)

MOMENT = 0.002  # seconds
PATIENCE = 2.0  # seconds for a process to put back what it changed
WORD = 2**64  # addresses come as signed numbers


class Damaged(Exception):
    """What came is no message of ours: nothing that follows can be trusted."""


# -------------------------------------------------------------------------------------------------- messages


@dataclass(frozen=True)
class CFound(Found):
    """Something wrong, with addresses instead of places."""

    pc: int = 0
    other: int = -1
    other_pc: int = 0
    address: int = 0


class FindingMessage(NamedTuple):
    """Something wrong, and the steps that lead there."""

    found: CFound
    steps: tuple[Step, ...]
    learnt: tuple[int, ...]  # what was visible in that execution; a replay has to be told


class NoteMessage(NamedTuple):
    """A race that is no violation."""

    found: CFound


class ReversedMessage(NamedTuple):
    """Two places whose order was reversed, and how often."""

    pc: int
    does: str
    other_pc: int
    other_does: str
    times: int


class OutcomeMessage(NamedTuple):
    """What the program said that it saw, and in how many executions."""

    text: str
    executions: int


class AgainMessage(NamedTuple):
    """The search starts again: what was counted so far does not count."""


class WondersMessage(NamedTuple):
    """Another search may need few executions.  The process waits: 0, and it goes on; 1, and it ends."""

    why: str  # of constants.Incomplete


class OrderMessage(NamedTuple):
    """An atomic access that was made, and its order."""

    pc: int
    access: AccessKind
    order: int


@dataclass(frozen=True)
class Weak:
    """Two atomic accesses of different threads, not ordered, of which one is weaker than seq_cst."""

    how: int
    other_how: int
    pc: int
    other_pc: int
    calls: tuple[int, ...] = ()  # that led to the first one


@dataclass(frozen=True)
class Stranger:
    """A function of a library that was called beside other threads, and of which nobody knows what it touches."""

    name: str
    pc: int
    calls: tuple[int, ...] = ()


class Visit(NamedTuple):
    """Another thread used a variable of the function that will go on here; 0: of any function."""

    pc: int


class Apart(NamedTuple):
    """What told threads apart that had come to the same place, and how often."""

    why: str
    pc: int
    times: int


class FamiliesMessage(NamedTuple):
    """Where threads have begun: can any two that were started with the same function be exchanged?  Else an
    AlikeMessage for each two of these follows, in order."""

    starts: dict[Thread, int]  # the function
    exchanged: bool


@dataclass(frozen=True)
class CountsMessage:
    """How far an exploration is."""

    executions: int = 0
    blocked: int = 0
    transitions: int = 0
    depth: int = 0
    estimate: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class ResultMessage(CountsMessage):
    """The last message of an exploration."""

    incomplete: str = ""  # of constants.Incomplete, or a text for the user
    reason: str = ""  # why the verdict cannot be `holds`
    reason_pc: int = 0
    needs_fork: str = ""
    rounds: int = 1
    orbit_sum: int = 0  # executions that those stand for, at least
    copies_taken: int = 0  # subtrees that other processes explored
    copies_refused: int = 0  # and those that had to be explored once more
    held: int = 0  # failed rounds of loops, which are waits since then
    symmetry_checks: int = 0
    symmetry_successes: int = 0
    symmetry_skipped: int = 0
    symmetry_covered: int = 0
    symmetry_seconds: float = 0.0


class Span(NamedTuple):
    """Bytes that an operation touches."""

    space: Space
    start: int
    size: int
    writes: bool
    decides: bool


@dataclass(frozen=True)
class Pending:
    """The next operation of a thread, and what only C programs have."""

    op: Op
    enabled: bool
    choices: int
    pc: int
    entry: int  # of its frames
    spans: tuple[Span, ...]
    joins: frozenset[Thread]


class Seen(NamedTuple):
    """What an atomic access did: where, which write it saw and which it made, and which newer ones it did not see.

    Writes have names, SEES_INITIAL is the value that was there first, NO_WRITE is none.
    """

    address: int
    size: int
    life: int  # of the variable: a plain write begins a new one
    order: int
    source: int
    value: int
    name: int
    written: int
    newer: tuple[tuple[int, int], ...]

    @property
    def variable(self) -> tuple[int, int]:
        return self.address, self.life


NO_WRITE = -1


def writer_of(name: int) -> Thread | None:
    """Whose write this is; None: nobody's."""
    return (name - FIRST_NAME) // NAMES_OF_THREAD if name >= FIRST_NAME else None


class StateMessage(NamedTuple):
    """Where the program stands, after a request that moved it."""

    found: CFound | None
    pending: dict[Thread, Pending]
    again: bool  # something was learnt: the search has to begin again
    needs_fork: str
    learnt: list[int]  # what was known before this execution
    outcome: str = ""  # what the program has said that it saw
    seen: Seen | None = None  # by the last step, if its source was chosen
    clock: tuple[int, ...] = ()  # of who made it: his number before it, and then what he knows of each thread


class Difference(NamedTuple):
    """What tells two threads apart."""

    what: str
    rule: int  # the instruction that no renaming keeps, or 0
    carrier: int  # what holds the number (binary/carriers.py), or 0
    one: int
    other: int  # what that number would become
    where: int  # memory that differs, that names one of them, or that may still race; 0: none


class AlikeMessage(NamedTuple):
    """A renaming that takes one thread to another: what moves, and where to."""

    answer: bool
    threads: dict[Thread, Thread]
    cells: dict[Hashable, Hashable]  # from address and size to address and size
    again: bool
    difference: Difference | None = None


class LimitsMessage(NamedTuple):
    """Why the verdict cannot be `holds`, if so."""

    reason: str


class CodeQuestion(NamedTuple):
    """About program points; `base` is where the runtime was loaded, if the addresses are in it, or the library."""

    kind: QuestionKind
    pc: int
    other: int
    begins: bool
    base: int
    library: str = ""  # the file, if the point is in a library


Message = (
    FindingMessage | NoteMessage | OutcomeMessage | AgainMessage | OrderMessage | ReversedMessage | Weak | Stranger
    | Visit | Apart | FamiliesMessage | CountsMessage | WondersMessage | StateMessage | AlikeMessage | LimitsMessage
    | CodeQuestion
)  # fmt: skip


UNKNOWN = "0"


class Answers(Protocol):
    """Who knows what the process asks in the middle of a run: program points, for symmetry (places.py)."""

    def answer(self, question: CodeQuestion) -> str: ...


# -------------------------------------------------------------------------------------------------- from lines


def understood(line: str) -> Message:
    """A line as a message; what is torn or has another form is damaged, never guessed."""
    try:
        said = json.loads(line)
        if not line.endswith("\n"):
            raise Damaged
        return _READERS[said["kind"]](said)
    except (ValueError, KeyError, TypeError, IndexError):
        raise Damaged from None


def _found(said: Mapping[str, Any]) -> CFound:
    """A failure; numbers that C wrote with a sign become addresses again."""
    thread = said["thread"] if said["thread"] >= 0 else None
    return CFound(
        said["what"], said["message"], thread=thread, pc=said["pc"] % WORD, other=said["other"],
        other_pc=said["other_pc"] % WORD, address=said["address"] % WORD,
    )  # fmt: skip


def _finding(said: Mapping[str, Any]) -> FindingMessage:
    """A failure with its schedule, which comes as pairs of numbers."""
    flat = said["steps"]
    steps = tuple(Step(t, c) for t, c in zip(flat[::2], flat[1::2], strict=True))
    return FindingMessage(_found(said), steps, tuple(said.get("learnt", ())))


def _reversed(said: Mapping[str, Any]) -> ReversedMessage:
    kinds = tuple(OperationKind)
    one, other = kinds[said["does"]], kinds[said["other_does"]]
    return ReversedMessage(said["pc"] % WORD, one, said["other_pc"] % WORD, other, int(said["times"]))


def _weak(said: Mapping[str, Any]) -> Weak:
    pc, other_pc, *calls = (number % WORD for number in (said["pc"], said["other_pc"], *said["calls"]))
    return Weak(said["how"], said["other_how"], pc, other_pc, tuple(calls))


def _stranger(said: Mapping[str, Any]) -> Stranger:
    pc, *calls = (number % WORD for number in (said["pc"], *said["calls"]))
    return Stranger(str(said["name"]), pc, tuple(calls))


def _families(said: Mapping[str, Any]) -> FamiliesMessage:
    flat = said["threads"]
    starts = dict(zip(flat[::2], (pc % WORD for pc in flat[1::2]), strict=True))
    return FamiliesMessage(starts, bool(said["exchanged"]))


def _fields(kind: type[CountsMessage], said: Mapping[str, Any]) -> dict[str, Any]:
    """SOUND: each has its type, or the message is none."""
    types: dict[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "float": (int, float)}
    found = {name: said[name] for name in kind.__dataclass_fields__}
    for name, field in kind.__dataclass_fields__.items():
        if not isinstance(found[name], types[str(field.type)]):
            raise TypeError(name)
    return found


def _seen(numbers: Sequence[int]) -> Seen | None:
    """Numbers as history.h gives them."""
    if not numbers:
        return None
    address, size, life, order, source, value, name, written, *rest = numbers
    newer = tuple(zip(rest[::2], rest[1::2], strict=True))
    return Seen(address, size, life, order, source, value, name, written, newer)


def _state(said: Mapping[str, Any]) -> StateMessage:
    found = _found(said) if "what" in said else None
    return StateMessage(found, dict(_rows(said["pending"])), bool(said["again"]), said["needs_fork"], said["learnt"],
                        str(said["outcome"]), _seen(said["seen"]), tuple(said["clock"]))  # fmt: skip


def _alike(said: Mapping[str, Any]) -> AlikeMessage:
    """Lists of numbers back to a renaming: pairs of threads, triples of moved cells."""
    flat, cells = said.get("threads", ()), said.get("cells", ())
    threads = dict(zip(flat[::2], flat[1::2], strict=True))
    moves = zip(cells[::3], cells[1::3], cells[2::3], strict=True)
    return AlikeMessage(
        bool(said["answer"]), threads, {(start, size): (to, size) for start, to, size in moves}, bool(said["again"]),
        None if said["answer"] else _difference(said),
    )  # fmt: skip


NUMBERS_OF_DIFFERENCE = ("rule", "carrier", "one", "other", "where")


def _difference(said: Mapping[str, Any]) -> Difference:
    return Difference(str(said["difference"]), *(int(said[name]) for name in NUMBERS_OF_DIFFERENCE))


def _question(said: Mapping[str, Any]) -> CodeQuestion:
    kind, base = QuestionKind(said["kind"]), int(said["base"])
    library = str(said.get("library", ""))
    return CodeQuestion(kind, int(said["pc"]), int(said["other"]), bool(said["begins"]), base, library)


_READERS: dict[str, Callable[[Mapping[str, Any]], Message]] = {
    MessageKind.FINDING: _finding,
    MessageKind.NOTE: lambda said: NoteMessage(_found(said)),
    MessageKind.OUTCOME: lambda said: OutcomeMessage(str(said["text"]), int(said["executions"])),
    MessageKind.AGAIN: lambda said: AgainMessage(),
    MessageKind.ORDER: lambda said: OrderMessage(said["pc"] % WORD, AccessKind(said["access"]), int(said["order"])),
    MessageKind.REVERSED: _reversed,
    MessageKind.WEAK: _weak,
    MessageKind.STRANGER: _stranger,
    MessageKind.VISIT: lambda said: Visit(said["pc"] % WORD),
    MessageKind.APART: lambda said: Apart(str(said["why"]), said["pc"] % WORD, int(said["times"])),
    MessageKind.FAMILIES: _families,
    MessageKind.PROGRESS: lambda said: CountsMessage(**_fields(CountsMessage, said)),
    MessageKind.WONDERS: lambda said: WondersMessage(str(said["why"])),
    MessageKind.RESULT: lambda said: ResultMessage(**_fields(ResultMessage, said)),
    MessageKind.STATE: _state,
    MessageKind.ALIKE: _alike,
    MessageKind.LIMITS: lambda said: LimitsMessage(said["reason"]),
    **dict.fromkeys(QuestionKind, _question),
}


# -------------------------------------------------------------------------------------------------- operations


def _rows(numbers: Sequence[int]) -> list[tuple[Thread, Pending]]:
    """One row of numbers for each thread (runtime/wire/serve.c)."""
    found, at, kinds = [], 0, tuple(OperationKind)
    while at < len(numbers):
        thread, kind, waits, enabled, choices, joins, pc, entry, count = numbers[at : at + 9]
        at += 9
        spans = tuple(_span(*numbers[at + 5 * i : at + 5 * i + 5]) for i in range(count))
        at += 5 * count
        joined = frozenset(t for t in range(MOST_THREADS) if joins >> t & 1)
        op = _operation(kinds[kind], bool(waits), spans, joined)
        found.append((thread, Pending(op, bool(enabled), choices, pc % WORD, entry % WORD, spans, joined)))
    return found


def _span(space: int, start: int, size: int, writes: int, decides: int) -> Span:
    """A stretch of memory that an operation touches."""
    return Span(Space(space), start % WORD, size, bool(writes), bool(decides))


def _operation(kind: str, waits: bool, spans: Sequence[Span], joins: frozenset[Thread]) -> Op:
    """The operation for the search: spans become objects that it reads, writes, or waits for."""
    reads: set[Hashable] = {OwnObject(t, "end") for t in joins}
    writes: set[Hashable] = set()
    guards: set[Hashable] = set(reads)
    for span in spans:
        names = _objects(span)
        (writes if span.writes else reads).update(names)
        if span.decides:
            guards.update(names)
    return Op(kind, frozenset(reads), frozenset(writes), waits, frozenset(guards) if guards else None)


def _objects(span: Span) -> list[Hashable]:
    """The bytes of a span, or the one object that it is."""
    if span.space == Space.ENDS:
        return [OwnObject(span.start, "end")]
    if span.space == Space.MEMORY:
        return [named(span.space, byte) for byte in range(span.start, span.start + span.size)]
    return [named(span.space, span.start)]


def named(space: Space, address: int) -> Hashable:
    """What is in the memory of a thread moves with it."""
    thread, offset = divmod(address - REGION_BASE, REGION_SIZE)
    return OwnObject(thread, (space, offset)) if 0 <= thread < MOST_THREADS else (space, address)


# -------------------------------------------------------------------------------------------------- the process


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

    def receive(self) -> Message | None:
        """The next message that is no question; None: the process has ended."""
        for line in self.incoming:
            message = understood(line)
            if not isinstance(message, CodeQuestion):
                return message
            with deadline.stretch("looking at the machine code"):
                answer = UNKNOWN if self.answers is None else self.answers.answer(message)
            self.send(answer)
        return None

    def close(self, patience: float = PATIENCE) -> int:
        """Let it end, or end it, with all that it started; its exit status."""
        if self.process.returncode is not None:  # it was closed before
            return self.process.returncode
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
