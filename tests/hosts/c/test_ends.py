"""C programs that get out of hand: what they do to themselves is seen, time bounds everything, and nothing is left."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from isospin import check
from isospin.core import deadline
from isospin.engines.stateless.search import SearchProgress, SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.constants import Incomplete
from isospin.hosts.c.run import CResult, run
from isospin.hosts.c.wire import CountsMessage, Damaged, Message, ResultMessage, understood
from tests.support import paths

WAYS = paths.PROGRAMS / "c" / "ends" / "ways.c"
ENDLESS = WAYS.parent / "endless.c"
LOCKERS = WAYS.parent.parent / "traces" / "lockers.c"

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@cache
def program() -> Path:
    return build.build([WAYS])


def found(*arguments: str, seconds: float | None = None, **options: Any) -> CResult:
    with deadline.within(seconds):
        result = run(program(), SearchRequest(symmetry="none"), arguments, **options)
    assert running(program().name) == []
    return result


def running(name: str) -> list[str]:
    """Processes of which the command has this in it."""
    every = (Path("/proc") / entry for entry in os.listdir("/proc") if entry.isdigit())
    return [command for path in every if name in (command := command_of(path))]


def command_of(path: Path) -> str:
    try:
        return (path / "cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


# -------------------------------------------------------------------------------------------------- by themselves


@pytest.mark.parametrize("way", ["kills itself", "kills its group", "raises SIGTERM"])
def test_a_program_that_is_ended_by_its_own_signal_crashes(way: str) -> None:
    (finding,) = found(way).findings
    assert finding.found.kind == "crash"
    assert "ends the program" in finding.found.message


@pytest.mark.parametrize("way", ["exits", "writes everywhere"])
def test_what_does_no_harm_holds(way: str) -> None:
    """Our descriptors are not the program's: it cannot write what we take for a record."""
    result = found(way)
    assert (result.incomplete, result.findings) == ("", [])


@pytest.mark.parametrize(
    ("way", "said"),
    [("raises SIGSTOP", "stops itself"), ("kills another", "calls kill"), ("execl", "calls execl"),
     ("system", "calls system"), ("daemon", "calls daemon"), ("closes", "calls closefrom")],
)  # fmt: skip
def test_what_cannot_be_controlled_is_not_done(way: str, said: str) -> None:
    result = found(way)
    assert said in result.incomplete
    assert result.findings == []


# -------------------------------------------------------------------------------------------------- in time


@pytest.mark.parametrize("way", ["stops", "loops", "prints"])
@pytest.mark.parametrize("fork", [False, True])
def test_time_ends_everything(way: str, fork: bool) -> None:
    """One that stopped itself, a loop without a call, and output without end."""
    result = found(way, seconds=0.5, fork=fork)
    assert result.findings == []
    assert result.incomplete == "time limit: 0.5 s (--max-time), while searching"


@cache
def endless_program() -> Path:
    return build.build([ENDLESS])


@pytest.mark.parametrize("way", ["adds", "adds in a callback", "stores", "locks", "looks"])
@pytest.mark.parametrize("memory", ["", "sc", "rc11"])
def test_the_search_itself_looks_at_the_time(way: str, memory: str) -> None:
    """Each step ends, and the execution does not.  The process would be ended much later."""
    options: dict[str, int | str] = {"max_time": "0.05", **({"memory": memory} if memory else {})}
    with deadline.within(60):
        result = run(endless_program(), SearchRequest(symmetry="none"), (way,), options=options)
    assert result.word == Incomplete.TIME
    assert result.transitions > 0


def test_that_threads_were_not_compared_in_time_costs_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    from isospin.pipeline.programs import c

    def late(*_: object) -> None:
        raise deadline.TimeIsOver("time limit: 1 s (--max-time), while comparing threads")

    monkeypatch.setattr(c, "_look_at_threads", late)
    verdict = check(WAYS, arguments=("exits",))
    assert (verdict.outcome.value, verdict.statistics.executions) == ("holds", 1)


