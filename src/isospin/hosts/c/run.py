"""The exploration of a C program in its own process: start it, listen, answer, and say what came of it."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

from ...core import deadline
from ...core.errors import InternalError
from ...engines.stateless.protocol import Step
from ...engines.stateless.search import ScheduleFinding, SearchProgress, SearchRequest, SearchResult
from .host import Answers, CFound, Damaged, Wire, found
from .weak import Weak, weak

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
    forked: bool = False
    needs_fork: str = ""
    rounds: int = 1  # how often the search began, since something was learnt
    checks: int = 0  # of symmetry: questions whether two threads are alike
    successes: int = 0
    check_seconds: float = 0.0
    skipped: int = 0  # threads that were not explored, since a twin was
    covered: int = 0  # executions that were given up, since they are images of others


def run(
    executable: Path, asked: SearchRequest, arguments: Sequence[str] = (), *, fork: bool = False,
    answers: Answers | None = None, options: Mapping[str, int] | None = None,
) -> CResult:  # fmt: skip
    """Explore in C.  `options` are those of runtime/explore/program.h: note_races, leaks, spurious, time_outs, ..."""
    began = time.monotonic()
    result = Run(executable, asked, arguments, fork, answers, options or {}).result()
    if result.needs_fork and not fork:
        why = result.needs_fork
        result = Run(executable, asked, arguments, True, answers, options or {}).result()
        result.needs_fork = why
    result.seconds = time.monotonic() - began
    return result


def words(asked: SearchRequest, fork: bool, options: Mapping[str, int]) -> str:
    given: dict[str, int | float | None] = {
        "fork": int(fork),
        "symmetry": int(asked.symmetry != "none"),
        "all_errors": int(asked.all_errors),
        "deadlock": int(asked.deadlock),
        "max_depth": asked.max_depth,
        "max_executions": asked.max_executions,
        "max_preemptions": asked.max_preemptions,
        "max_time": asked.max_time if (left := deadline.remaining()) is None else left,
        "progress": asked.progress_interval,
        **options,
    }
    return " ".join(f"{name}={value:.6f}" if isinstance(value, float) else f"{name}={value}"
                    for name, value in given.items() if value is not None)  # fmt: skip


class Run:
    def __init__(
        self, executable: Path, asked: SearchRequest, arguments: Sequence[str], fork: bool, answers: Answers | None,
        options: Mapping[str, int],
    ) -> None:  # fmt: skip
        self.asked, self.fork = asked, fork
        self.seen = CResult(forked=fork)
        self.counts: dict[str, Any] = {}
        self.ended = self.interrupted = False
        self.late = ""
        self.wire = Wire([executable, *arguments], f"mode=explore {words(asked, fork, options)}", answers=answers)

    def result(self) -> CResult:
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
            while not self.ended and (message := self.wire.receive()) is not None:
                self.take_whole(message)

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

    def take_whole(self, message: dict[str, Any]) -> None:
        try:
            self.take(message)
        except (KeyError, TypeError, ValueError):
            raise Damaged from None

    def take(self, message: dict[str, Any]) -> None:
        match message["kind"]:
            case "finding":
                flat = message["steps"]
                steps = tuple(Step(t, c) for t, c in zip(flat[::2], flat[1::2], strict=True))
                self.seen.findings.append(CFinding(found(message), steps, tuple(message.get("learnt", ()))))
            case "note":
                self.seen.notes.append(found(message))
            case "weak":
                self.seen.weak.append(weak(message))
            case "progress":
                self.counts = message
                self.tell_progress(message)
            case "result":
                self.counts = message
                self.ended = all(isinstance(message[name], str) for name in ("incomplete", "reason", "needs_fork"))

    def tell_progress(self, m: Mapping[str, Any]) -> None:
        if self.asked.progress is not None and not self.interrupted:
            self.asked.progress(
                SearchProgress(m["executions"], m["blocked"], m["transitions"], m["seconds"], m["estimate"])
            )

    def conclude(self, status: int) -> None:
        seen, counts = self.seen, self.counts
        for name in ("executions", "blocked", "transitions", "depth", "estimate"):
            setattr(seen, name, counts.get(name, 0))
        seen.rounds = counts.get("rounds", 1)
        seen.needs_fork = counts.get("needs_fork", "")
        seen.checks = counts.get("symmetry_checks", 0)
        seen.successes = counts.get("symmetry_successes", 0)
        seen.check_seconds = counts.get("symmetry_seconds", 0.0)
        seen.skipped = counts.get("symmetry_skipped", 0)
        seen.covered = counts.get("symmetry_covered", 0)
        if self.interrupted:
            seen.incomplete = "interrupted"
        elif self.late:
            seen.incomplete = self.late
        elif self.ended:
            seen.incomplete = self.explained(counts["incomplete"]) or counts["reason"]
        elif seen.findings and not self.asked.all_errors:
            seen.incomplete = ""
        elif deadline.is_over():
            seen.incomplete = deadline.reason()
        else:
            # SOUND: a process that is gone has not explored everything, whatever it said before.
            seen.incomplete = f"the process that runs the program ended unexpectedly ({_described(status)})"

    def explained(self, word: str) -> str:
        asked = self.asked
        return {
            "": "",
            "depth": f"executions longer than {asked.max_depth} steps were cut off (--max-depth)",
            "executions": f"stopped after {self.counts['executions']} executions (--max-executions)",
            "time": deadline.reason() or f"stopped after {asked.max_time or 0:g} seconds (--max-time)",
            "preemptions": f"at most {asked.max_preemptions} preemptions in an execution",
            "interrupted": "interrupted",
            "memory": "the memory is used up",
            "cuts": "an operation waits for too many objects: not all orders were tried",
            "crash": "an execution ended its process in a way that nobody foresaw",
            "fork": "the state of the program cannot be put back in the same process",
        }.get(word, word)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _described(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
