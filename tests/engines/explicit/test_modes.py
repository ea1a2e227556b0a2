"""Modes of the explicit engine: inexact tables, searches that are saved and go on, limits over restarts, no disk."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from isospin import cli, pipeline
from isospin.core.errors import UsageError
from isospin.core.model import Model
from isospin.core.verdict import Outcome
from isospin.engines import explicit
from isospin.engines.contract import Exploration, Progress, Question
from isospin.engines.explicit import explore
from isospin.engines.explicit.codegen.render import CHUNK_BYTES
from isospin.engines.explicit.drive import build, program, saved
from isospin.engines.explicit.state import layout
from isospin.front.promela.load import load, load_text
from tests.engines.explicit.test_search import PETERSON, children, endless, run_path
from tests.support import paths

CORPUS = paths.CORPUS / "promela"
FAULTY = {
    "assert": "byte x; active [2] proctype p() { byte t; t = x; x = t + 1; t = 0; assert(x != 1 || _pid == 0) }",
    "deadlock": "chan a = [0] of { byte }; active proctype p() { byte i; do :: i < 200 -> i++ :: a?i od; }"
    "active proctype q() { byte k; do :: k < 90 -> k++ :: k == 90 -> break od; a!1; a!7; (k == 1) }",
    "atomic": "byte n; active [3] proctype p() { byte i; do :: atomic { i < 9 -> i++; n++; assert(n < 25) } od }",
    "wide": "int a[30]; active [2] proctype p() { byte i; do :: i < 14 -> i++; a[i] = a[i - 1] + _pid + 900 "
    ":: i == 14 -> break od; assert(a[14] != a[7] + 6300 || _pid == 1) }",
}
INEXACT: list[dict[str, Any]] = [
    {"bitstate": 1 << 20},
    {"bitstate": 1 << 20, "search": "dfs"},
    {"fingerprint": True},
    {"fingerprint": True, "search": "dfs"},
    {"fingerprint": True, "threads": 2},
]
# States of many words with atomic sequences, found errors on the way, and levels of several chunks.
LONG = """
int a[12]; byte n; chan c = [1] of { byte, int };
active [2] proctype p() {
    byte i, k; int v;
    do
    :: atomic { i < 5 -> i++; a[i] = a[i] + _pid + 1; if :: k = 1 :: k = 2 fi }
    :: nfull(c) && i < 3 -> c!i, a[i] * 1000
    :: c?k, v -> assert(v != 2000); k = 0
    :: i == 5 -> a[9] = a[5] + k; assert(a[9] != 5); i = 0; break
    od
}
"""


@pytest.fixture(scope="module")
def peterson() -> tuple[Model, Exploration]:
    model = load_text(PETERSON, "peterson")
    return model, explore(model, Question())


@pytest.fixture(scope="module")
def long() -> tuple[Model, Exploration]:
    model = load_text(LONG, "long")
    whole = explore(model, Question(all_errors=True))
    assert whole.states > 10_000
    assert whole.findings
    return model, whole


def what(found: Exploration) -> tuple[Any, ...]:
    return found.states, found.transitions, found.depth, found.findings, found.executed, found.incomplete


WIDE = """
int a[8]; int b[8];
active proctype p() {
    byte i; do :: i < 5 -> i++; a[i] = a[i - 1] * 31 + 1000003 :: a[i] = 7 - a[i] :: i == 5 -> break od
}
active proctype q() {
    byte i; do :: i < 5 -> i++; b[i] = b[i - 1] * 31 + 1000033 :: b[i] = 9 - b[i] :: i == 5 -> break od
}
"""


def test_wide_states_are_compressed() -> None:
    """Two threads keep whole states: the same search, and more than twice the memory."""
    model = load_text(WIDE, "wide")
    pairs, whole = (explore(model, Question(threads=n), "-O0") for n in (1, 2))
    assert pairs.states > 20_000
    assert (pairs.states, pairs.transitions, pairs.depth) == (whole.states, whole.transitions, whole.depth)
    assert pairs.bytes_per_state is not None
    assert whole.bytes_per_state is not None
    assert 2 * pairs.bytes_per_state < whole.bytes_per_state
    cut = explore(model, Question(max_memory=1 << 20), "-O0")
    assert "--max-memory" in cut.incomplete


@pytest.mark.parametrize("bits", [64, 24, 8])
def test_codes_that_become_crowded(bits: int, long: tuple[Model, Exploration]) -> None:
    """The fewer bits a code has, the more often the table is filled again, and the deeper the tree becomes."""
    model, whole = long
    found = explore(model, Question(all_errors=True), "-O0", flags=(f"-DISOSPIN_CODE_BITS={bits}",))
    assert what(found) == what(whole)
    cut = explore(model, Question(max_memory=1 << 20), "-O0", flags=(f"-DISOSPIN_CODE_BITS={bits}",))
    assert "--max-memory" in cut.incomplete or cut.findings


COMPRESSED = sorted(CORPUS.glob("*.pml"))[7::60]


@pytest.mark.parametrize("path", COMPRESSED, ids=lambda p: p.stem)
def test_all_states_compressed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done to wide states, done to all of them, changes nothing."""
    model = load(path)
    question = Question(all_errors=True, max_states=20_000)
    plain = explore(model, question, "-O0")
    monkeypatch.setattr(layout, "WIDE", 0)
    for bits in (64, 6):
        found = explore(model, question, "-O0", flags=(f"-DISOSPIN_CODE_BITS={bits}",))
        assert what(found) == what(plain)


