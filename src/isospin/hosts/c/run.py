"""The exploration of a C program in its own process: start it, listen, answer, and say what came of it."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from threading import Timer

from ...core import deadline
from ...core.errors import InternalError
from ...core.records import dataclass
from ...engines.stateless.search import LOST, Done, ScheduleFinding, SearchProgress, SearchRequest, SearchResult
from .constants import Incomplete
from .constants import Tried as Tried  # offered to those who wonder
from .wire import (
    AgainMessage,
    AlikeMessage,
    Answers,
    Apart,
    CFound,
    CountsMessage,
    Damaged,
    FamiliesMessage,
    FindingMessage,
    Message,
    NoteMessage,
    OrderMessage,
    OutcomeMessage,
    ResultMessage,
    ReversedMessage,
    Stranger,
    Visit,
    Weak,
    Wire,
    WondersMessage,
)

Wonders = Callable[[bool], Tried | None]  # did some executions show nothing new? -> what speaks for another search

PATIENCE = 1.0  # seconds between asking a process to stop and ending it


@dataclass(frozen=True)
class CFinding(ScheduleFinding):
    """`learnt`: what was visible in that execution; a replay has to be told."""

    learnt: tuple[int, ...] = ()


@dataclass
class CResult(SearchResult):
    """`needs_fork` says why an execution cannot be put back in the same process; then nothing else counts, unless
    `forked`."""

    notes: list[CFound] = field(default_factory=list)  # races that are no violations
    weak: list[Weak] = field(default_factory=list)  # accesses that may show more than interleavings
    orders: list[OrderMessage] = field(default_factory=list)  # of atomic accesses, if they were asked for
    strangers: list[Stranger] = field(default_factory=list)  # functions of libraries that did what nobody saw
    visits: list[int] = field(default_factory=list)  # where functions go on whose variables others used; 0: any
    apart: list[Apart] = field(default_factory=list)  # what told threads apart that had come to the same place
    families: FamiliesMessage | None = None  # what was seen where threads begin
    pairs: list[AlikeMessage] = field(default_factory=list)  # with that
    memory: str = ""  # the memory model by whose graphs it went; empty: it went by interleavings
    forked: bool = False
    needs_fork: str = ""
    rounds: int = 1  # how often the search began, since something was learnt
    checks: int = 0  # of symmetry: questions whether two threads are alike
    successes: int = 0
    check_seconds: float = 0.0
    skipped: int = 0  # threads that were not explored, since a twin was
    reason_pc: int = 0  # where in the code the reason is why it is incomplete; 0: nowhere in particular
    word: str = ""  # of constants.Incomplete: why it is incomplete, as the runtime says it
    covered: int = 0  # executions that were given up, since they are images of others

    @property
    def leads_nowhere(self) -> bool:
        """It was given up, since most of what it tried had been explored already, or shows the same."""
        return self.word in (Incomplete.BLOCKED, Incomplete.UNREAD)

    @property
    def shows_little(self) -> bool:
        """It was given up, since most executions differ in orders of writes that nobody sees."""
        return self.word == Incomplete.UNREAD

    @property
    def folds(self) -> bool:
        """Threads were left out that are like others."""
        return bool(self.skipped or self.covered)

    @property
    def needs_more(self) -> bool:
        """It was stopped after as many executions as were asked for."""
        return self.word == Incomplete.EXECUTIONS

    @property
    def was_stopped(self) -> bool:
        """By a limit, by the user, or because there is more than interleavings."""
        return self.needs_more or self.was_stopped_for_good

    @property
    def was_stopped_for_good(self) -> bool:
        """The same, and it would be so with more executions, too."""
        return self.word in (Incomplete.TIME, Incomplete.INTERRUPTED, Incomplete.WEAK)


def run(
    executable: Path, asked: SearchRequest, arguments: Sequence[str] = (), *, fork: bool = False,
    answers: Answers | None = None, options: Mapping[str, int | str] | None = None, wonders: Wonders | None = None,
) -> CResult:  # fmt: skip
    """Explore in C.  `options` are those of runtime/explore/program.h: note_races, leaks, spurious, time_outs, ...

    `wonders` is asked once where the option `tries` is given.
    """
    began = time.monotonic()
    given = dict(options or {})

    def explored(asked: SearchRequest, fork: bool) -> CResult:
        return CExploration(executable, asked, arguments, fork, answers, given, wonders).result()

    result = explored(asked, fork)
    if result.incomplete == LOST:  # what was found elsewhere was not believed: one process finds it, too
        result = explored(replace(asked, workers=1), fork)
    if result.needs_fork and not fork and given.pop("memory", "sc") == "sc":  # a process each: by interleavings only
        why = result.needs_fork
        result = explored(asked, True)
        result.needs_fork = why
    result.seconds = time.monotonic() - began
    return result


def words(asked: SearchRequest, fork: bool, options: Mapping[str, int | str]) -> str:
    """What is asked, as the runtime reads it from its environment."""
    given: dict[str, int | float | str | None] = {
        "fork": int(fork),
        "symmetry": int(asked.symmetry != "none"),
        "all_errors": int(asked.all_errors),
        "deadlock": int(asked.deadlock),
        "max_depth": asked.max_depth,
        "max_executions": asked.max_executions,
        "max_preemptions": asked.max_preemptions,
        "max_time": asked.max_time if (left := deadline.remaining()) is None else left,
        "progress": asked.progress_interval,
        "workers": asked.workers if asked.workers > 1 and not fork else None,
        **options,
    }
    return " ".join(f"{name}={value:.6f}" if isinstance(value, float) else f"{name}={value}"
                    for name, value in given.items() if value is not None)  # fmt: skip


class CExploration:
    """One exploration, from the start of the process to its last message."""

    def __init__(
        self, executable: Path, asked: SearchRequest, arguments: Sequence[str], fork: bool, answers: Answers | None,
        options: Mapping[str, int | str], wonders: Wonders | None = None,
    ) -> None:  # fmt: skip
        self.asked, self.fork, self.wonders = asked, fork, wonders
        self.seen = CResult(forked=fork, memory=str(options.get("memory", "")))
        self.counts = CountsMessage()
        self.ended: ResultMessage | None = None
        self.told: set[tuple[str, frozenset[int], str]] = set()
        self.interrupted = False
        self.late = ""
        self.wire = Wire([executable, *arguments], f"mode=explore {words(asked, fork, options)}", answers=answers)

    def result(self) -> CResult:
        """Listen to the end, whatever end that is."""
        before = _children_seconds()
        status = 0
        try:
            self.listen()
        except KeyboardInterrupt:
            self.interrupted = True
            self.interrupt()
        except deadline.TimeIsOver as over:
            self.late = str(over)
            self.interrupt()
        finally:
            status = self.wire.close()
        self.seen.cpu_seconds = _children_seconds() - before
        self.conclude(status)
        return self.seen

    def listen(self) -> None:
        """SOUND: what is damaged ends the record, and one without its last message decides nothing."""
        with suppress(Damaged):
            while self.ended is None and (message := self.wire.receive()) is not None:
                self.take(message)

    def interrupt(self) -> None:
        """Let it say how far it came; but do not wait for long."""
        self.wire.answers = None  # it need not ask any more
        with suppress(ProcessLookupError):
            os.killpg(self.wire.process.pid, signal.SIGTERM)
        end = Timer(PATIENCE, deadline.end_group, (self.wire.process.pid,))
        end.start()
        try:
            with suppress(InternalError, BrokenPipeError):
                self.listen()
        finally:
            end.cancel()
            end.join()

    def take(self, message: Message) -> None:
        """Note what a message says."""
        match message:
            case FindingMessage():
                self.note(message)
            case NoteMessage():
                self.seen.notes.append(message.found)
            case OrderMessage():
                self.seen.orders.append(message)
            case ReversedMessage():
                pair = Done(message.pc, message.does), Done(message.other_pc, message.other_does)
                self.seen.reversals[pair] = self.seen.reversals.get(pair, 0) + message.times
            case OutcomeMessage():
                self.seen.outcomes[message.text] = self.seen.outcomes.get(message.text, 0) + message.executions
            case AgainMessage():
                self.seen.outcomes.clear()
                self.seen.reversals.clear()
            case WondersMessage():
                repeats = message.why == Incomplete.REPEATED
                self.wire.send((self.wonders and self.wonders(repeats)) or "")
            case Weak():
                self.seen.weak.append(message)
            case Stranger():
                self.seen.strangers.append(message)
            case Visit():
                self.seen.visits.append(message.pc)
            case Apart():
                self.seen.apart.append(message)
            case FamiliesMessage():
                self.seen.families = message
            case AlikeMessage():
                self.seen.pairs.append(message)
            case ResultMessage():
                self.counts = self.ended = message
            case CountsMessage():
                self.counts = message
                self.tell_progress(message)
            case _:
                raise Damaged

    def note(self, message: FindingMessage) -> None:
        """Several processes may have found the same."""
        found = message.found
        key = found.kind, frozenset({found.pc, found.other_pc}), "" if found.kind == "race" else found.message
        if key not in self.told and (self.asked.all_errors or not self.told):
            self.told.add(key)
            self.seen.findings.append(CFinding(found, message.steps, message.learnt))

    def tell_progress(self, m: CountsMessage) -> None:
        if self.asked.progress is not None and not self.interrupted:
            self.asked.progress(SearchProgress(m.executions, m.blocked, m.transitions, m.seconds, m.estimate))

    def conclude(self, status: int) -> None:
        """What came of it.  Without the last message it is incomplete."""
        seen, counts, ended = self.seen, self.counts, self.ended or ResultMessage()
        seen.executions, seen.blocked, seen.transitions = counts.executions, counts.blocked, counts.transitions
        seen.depth, seen.estimate = counts.depth, counts.estimate
        seen.rounds, seen.needs_fork = ended.rounds, ended.needs_fork
        seen.orbit_sum = ended.orbit_sum or None
        seen.checks, seen.successes = ended.symmetry_checks, ended.symmetry_successes
        seen.check_seconds = ended.symmetry_seconds
        seen.skipped, seen.covered = ended.symmetry_skipped, ended.symmetry_covered
        seen.left_out, seen.awaited = seen.skipped + seen.covered, ended.held
        if self.interrupted:
            seen.incomplete, seen.word = "interrupted", Incomplete.INTERRUPTED
        elif self.late:
            seen.incomplete = self.late
        elif self.ended is not None:
            seen.word = self.ended.incomplete
            seen.incomplete = self.explained(self.ended.incomplete) or self.ended.reason
            seen.reason_pc = 0 if self.explained(self.ended.incomplete) else self.ended.reason_pc
        elif seen.findings and not self.asked.all_errors:
            seen.incomplete = ""
        elif deadline.is_over():
            seen.incomplete = deadline.reason()
        else:
            # SOUND: a process that is gone has not explored everything, whatever it said before.
            seen.incomplete = f"the process that runs the program ended unexpectedly ({_described(status)})"

    def explained(self, word: str) -> str:
        """The runtime's word for why it is incomplete, in the user's words."""
        asked = self.asked
        texts: dict[str, str] = {
            Incomplete.NOTHING: "",
            Incomplete.DEPTH: f"executions longer than {asked.max_depth} steps were cut off (--max-depth)",
            Incomplete.EXECUTIONS: f"stopped after {self.counts.executions} executions (--max-executions)",
            Incomplete.TIME: deadline.reason() or f"stopped after {asked.max_time or 0:g} seconds (--max-time)",
            Incomplete.PREEMPTIONS: f"at most {asked.max_preemptions} preemptions in an execution",
            Incomplete.INTERRUPTED: "interrupted",
            Incomplete.MEMORY: "the memory is used up",
            Incomplete.CUTS: "an operation waits for too many objects: not all orders were tried",
            Incomplete.CRASH: "an execution ended its process in a way that nobody foresaw",
            Incomplete.WEAK: "the program can do more than what is interleaved",
            Incomplete.LOST: LOST,
            Incomplete.BLOCKED: "most of what was tried led to what had been explored already",
            Incomplete.UNREAD: "most of what was tried differed in orders that nobody sees",
            Incomplete.GIVEN_UP: "some of what was tried was given up",
            Incomplete.REPEATED: "some of what was tried showed nothing new",
            Incomplete.FORK: "the state of the program cannot be put back in the same process",
        }
        return texts.get(word, word)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _described(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
