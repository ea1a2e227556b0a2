"""Running a checker: one process, JSON lines, and what becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from ....core import deadline
from ....core.errors import UsageError
from ....core.records import dataclass
from ...contract import Progress, Question
from ..constants import EndReason, Overflow
from . import mpi
from .beside import Beside
from .messages import ClaimRun, Counts, EndMessage, FoundPath, Message, Refused, Saved, Warned, understood

SILENCE = 120.0  # seconds after which a process of an MPI job that says nothing is lost
ENDING = 5.0  # and how long such a job may take to end when all is said
GRACE, SAVING = 2.0, 60.0  # seconds that a checker may take longer than allowed; to save a search as well
_REASONS: dict[str, str] = {
    EndReason.COMPLETE: "",
    EndReason.VIOLATION: "",
    EndReason.STATES: "as many states were stored as allowed (--max-states)",
    EndReason.DEPTH: "the search stopped at the depth that was allowed (--max-depth)",
    EndReason.TIME: "the time is over (--max-time)",
    EndReason.MEMORY: "the memory is used up (--max-memory)",
    EndReason.INTERRUPTED: "interrupted",
}


@dataclass
class CheckerOutcome:
    """What a checker said."""

    paths: list[FoundPath] = field(default_factory=list)
    runs: list[ClaimRun] = field(default_factory=list)
    last: Counts = field(default_factory=Counts)  # of the end, or of the last sign of life
    ended: EndMessage | None = None
    reason: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    compile_seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)
    saved: bool = False  # the last thing was a checkpoint
    level: int | None = None  # of the last checkpoint, which stays, whatever comes then

    @property
    def overflow(self) -> Overflow | None:
        return self.ended.overflow if self.ended is not None and self.ended.end == EndReason.OVERFLOW else None


def _arguments(question: Question, head: str, resume_head: str) -> list[str]:
    """The question as arguments `name=value` of the checker."""
    given = {
        "search": question.search,
        "threads": question.threads,
        "all_errors": int(question.all_errors),
        "deadlock": int(question.deadlock),
        "max_states": question.max_states,
        "max_depth": question.max_depth,
        "max_time": question.max_time,
        "max_memory": question.max_memory,
        "progress": question.progress_interval,
        "seed": question.seed or None,
        "bitstate": question.bitstate,
        "fingerprint": 1 if question.fingerprint else None,
        "checkpoint": question.checkpoint,
        "checkpoint_interval": question.checkpoint_interval if question.checkpoint else None,
        "head": head if question.checkpoint else None,
        "resume": question.resume,
        "resume_head": resume_head if question.resume else None,
        "parent": None if question.mpi else os.getpid(),
        "silence": SILENCE if question.mpi else None,
    }
    return [f"{name}={value}" for name, value in given.items() if value is not None]


def run_checker(
    program: Path, question: Question, begin: float, head: str = "", resume_head: str = "", faster: Beside | None = None
) -> CheckerOutcome:
    """Run a search that began at `begin`, perhaps with other checkers; `head` is for the files that it saves, and
    `resume_head` is what the file that it goes on with begins with.  When a `faster` checker is there, this one ends
    without its last word."""
    outcome = CheckerOutcome()
    command = [*_launcher(question), str(program), *_arguments(question, head, resume_head)]
    grace = SAVING if question.checkpoint else GRACE
    with _InterruptGuard() as asked:
        # A session of its own: Ctrl-C comes to us, and we ask the checker to stop and say what it has.
        streams = _streams(question)
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True, **streams)
        try:
            asked.about(child)
            if faster is not None:
                faster.when_ready(lambda: os.kill(child.pid, signal.SIGKILL))
            with deadline.ending(child, grace):
                for line in _lines(child):
                    if (said := understood(line)) is not None:
                        _hear(said, outcome, question, begin)
                    if question.mpi is not None and outcome.ended is not None:
                        _let_go(child)
                        break
        finally:
            asked.about(None)
            if faster is not None:
                faster.when_ready(None)
            if child.poll() is None:
                child.kill()
            _, status, usage = _reap(child)
            for stream in (child.stdin, child.stdout):
                with suppress(OSError):
                    _ = stream is not None and stream.close()
    outcome.seconds = time.perf_counter() - begin
    outcome.cpu_seconds = usage
    if outcome.ended is not None:
        why = outcome.ended.end
        outcome.reason = (why == EndReason.TIME and deadline.reason()) or _REASONS.get(why, why)
    else:
        late = deadline.reason() if deadline.is_over() else ""
        outcome.reason = "interrupted" if asked.times else late or _died(status, question)
        assert outcome.reason  # SOUND: who did not come to the end has not seen everything
    if outcome.reason and outcome.overflow is None:
        outcome.reason += _way_on(outcome, question)
    return outcome


def _launcher(question: Question) -> list[str]:
    """What stands before the program: nothing, or what starts the ranks of an MPI job."""
    return [] if question.mpi is None else mpi.find().command(question.mpi, question.hostfile)


def _streams(question: Question) -> dict[str, Any]:
    """An MPI job is told by its standard input to stop: signals would end whatever started it.  What the launcher says
    besides is about processes of ours, and not for the user."""
    return {} if question.mpi is None else {"stdin": subprocess.PIPE, "stderr": subprocess.DEVNULL}


def _way_on(outcome: CheckerOutcome, question: Question) -> str:
    """What was saved stays, whatever ended the search: the last thing that one process did, or an earlier level."""
    if outcome.saved and question.mpi is None:
        return f"; --resume {question.checkpoint} goes on"
    if outcome.level is not None:
        return f"; --resume {question.checkpoint} goes on from level {outcome.level}"
    again = question.resume is not None and question.mpi is not None
    return f"; --resume {question.resume} goes on from where it was" if again else ""


def _let_go(child: subprocess.Popen[str]) -> None:
    """All is said; a launcher that waits for a lost host would wait for ever."""
    with suppress(subprocess.TimeoutExpired):
        child.wait(ENDING)


def _reap(child: subprocess.Popen[str]) -> tuple[int, int, float]:
    """Wait for the end; the CPU time is that of this one child."""
    if child.returncode is not None:
        return child.pid, child.returncode, 0.0
    try:
        pid, status, usage = os.wait4(child.pid, 0)
    except ChildProcessError:
        return child.pid, child.wait(), 0.0
    child.returncode = os.waitstatus_to_exitcode(status)
    return pid, child.returncode, usage.ru_utime + usage.ru_stime


def _died(status: int, question: Question) -> str:
    """Why a checker is gone that did not say its last word."""
    if question.mpi is not None:
        return f"the MPI job ended early (status {status}): a rank was killed, a host is lost, or a launcher failed"
    if status == -signal.SIGKILL:
        return "the checker was killed (by the user, or by the system because memory ran out)"
    if status < 0:
        with suppress(ValueError):
            return f"the checker was ended by {signal.Signals(-status).name}"
    return f"the checker ended early (status {status})"


class _InterruptGuard:
    """While a checker runs, the first Ctrl-C (or other signal that would interrupt us) asks it to stop; the second one
    ends it.

    SOUND: nothing is raised in the middle of what the checker says, so nothing of that is lost.
    """

    def __init__(self) -> None:
        self.times = 0
        self.child: subprocess.Popen[str] | None = None
        self.before: dict[int, Any] = {}

    def __enter__(self) -> _InterruptGuard:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with suppress(ValueError):  # not in the main thread
                if signal.getsignal(number) is signal.default_int_handler:
                    self.before[number] = signal.signal(number, self.hear)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def hear(self, *_: object) -> None:
        """Ctrl-C: the first one asks the checker to stop, the second one ends it."""
        self.times += 1
        self.tell()

    def about(self, child: subprocess.Popen[str] | None) -> None:
        """From now on this is the checker that Ctrl-C is passed on to."""
        self.child = child
        if child is not None and child.stdin is not None:
            _say(child, "here")  # from now on, the end of its input is our end
        self.tell()

    def tell(self) -> None:
        if self.child is None or not self.times:
            return
        if self.times == 1 and self.child.stdin is not None:
            _say(self.child, "stop")
        else:
            self.child.send_signal(signal.SIGTERM if self.times == 1 else signal.SIGKILL)


def _say(child: subprocess.Popen[str], word: str) -> None:
    """A word for the first rank of an MPI job."""
    assert child.stdin is not None
    with suppress(OSError):  # it is gone
        child.stdin.write(f"{word}\n")
        child.stdin.flush()


def _lines(child: subprocess.Popen[str]) -> Iterator[str]:
    """Whole lines of the checker; the last one may be cut off if it died."""
    assert child.stdout is not None
    for line in child.stdout:
        # else it was cut off when the checker died, or a launcher said it
        if line.endswith("\n") and line.startswith("{"):
            yield line


def _hear(said: Message, outcome: CheckerOutcome, question: Question, begin: float) -> None:
    """Add a message to what is known of the run."""
    match said:
        case FoundPath():
            outcome.paths.append(said)
        case ClaimRun():
            outcome.runs.append(said)
        case Refused(why):
            raise UsageError(f"--resume {question.resume}: {why}")
        case Warned(text):
            outcome.warnings.append(text)
            outcome.saved = False
        case Saved(depth):
            outcome.saved, outcome.level = True, depth
        case EndMessage():
            outcome.last = outcome.ended = said
        case Counts():
            outcome.last, outcome.saved = said, False
            if question.progress is not None:
                seconds = time.perf_counter() - begin
                counts = (said.states, said.transitions, said.depth, said.queue)
                question.progress(Progress(*counts, seconds, said.memory))
