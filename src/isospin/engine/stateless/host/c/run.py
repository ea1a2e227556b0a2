"""The exploration of a C program in its own process: start it, listen, answer, and say what came of it."""

from __future__ import annotations

import resource
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

from ...protocol import Step
from ...search import Asked, Finding, Progress, Result
from .host import Answers, CFound, Wire, found
from .weak import Weak, weak

PATIENCE = 5.0  # seconds between asking a process to stop and ending it


@dataclass(frozen=True)
class CFinding(Finding):
    """`learnt`: what was visible in that execution; a replay has to be told."""

    learnt: tuple[int, ...] = ()


@dataclass
class CResult(Result):
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
    executable: Path, asked: Asked, arguments: Sequence[str] = (), *, fork: bool = False,
    answers: Answers | None = None, options: Mapping[str, int] | None = None,
) -> CResult:  # fmt: skip
    """Explore in C.  `options` are those of runtime/program.h: note_races, leaks, spurious, time_outs, ..."""
    began = time.monotonic()
    result = Run(executable, asked, arguments, fork, answers, options or {}).result()
    if result.needs_fork and not fork:
        why = result.needs_fork
        result = Run(executable, asked, arguments, True, answers, options or {}).result()
        result.needs_fork = why
    result.seconds = time.monotonic() - began
    return result


def words(asked: Asked, fork: bool, options: Mapping[str, int]) -> str:
    given: dict[str, int | float | None] = {
        "fork": int(fork),
        "symmetry": int(asked.symmetry != "none"),
        "all_errors": int(asked.all_errors),
        "deadlock": int(asked.deadlock),
        "max_depth": asked.max_depth,
        "max_executions": asked.max_executions,
        "max_preemptions": asked.max_preemptions,
        "max_time": asked.max_time,
        "progress": asked.progress_interval,
        **options,
    }
    return " ".join(f"{name}={value:.6f}" if isinstance(value, float) else f"{name}={value}"
                    for name, value in given.items() if value is not None)  # fmt: skip


class Run:
    def __init__(
        self, executable: Path, asked: Asked, arguments: Sequence[str], fork: bool, answers: Answers | None,
        options: Mapping[str, int],
    ) -> None:  # fmt: skip
        self.asked, self.fork = asked, fork
        self.seen = CResult(forked=fork)
        self.counts: dict[str, Any] = {}
        self.ended = self.interrupted = False
        self.wire = Wire([executable, *arguments], f"mode=explore {words(asked, fork, options)}", answers=answers)

    def result(self) -> CResult:
        before = children_seconds()
        try:
            self.listen()
        except KeyboardInterrupt:
            self.interrupted = True
            self.interrupt()
        finally:
            status = self.wire.close()
        self.seen.cpu_seconds = children_seconds() - before
        self.conclude(status)
        return self.seen

    def listen(self) -> None:
        while not self.ended and (message := self.wire.receive()) is not None:
            self.take(message)

    def interrupt(self) -> None:
        """Let it say how far it came; but do not wait for long."""
        self.wire.process.send_signal(signal.SIGTERM)
        end = Timer(PATIENCE, self.wire.process.kill)
        end.start()
        try:
            self.listen()
        finally:
            end.cancel()

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
                self.counts, self.ended = message, True

    def tell_progress(self, m: Mapping[str, Any]) -> None:
        if self.asked.progress is not None and not self.interrupted:
            self.asked.progress(
                Progress(m["executions"], m["blocked"], m["transitions"], m["seconds"], m["estimate"])
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
        elif self.ended:
            seen.incomplete = self.explained(counts["incomplete"]) or counts["reason"]
        elif seen.findings and not self.asked.all_errors:
            seen.incomplete = ""
        else:
            # SOUND: a process that is gone has not explored everything, whatever it said before.
            seen.incomplete = f"the process that runs the program ended unexpectedly ({described(status)})"

    def explained(self, word: str) -> str:
        asked = self.asked
        return {
            "": "",
            "depth": f"executions longer than {asked.max_depth} steps were cut off (--max-depth)",
            "executions": f"stopped after {self.counts['executions']} executions (--max-executions)",
            "time": f"stopped after {asked.max_time:g} seconds (--max-time)" if asked.max_time is not None else "",
            "preemptions": f"at most {asked.max_preemptions} preemptions in an execution",
            "interrupted": "interrupted",
            "memory": "the memory is used up",
            "cuts": "an operation waits for too many objects: not all orders were tried",
            "crash": "an execution ended its process in a way that nobody foresaw",
            "fork": "the state of the program cannot be put back in the same process",
        }.get(word, word)


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def described(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