HEAPS = sorted((paths.CORPUS / "heap").glob("*.pml"))[::12]


@pytest.mark.parametrize("text", [PETERSON, *(path.read_text() for path in HEAPS)])
def test_folded_states_are_compressed_too(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates of the runtime for folding and for compressing stand in one file then."""
    options = pipeline.options(engine="explicit", por="static")
    plain = pipeline.check(pipeline.load(text), options)
    monkeypatch.setattr(layout, "WIDE", 0)
    found = pipeline.check(pipeline.load(text), options)
    assert text is not PETERSON or int(plain.symmetry.group_order) > 1
    assert (found.outcome, found.states, found.orbit_sum) == (plain.outcome, plain.states, plain.orbit_sum)


WAITING = """
int a[11]; byte done;
active proctype p() {
    byte i; do :: i < 11 -> i = i + 1; if :: a[i - 1] = 70001 + i :: skip fi :: i == 11 -> break od; done++
}
active proctype q() { byte j; do :: j < 12 -> j = j + 1 od }
active proctype r() { (done == 1 && a[0] == 70002 && a[7] == 0 && a[10] == 70012); assert(false) }
"""


def test_states_wait_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With less memory than the search takes: the same counts, the same counterexamples.  Without a place for files
    the memory is used up, and what was covered is told."""
    model = load_text(WAITING, "waiting")
    whole = explore(model, Question(all_errors=True), "-O0")
    limited = Question(all_errors=True, max_memory=6_000 << 10)
    assert whole.memory_bytes > 6_000 << 10
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    found = explore(model, limited, "-O0")
    assert what(found) == what(whole)
    assert len(found.findings) == 2
    assert found.memory_bytes <= 6_000 << 10
    assert any("temporary file" in note for note in found.notes)
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    cut = explore(model, limited, "-O0")
    assert "--max-memory" in cut.incomplete
    assert 0 < cut.states < whole.states
    assert any("stay in memory" in note and "No such file" in note for note in cut.notes)


@contextmanager
def small_files(most: int) -> Iterator[None]:
    """Files of ours, and of what we start, cannot become larger: as on a disk that is full, without being root."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("chunks", [0, 1, 5.5, 20])
def test_the_disk_is_full_while_states_go_there(chunks: float, long_wait: tuple[Model, Exploration]) -> None:
    """What was written is read again, the rest stays in memory until that is used up; the counts so far are told."""
    model, whole = long_wait
    with small_files(int(chunks * CHUNK_BYTES)):
        cut = explore(model, Question(all_errors=True, max_memory=6_000 << 10), "-O0")
    assert cut.incomplete == "the memory is used up (--max-memory)"
    assert 0 < cut.states < whole.states
    assert any("cannot be written to a temporary file: File too large" in note for note in cut.notes)
    assert {f.location for f in cut.findings} <= {f.location for f in whole.findings}


@pytest.fixture(scope="module")
def long_wait() -> tuple[Model, Exploration]:
    """With the checker compiled, which needs large files."""
    model = load_text(WAITING, "waiting")
    return model, explore(model, Question(all_errors=True), "-O0")


def test_threads_that_are_not_used_are_said() -> None:
    text = "byte x; active proctype p() { x = 1 } ltl p { <> (x == 1) }"
    found = explore(load_text(text, "m"), Question(search="dfs", threads=2), "-O0")
    assert "--threads: a depth-first search runs with one thread" in found.notes
    for fair in (False, True):
        verdict = pipeline.check(load_text(text, "m"), pipeline.options(threads=2, fair=fair))
        said = [w.message for w in verdict.warnings if "--threads" in w.message]
        assert said == fair * ["--threads: fair runs are searched for by one thread"]


# ------------------------------------------------------------------------------------------------ inexact tables


@pytest.mark.parametrize("name", FAULTY)
@pytest.mark.parametrize("mode", INEXACT, ids=str)
def test_inexact_searches_find_violations(name: str, mode: dict[str, Any]) -> None:
    model = load_text(FAULTY[name], name)
    exact = explore(model, Question(search=mode.get("search", "bfs")), "-O0")
    found = explore(model, Question(**mode), "-O0")
    assert exact.findings
    if "threads" not in mode and "search" not in mode:  # what a depth-first search takes together depends on the table
        assert [(f.kind, f.path) for f in found.findings] == [(f.kind, f.path) for f in exact.findings]
    assert {f.kind for f in found.findings} == {f.kind for f in exact.findings}
    run_path(model, found)


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.pml"))[5::40], ids=lambda p: p.stem)
@pytest.mark.parametrize("mode", INEXACT[::2], ids=str)
def test_inexact_searches_on_the_corpus(path: Path, mode: dict[str, Any]) -> None:
    model = load(path)
    exact = explore(model, Question(all_errors=True, max_states=20_000), "-O0")
    found = explore(model, Question(all_errors=True, max_states=20_000, **mode), "-O0")
    assert {(f.kind, f.location) for f in found.findings} <= {(f.kind, f.location) for f in exact.findings}
    assert found.states <= exact.states
    assert found.incomplete


@pytest.mark.parametrize("mode", INEXACT, ids=str)
def test_inexact_searches_never_say_holds(peterson: tuple[Model, Exploration], mode: dict[str, Any]) -> None:
    model, exact = peterson
    verdict = pipeline.check(model, pipeline.Options(optimise="none", symmetry="none", por="off", **mode))
    kind = "bitstate" if "bitstate" in mode else "fingerprint"
    assert verdict.outcome is Outcome.INCOMPLETE
    assert verdict.mode == kind
    assert f"{kind} search: states may have been omitted" in verdict.reason
    assert not verdict.unreached
    chance = verdict.statistics.omission_probability
    assert chance is not None
    assert 0 < chance < 1e-3
    assert 0.99 * exact.states <= verdict.states <= exact.states


def test_a_small_array_omits_states_and_says_how_likely(peterson: tuple[Model, Exploration]) -> None:
    model, exact = peterson
    found = explore(model, Question(bitstate=20_000))  # 16384: a fifth of what would be needed
    assert found.states < 0.9 * exact.states
    assert found.omission_probability is not None
    assert found.omission_probability > 0.3
    assert "omitted" in found.incomplete


def test_a_fault_in_an_initial_value_comes_before_the_start() -> None:
    model = load_text("int z; int x = 1 / z; active proctype p() { skip }", "m")
    verdict = pipeline.check(model, pipeline.Options(engine="explicit"))
    assert [v.kind for v in verdict.violations] == ["division-by-zero"]


# ------------------------------------------------------------------------------------------------ checkpoints


@pytest.mark.parametrize(
    "limit",
    [
        *({"max_states": n} for n in (1, 700, 20_000, 43_210)),
        *({"max_memory": n} for n in (400_000, 700_000, 1_000_000)),
        {"max_depth": 1},
        {"max_depth": 40},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["peterson", "long"])
def test_a_search_goes_on_where_it_stopped(
    request: pytest.FixtureRequest, tmp_path: Path, name: str, limit: dict[str, Any]
) -> None:
    model, whole = request.getfixturevalue(name)
    file, errors = str(tmp_path / "saved"), name == "long"
    first = explore(model, Question(checkpoint=file, all_errors=errors, **limit))
    if name == "long" and limit == {"max_depth": 40}:
        assert not first.incomplete
        return
    assert f"--resume {file} goes on" in first.incomplete
    assert what(explore(model, Question(resume=file, all_errors=errors))) == what(whole)
    assert os.listdir(tmp_path) == ["saved"]


def test_a_search_goes_on_after_its_time(
    tmp_path: Path, peterson: tuple[Model, Exploration], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, whole = peterson
    file = str(tmp_path / "saved")
    monkeypatch.setattr(explicit, "LEAST", 0.0)
    monkeypatch.setattr(explicit, "remaining", lambda: 1e-3)  # that is what the checker is told
    first = explore(model, Question(checkpoint=file, max_time=1000.0))
    assert first.incomplete == f"time limit: 1000 s (--max-time), while searching; --resume {file} goes on"
    monkeypatch.undo()
    assert what(explore(model, Question(resume=file))) == what(whole)


@pytest.mark.parametrize("name", ["peterson", "long"])
def test_many_stops(request: pytest.FixtureRequest, tmp_path: Path, name: str) -> None:
    model, whole = request.getfixturevalue(name)
    file, stops = str(tmp_path / "saved"), 0
    found = explore(model, Question(checkpoint=file, all_errors=True, max_states=1))
    while found.incomplete:
        stops += 1
        limit = found.states + whole.states // 12
        found = explore(model, Question(checkpoint=file, resume=file, all_errors=True, max_states=limit))
    assert stops > 8
    assert what(found) == what(whole)


def test_memory_stops_at_every_place(tmp_path: Path, long: tuple[Model, Exploration]) -> None:
    """Wherever memory ends (table, chunks, atomic sequences), nothing is lost and nothing is counted twice."""
    model, whole = long
    file, stopped = str(tmp_path / "saved"), 0
    for limit in range(300_000, 3_000_000, 170_001):
        found = explore(model, Question(checkpoint=file, all_errors=True, max_memory=limit))
        if "goes on" in found.incomplete:
            stopped += 1
            assert what(explore(model, Question(resume=file, all_errors=True))) == what(whole), limit
            Path(file).unlink()
    assert stopped > 3


def test_a_violation_after_the_stop(tmp_path: Path) -> None:
    model = load_text(PETERSON.replace("inside--", "if :: k < 4 :: else fi; inside--; assert(turn[3] < 3)"), "m")
    whole = explore(model, Question(), "-O0")
    assert [f.kind for f in whole.findings] == ["assertion"]
    file = str(tmp_path / "saved")
    first = explore(model, Question(checkpoint=file, max_states=whole.states // 2), "-O0")
    assert not first.findings
    resumed = explore(model, Question(resume=file), "-O0")
    assert what(resumed) == what(whole)
    run_path(model, resumed)


def test_a_layout_that_grew_is_found_again(tmp_path: Path) -> None:
    source = """
    int a, b;
    active proctype p() { do :: a < 5000 -> a = a + 7 :: a > 100 -> break od; assert(b < 60 || a < 500) }
    active proctype q() { do :: b < 90 -> b++ od }
    """
    model, file = load_text(source, "m"), str(tmp_path / "saved")
    whole = explore(model, Question(all_errors=True), "-O0")
    first = explore(model, Question(all_errors=True, checkpoint=file, max_states=whole.states - 5000), "-O0")
    assert "goes on" in first.incomplete
    assert b'"overflows": [[' in Path(file).read_bytes().split(b"\n")[0]
    assert what(explore(model, Question(all_errors=True, resume=file), "-O0")) == what(whole)


def test_a_killed_checker_leaves_its_last_checkpoint(tmp_path: Path, peterson: tuple[Model, Exploration]) -> None:
    model, whole = peterson
    file = tmp_path / "saved"

    def kill(progress: Progress) -> None:
        if progress.states > 20_000:
            for child in children():
                os.kill(child, signal.SIGKILL)

    ask = Question(checkpoint=str(file), checkpoint_interval=1e-9, progress=kill, progress_interval=0.001)
    found = explore(model, ask)
    assert "killed" in found.incomplete
    assert what(explore(model, Question(resume=str(file)))) == what(whole)


@pytest.mark.usefixtures("interruptible")
def test_interrupt_saves(tmp_path: Path) -> None:
    model, file = endless(), str(tmp_path / "saved")

    sent: list[int] = []

    def interrupt(progress: Progress) -> None:
        if progress.states > 1000 and not sent:  # a second one would not wait
            sent.append(progress.states)
            os.kill(os.getpid(), signal.SIGINT)

    found = explore(model, Question(checkpoint=file, progress=interrupt, progress_interval=0.01))
    assert found.incomplete == f"interrupted; --resume {file} goes on"
    assert found.states > 1000
    more = explore(model, Question(resume=file, max_states=found.states + 1000))
    assert found.states < more.states


def test_a_wrong_file_is_refused(
    tmp_path: Path, peterson: tuple[Model, Exploration], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _ = peterson
    file = tmp_path / "saved"
    explore(model, Question(checkpoint=str(file), max_states=5000))
    good = file.read_bytes()
    with pytest.raises(UsageError, match="another model"):
        explore(load_text(PETERSON.replace("inside == 1", "inside < 2"), "peterson"), Question(resume=str(file)))
    with pytest.raises(UsageError, match="another --all-errors"):
        explore(model, Question(resume=str(file), all_errors=True))
    with pytest.raises(UsageError, match="another --no-deadlock"):
        explore(model, Question(resume=str(file), deadlock=False))
    with monkeypatch.context() as other:
        other.setattr(saved, "runtime_text", lambda: b"another one")
        with pytest.raises(UsageError, match="another version"):
            explore(model, Question(resume=str(file)))
    damaged = bytearray(good)
    damaged[len(good) // 2] ^= 1
    edited = good.replace(b'"overflows": []', b'"overflows": [[1, 2, 3]]', 1)
    assert edited != good
    for content in (good[:-1], good + b"\0", good[: len(good) // 2], bytes(damaged), edited):
        file.write_bytes(content)
        with pytest.raises(UsageError, match="damaged"):
            explore(model, Question(resume=str(file)))
    for text in ("", "byte x;", "isospin"):
        file.write_text(text)
        with pytest.raises(UsageError, match="no checkpoint"):
            explore(model, Question(resume=str(file)))
    file.write_text("isospin checkpoint []\n")
    with pytest.raises(UsageError, match="damaged"):
        explore(model, Question(resume=str(file)))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="no regular file"):
        explore(model, Question(resume=str(tmp_path / "pipe")))
    with pytest.raises(UsageError, match="no regular file"):
        explore(model, Question(checkpoint="/dev/null"))
    with pytest.raises(UsageError, match="cannot read"):
        explore(model, Question(resume=str(tmp_path / "none")))


def test_the_disk_is_full_while_a_search_is_saved(tmp_path: Path, peterson: tuple[Model, Exploration]) -> None:
    """What was saved before is still there, whole, and the user is told."""
    model, whole = peterson
    file = tmp_path / "saved"
    explore(model, Question(checkpoint=str(file), max_states=whole.states // 2))
    asked = Question(checkpoint=str(file), checkpoint_interval=1e-9, max_states=whole.states // 2)
    with small_files(file.stat().st_size - 1):
        cut = explore(model, asked)
    assert re.fullmatch(rf"as many .*\(--max-states\); --resume {file} goes on from level \d+", cut.incomplete)
    assert cut.notes == ("no checkpoint could be written: File too large",)
    assert not Path(f"{file}.part").exists()
    assert what(explore(model, Question(resume=str(file)))) == what(whole)


@pytest.mark.parametrize("path", ["{}/none/saved", "/dev/full"])
def test_no_place_for_a_checkpoint_is_said_and_the_search_goes_on(
    tmp_path: Path, peterson: tuple[Model, Exploration], path: str
) -> None:
    model, whole = peterson
    target = path.format(tmp_path)
    if target == "/dev/full":
        target = str(tmp_path / "full")
        Path(target + ".part").symlink_to("/dev/full")  # what every write to a full disk says
    found = explore(model, Question(checkpoint=target, checkpoint_interval=1e-9))
    assert what(found) == what(whole)
    assert found.notes[0].startswith("no checkpoint could be written: No s")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"checkpoint": "f", "search": "dfs"}, "breadth-first"),
        ({"resume": "f", "threads": 2}, "one thread"),
        ({"checkpoint": "f", "bitstate": 1000}, "exact searches only"),
        ({"bitstate": 1000, "fingerprint": True}, "choose one"),
        ({"bitstate": 1000, "threads": 2}, "one thread"),
        ({"bitstate": 10}, "at least"),
        ({"fingerprint": True, "engine": "interp"}, "explicit engine"),
    ],
)
def test_combinations_that_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        pipeline.Options(**options)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, file = tmp_path / "m.pml", str(tmp_path / "saved")
    model.write_text(PETERSON)
    common = ["check", str(model), "--json", "--optimise", "none"]
    runs = []
    for more in (["--max-states", "9000", "--checkpoint", file], ["--resume", file], [], ["--bitstate", "1M"]):
        status = cli.main([*common, *more])
        runs.append((status, json.loads(capsys.readouterr().out)))
    assert [status for status, _ in runs] == [3, 0, 0, 3]
    assert [run["mode"] for _, run in runs] == ["exact", "exact", "exact", "bitstate"]
    assert runs[1][1]["states"] == runs[2][1]["states"]
    assert runs[2][1]["omission_probability"] is None
    assert 0 < runs[3][1]["omission_probability"] < 1e-3


# ------------------------------------------------------------------------------------------------ time, disk


def test_the_time_is_for_all_restarts_together() -> None:
    source = """
    int a, b;
    active proctype P() { do :: a != b + 100000000 -> a++ od }
    active proctype Q() { do :: b != a + 100000000 -> b++ od }
    """
    calls: list[Progress] = []
    begin = time.perf_counter()
    options = pipeline.Options(engine="explicit", max_time=2.0, progress=calls.append)
    found = pipeline.check(load_text(source, "m"), options)
    assert "--max-time" in found.reason
    assert 1.9 < time.perf_counter() - begin < 5
    assert [c.seconds for c in calls] == sorted(c.seconds for c in calls)


@pytest.fixture
def no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory that cannot be made, as whoever we are."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    return blocked


def test_an_unwritable_cache(no_cache: Path) -> None:
    options = pipeline.Options(engine="explicit")
    verdict = pipeline.check(load_text("active proctype p() { assert(true) }", "m"), options)
    assert verdict.outcome is Outcome.HOLDS
    (note,) = (w.message for w in verdict.warnings if "cache" in w.message)
    assert str(no_cache) in note
    assert "XDG_CACHE_HOME" in note


def test_no_place_at_all(no_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> Path:
        raise OSError(28, "No space left on device", "/tmp")

    monkeypatch.setattr(program, "temporary_directory", full)
    with pytest.raises(UsageError, match=r"no place to write.*Not a directory.*No space left"):
        explore(load_text("active proctype p() { skip }", "m"), Question())


def test_a_disk_that_is_full_while_compiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    fake = tmp_path / "cc"
    command = " ".join(build.compiler())
    fake.write_text(
        f"#!{sys.executable}\nimport os, sys\n"
        f"if any(a.startswith({str(cache)!r}) for a in sys.argv):\n"
        "    sys.exit('as: cannot write: No space left on device')\n"
        f"os.execvp({command.split()[0]!r}, {command.split()!r} + sys.argv[1:])\n"
    )
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("CC", str(fake))
    found = explore(load_text("active proctype p() { skip }", "m"), Question(), "-O0")
    assert not found.incomplete
    assert "the C compiler says: No space left on device" in found.notes[0]


def test_a_cache_from_which_nothing_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    model = load_text("active proctype p() { skip }", "m")
    explore(model, Question(), "-O0")
    for path in build.cache_directory().iterdir():
        path.chmod(0o600)
    found = explore(model, Question(), "-O0")
    assert not found.incomplete
    assert "may not be started" in found.notes[0]


def test_deadlocks_behind_other_errors_are_told_only_if_asked_for() -> None:
    model = load_text("active proctype P() { assert(false); false }\n", "model.pml")
    for asked, kinds in ((False, {"assertion"}), (True, {"assertion", "deadlock"})):
        found = explore(model, Question(all_errors=True, deadlock=asked), "-O0")
        assert {f.kind for f in found.findings} == kinds