def test_threads_that_never_end_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    from isospin.pipeline.programs import c

    monkeypatch.setattr(c, "_look_at_threads", lambda *_: pytest.fail("they would run for long"))
    verdict = check(ENDLESS, arguments=("locks",), max_depth=50, search="optimal")
    assert "were cut off (--max-depth)" in verdict.reason
    assert verdict.statistics.transitions >= 50


def test_a_process_that_is_gone_is_asked_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What random schedules have seen until then is told."""
    from isospin.hosts.c.host import CProgram

    monkeypatch.setattr(CProgram, "limits", lambda *_: pytest.fail("it was asked"))
    verdict = check(ENDLESS, arguments=("locks",), max_depth=50, max_executions=3, search="random")
    assert (verdict.outcome.value, verdict.statistics.blocked) == ("incomplete", 3)


def test_a_program_that_never_answers_is_not_left_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not hear that nobody listens any more: it never comes to its main."""
    from isospin.hosts.c.host import CProgram

    def late(*_: object) -> None:
        raise deadline.TimeIsOver("time limit: 1 s (--max-time), while running the program")

    file = tmp_path / "never.c"
    file.write_text("__attribute__((constructor)) static void loop(void) { for (;;) ; }\nint main(void) {}\n")
    executable = build.build([file])
    monkeypatch.setattr(CProgram, "state", late)
    with pytest.raises(deadline.TimeIsOver):
        CProgram(executable)
    assert running(executable.name) == []


def test_what_was_seen_until_then_is_told() -> None:
    executable = build.build([LOCKERS], ["-DN=9"])
    with deadline.within(0.6):
        result = run(executable, SearchRequest(symmetry="none"))
    assert result.incomplete.startswith("time limit")
    assert 0 < result.executions < 362880


@pytest.mark.parametrize("fork", [False, True])
def test_an_interruption_tells_what_was_seen(fork: bool) -> None:
    def interrupt(now: SearchProgress) -> None:
        if now.executions:
            raise KeyboardInterrupt

    asked = SearchRequest(symmetry="none", progress=interrupt, progress_interval=0.01)
    result = run(build.build([LOCKERS], ["-DN=9"]), asked, fork=fork)
    assert result.incomplete == "interrupted"
    assert result.executions > 0


def test_a_failure_that_cannot_be_run_again_in_time_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from isospin.pipeline.programs.c import CHost

    def late(*_: object) -> None:
        raise deadline.TimeIsOver("time limit: 1 s (--max-time), while running the program")

    monkeypatch.setattr(CHost, "confirm", late)
    verdict = check(WAYS, arguments=("kills itself",), symmetry="none")
    assert verdict.outcome.value == "incomplete"
    assert verdict.reason.endswith("while running the program; crash was found, but not run again to be sure")


@pytest.mark.slow
def test_an_endless_loop_is_found_and_comes_again() -> None:
    """It is interrupted anywhere in the loop, so the place is not the same."""
    for _ in range(3):
        verdict = check(WAYS, arguments=("loops",), symmetry="none", max_step=1.0)
        assert [v.kind for v in verdict.violations] == ["divergence"]


SLOW_COMPILER = """#!/bin/sh
case "$*" in *" -c "*) sleep 1000;; esac
exec gcc "$@"
"""


def test_compiling_is_in_time_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program()  # what is ours is there
    compiler = tmp_path / "slow-gcc"
    compiler.write_text(SLOW_COMPILER)
    compiler.chmod(0o700)
    monkeypatch.setattr(build, "runtime_compiler", lambda users: find_compiler("gcc"))
    verdict = check(WAYS, compiler=str(compiler), max_time=2.0)
    assert verdict.outcome.value == "incomplete"
    assert verdict.reason == "time limit: 2 s (--max-time), while compiling"
    assert running(str(compiler)) == []


