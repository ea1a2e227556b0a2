"""The explicit engine against the reference semantics: same states, transitions, findings and executed actions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from isospin.core import deadline
from isospin.core.model import Model
from isospin.engines import explicit
from isospin.engines.contract import Exploration, Progress, Question
from isospin.engines.explicit import NoCompiler, explore
from isospin.engines.explicit.drive.build import RUNTIME, SOURCES, compiler, includes
from isospin.engines.explicit.drive.replay import take
from isospin.front.promela.load import load, load_text
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import State
from tests.support import paths
from tests.support.generators.random_promela import generate

CORPUS = sorted((paths.CORPUS / "promela").glob("*.pml"))
SEARCHES = [("bfs", 1), ("dfs", 1), ("bfs", 2)]

PETERSON = """
byte flag[5]; pid turn[4]; byte inside;
active [4] proctype user() {
    byte k;
    do
    :: k = 1;
       do
       :: k < 4 ->
          flag[_pid] = k; turn[k] = _pid;
          (turn[k] != _pid) || (((_pid == 0) || flag[0] < k) && ((_pid == 1) || flag[1] < k)
              && ((_pid == 2) || flag[2] < k) && ((_pid == 3) || flag[3] < k));
          k++
       :: else -> break
       od;
       inside++; assert(inside == 1); inside--; flag[_pid] = 0
    od
}
"""


@dataclass
class Seen:
    states: int
    transitions: int
    findings: set[tuple[str, str]]
    executed: set[int]


def by_interpreter(model: Model, limit: int = 20_000) -> Seen | None:
    """A breadth-first search over the reference semantics; None if there is too much."""
    interpreter = Interpreter(model)
    seen, todo, result = set[State](), list[State](), Seen(0, 0, set(), set())
    for state in interpreter.initial_states():
        result.transitions += 1
        seen.add(interpreter.identity(state))
        todo.append(state)
    while todo:
        state, moved = todo.pop(), False
        for move in interpreter.moves(state):
            moved = True
            for step in move.steps:
                result.executed |= {a.id for a in (step.action, step.partner_action) if a is not None}
                result.findings |= {(f.kind, str(f.location)) for f in step.faults}
            if move.state is None:
                continue
            result.transitions += 1
            if interpreter.identity(move.state) not in seen:
                seen.add(interpreter.identity(move.state))
                todo.append(move.state)
        if not moved and (stuck := interpreter.stuck(state)) is not None:
            result.findings.add((stuck.kind, str(stuck.location)))
        if len(seen) > limit:
            return None
    result.states = len(seen)
    return result


def quick(model: Model, flags: tuple[str, ...] = (), **options: object) -> Exploration:
    return explore(model, Question(all_errors=True, **options), "-O0", flags)  # type: ignore[arg-type]


def assert_same(model: Model, searches: list[tuple[str, int]], name: str, flags: tuple[str, ...] = ()) -> None:
    expected = by_interpreter(model)
    if expected is None:
        return
    for search, threads in searches:
        found = quick(model, flags, search=search, threads=threads)
        assert not found.incomplete, (name, search, threads)
        assert (found.states, found.transitions) == (expected.states, expected.transitions), (name, search, threads)
        assert {(f.kind, str(f.location)) for f in found.findings} == expected.findings, (name, search, threads)
        assert expected.executed <= found.executed, (name, search, threads)


def run_path(model: Model, found: Exploration) -> None:
    interpreter = Interpreter(model)
    for finding in found.findings:
        state, control = next(interpreter.initial_states()), None
        for number, choice in enumerate(finding.path, 1):
            taken = take(interpreter, state, control, choice, number)
            if number == len(finding.path):
                break
            assert taken.state is not None
            state, control = taken.state, taken.control


# ------------------------------------------------------------------------------------------------ same as reference


@pytest.mark.parametrize("path", CORPUS[::10], ids=lambda p: p.stem)
def test_corpus(path: Path) -> None:
    assert_same(load(path), SEARCHES, path.stem)


@pytest.mark.slow
@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_whole_corpus(path: Path) -> None:
    assert_same(load(path), SEARCHES, path.stem)


@pytest.mark.parametrize("seed", range(8))
def test_random_models(seed: int) -> None:
    assert_same(load_text(generate(seed), f"random{seed}"), SEARCHES[:2], f"seed {seed}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8, 200))
def test_more_random_models(seed: int) -> None:
    assert_same(load_text(generate(seed), f"random{seed}"), SEARCHES, f"seed {seed}")


def test_peterson_counts_for_all_searches_and_threads() -> None:
    model = load_text(PETERSON, "peterson")
    found = [explore(model, Question(search=s, threads=t)) for s, t in SEARCHES]
    assert len({(x.states, x.transitions) for x in found}) == 1
    assert found[0].states > 50_000  # large enough for tables that grow and levels with several chunks
    assert not any(x.findings or x.incomplete for x in found)


# ------------------------------------------------------------------------------------------------ findings


def test_the_path_is_shortest_and_replays() -> None:
    model = load_text("byte x; active proctype p() { do :: x = 1 - x :: x++ ; assert(x < 4) od }", "m")
    found = explore(model, Question())
    assert [f.kind for f in found.findings] == ["assertion"]
    assert len(found.findings[0].path) == 7  # x = 1 - x, then three times x++ and the assertion
    run_path(model, found)


@pytest.mark.parametrize(("search", "threads"), SEARCHES)
def test_every_path_replays(search: str, threads: int) -> None:
    source = """
    chan c = [0] of { byte }; chan d = [2] of { byte, short }; byte x[3]; mtype = { a, b };
    active proctype p() { byte i; do :: c!i; i = (i + 1) % 4 :: atomic { i = 3; d!i, -5; i = 2 } :: x[i] = 1 - x[i] od }
    active proctype q() { byte i; short s; do :: c?i :: d?i, s -> assert(i + s > 0) :: d?3, s -> x[0] = 6 / x[2] od }
    """
    model = load_text(source, "m")
    found = quick(model, search=search, threads=threads)
    assert {f.kind for f in found.findings} == {"out-of-range", "assertion", "division-by-zero"}
    assert_same(model, [(search, threads)], "paths")
    run_path(model, found)


def test_layouts_that_turn_out_too_small_grow() -> None:
    source = """
    int big; byte n;
    proctype child(int depth) { if :: depth > 0 -> run child(depth - 1) :: else fi }
    active proctype p() { do :: n < 40 -> n++; big = big - 7001 :: else -> break od; run child(9) }
    """
    assert_same(load_text(source, "m"), SEARCHES, "growing")


def test_too_many_processes_is_a_finding() -> None:
    found = quick(load_text("active proctype p() { do :: run p() od }", "m"), max_states=3000)
    assert found.incomplete or {f.kind for f in found.findings} == {"too-many-processes"}


# ------------------------------------------------------------------------------------------------ limits and accidents


@pytest.mark.parametrize("search", ["bfs", "dfs"])
def test_limits(search: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_text(PETERSON, "peterson")
    monkeypatch.setattr(explicit, "LEAST", 0.0)
    monkeypatch.setattr(explicit, "remaining", lambda: 0.0 if deadline.remaining() is not None else None)
    limits = {
        "states": Question(search=search, max_states=5000),
        "depth": Question(search=search, max_depth=8),
        "time": Question(search=search, max_time=1000.0),
        "memory": Question(search=search, max_memory=600_000),
    }
    for word, question in limits.items():
        found = explore(model, question)
        assert word in found.incomplete, (word, found.incomplete)
        assert 0 < found.states < 70_000


def endless() -> Model:
    return load_text("int a; active [3] proctype p() { int i; do :: i = i + _pid + 1 :: a = a + i od }", "m")


def test_progress_and_a_killed_checker() -> None:
    """The counts so far are reported, and that the checker was killed."""
    calls: list[Progress] = []

    def see(progress: Progress) -> None:
        calls.append(progress)
        for child in children():
            os.kill(child, signal.SIGKILL)

    found = explore(endless(), Question(progress=see, progress_interval=0.1, max_time=60.0))
    assert "killed" in found.incomplete
    assert found.states == calls[-1].states > 0


def children() -> list[int]:
    """Our checkers, by the children of this process."""
    own = Path(f"/proc/{os.getpid()}/task")
    if not own.exists():
        pytest.skip("needs /proc")
    found: list[int] = []
    for task in own.iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
            found += map(int, (task / "children").read_text().split())
    return found


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
def test_interrupt_gives_the_counts_so_far(number: signal.Signals) -> None:
    sent: list[int] = []
    before = set(children())  # of other tests in this process

    def interrupt(progress: Progress) -> None:
        if progress.states > 1000 and not sent:
            sent.append(progress.states)
            os.kill(os.getpid(), number)

    found = explore(endless(), Question(progress=interrupt, progress_interval=0.01))
    assert found.incomplete == "interrupted"
    assert found.states > 1000
    assert set(children()) <= before


def test_no_orphan_when_python_dies(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "from tests.engines.explicit.test_search import endless\n"
        "from isospin.engines.contract import Question\nfrom isospin.engines.explicit import explore\n"
        "say = lambda p: print('on', flush=True)\n"
        "explore(endless(), Question(progress=say, progress_interval=0.05, max_time=60.0))\n"
    )
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, cwd=paths.ROOT,
        env={**os.environ, "PYTHONPATH": "."},
    )  # fmt: skip
    assert parent.stdout is not None
    parent.stdout.readline()
    listing = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    if not listing.exists():
        parent.kill()
        pytest.skip("needs /proc")
    orphans = [int(c) for c in listing.read_text().split()]
    assert orphans
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 5
    while any(running(c) for c in orphans) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(running(c) for c in orphans)


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] not in "ZX"
    except OSError:
        return False


def test_no_compiler_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(NoCompiler, match="no-such-compiler"):
        explore(endless(), Question(max_states=10))


# ------------------------------------------------------------------------------------------------ the table


def test_a_wrong_table_is_noticed() -> None:
    """A table that compares fewer bits loses states: the comparison above would see it."""
    model = load_text(PETERSON, "peterson")
    right = explore(model, Question())
    wrong = explore(model, Question(), flags=("-DISOSPIN_FAULT_TABLE",))
    assert wrong.states < right.states


@pytest.mark.parametrize(("search", "threads"), SEARCHES)
def test_a_tag_of_zero_is_no_empty_slot(search: str, threads: int) -> None:
    """States too wide for quotients at first: a hash whose tag is zero must not be taken for an empty slot."""
    source = """
    int a, b, c;
    active proctype p() { byte i; do :: i < 12 -> a = a * 31 + 1000003; i++ :: else -> break od }
    active proctype q() { byte i; do :: i < 12 -> b = b * 31 + 1000033; i++ :: else -> break od }
    active proctype r() { byte i; do :: i < 12 -> c = c * 31 + 1000037; i++ :: else -> break od }
    """
    model = load_text(source, "wide")
    expected = explore(model, Question(fingerprint=True))
    found = explore(model, Question(search=search, threads=threads), flags=("-DISOSPIN_EQUAL_TAGS",))
    assert expected.states > 2000
    assert (found.states, found.transitions) == (expected.states, expected.transitions)


def test_the_runtime_compiles_without_warnings(tmp_path: Path) -> None:
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-c"]
    kinds = (("-DTREE=1",), ("-DCLAIMED=1",), ("-DCLAIMED=1", "-DFAIR=1"), ("-DCLAIMED=1", "-DSEVERAL=1"))
    claims = [("search/lint.c", *defined) for defined in kinds]
    for source, *defined in (*((s,) for s in SOURCES), ("search/lint.c",), *claims):
        files = [*includes(tmp_path), str(RUNTIME / source), "-o", str(tmp_path / "out.o")]
        command = [*compiler(), *flags, *defined, *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