# -------------------------------------------------------------------------------------------------- the record


@pytest.mark.parametrize("line", ["x\n", '{"kind": "result"', "[]\n", '{"executions": 1}\n', '{"kind": "result"}'])
def test_a_record_is_whole_or_damaged(line: str) -> None:
    with pytest.raises(Damaged):
        understood(line)


def test_a_process_that_is_killed_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from isospin.hosts.c.run import CExploration

    take = CExploration.take

    def killed(self: CExploration, message: Message) -> None:
        if isinstance(message, CountsMessage) and not isinstance(message, ResultMessage):
            deadline.end_group(self.wire.process.pid)
        take(self, message)

    monkeypatch.setattr(CExploration, "take", killed)
    asked = SearchRequest(symmetry="none", progress=lambda _: None, progress_interval=0.01)
    result = run(build.build([LOCKERS], ["-DN=9"]), asked)
    assert result.incomplete == "the process that runs the program ended unexpectedly (SIGKILL)"


# -------------------------------------------------------------------------------------------------- nowhere to write


def command(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Without `-B`, Python would leave bytecode behind that ends where files may not grow any more."""
    isospin = f"{sys.executable} -B -m isospin"
    return subprocess.run(["/bin/sh", "-c", text.replace("isospin", isospin, 1)], capture_output=True, text=True,
                          env={**os.environ, **environment}, check=False)  # fmt: skip


def test_no_room_for_the_compiler_is_said(tmp_path: Path) -> None:
    done = command(f"ulimit -f 1; isospin check {WAYS}", XDG_CACHE_HOME=str(tmp_path), TMPDIR=str(tmp_path))
    assert done.returncode == 2
    assert "the program cannot be built: " in done.stderr
    assert "ulimit -f" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("isospin-*"))


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_keeps_the_verdict(tmp_path: Path) -> None:
    done = command(f"isospin check {WAYS} --quiet", XDG_CACHE_HOME="/proc/nowhere", TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "safety: holds\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_whoever_is_killed_takes_the_program_along(tmp_path: Path) -> None:
    program()
    for _ in range(10):
        child = subprocess.Popen([sys.executable, "-m", "isospin", "check", str(WAYS), "--", "stops"])
        try:
            child.wait(3)
        except subprocess.TimeoutExpired:
            child.kill()
        assert child.wait() != 0
        for _ in range(50):
            if not running(program().name):
                break
            subprocess.run(["sleep", "0.1"], check=True)
        assert running(program().name) == []


# -------------------------------------------------------------------------------------------------- nobody goes on

LOCKS = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b, never;
#ifdef FLAG
#define LOCK(l) while (!atomic_load(&never)) ;
#elif defined(LOOKS)
#define LOCK(l) do { while (atomic_load(&l)) ; } while (atomic_exchange(&l, 1))
#else
#define LOCK(l) while (atomic_exchange(&l, 1)) ;
#endif
static void *one(void *u) { LOCK(a); LOCK(b); atomic_store(&b, 0); atomic_store(&a, 0); return u; }
static void *two(void *u) {
#ifndef FLAG
    LOCK(b); LOCK(a); atomic_store(&a, 0); atomic_store(&b, 0);
#endif
    return u;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
    pthread_join(s, 0); pthread_join(t, 0);
}"""


@pytest.mark.parametrize("flag", ["OWN", "LOOKS", "FLAG"])
def test_locks_that_nobody_gives_back_are_a_deadlock(tmp_path: Path, flag: str) -> None:
    """Also locks of the program's own, and loops that look for what never comes."""
    file = tmp_path / "locks.c"
    file.write_text(LOCKS)
    (violation,) = check(file, cflags=(f"-D{flag}",), symmetry="none").violations
    assert violation.kind == "deadlock"
    if flag == "OWN":
        assert "one 1 waits for ever for a change of b; two 2 waits for ever for a change of a" in violation.message
