"""What goes wrong around a search: closed streams, signals, bugs of ours, planted files.  The verdict stays."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isospin import cli, pipeline
from isospin.core import cache
from isospin.core.deadline import within
from isospin.core.errors import UsageError
from isospin.core.model import Model
from isospin.core.verdict import Outcome
from isospin.engines.contract import Exploration, Progress, Question
from isospin.engines.explicit import explore
from isospin.engines.explicit.drive import build
from isospin.front.promela.load import load_text
from isospin.hosts.c import known as answers
from isospin.pipeline.models import safety
from isospin.report.ink import Console
from isospin.report.terminal import show_violation
from tests.engines.explicit.test_modes import LONG, what
from tests.support import paths

PHILOSOPHERS = str(paths.EXAMPLES / "philosophers.pml")
ISOSPIN = f"{sys.executable} -m isospin check --engine interp --quiet --no-color"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, errors="surrogateescape", check=False,
        env={**os.environ, "PYTHONPATH": str(paths.ROOT / "src"), **environment},
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------ streams


@pytest.mark.parametrize(
    ("redirected", "says"),
    [
        (">/dev/full", "isospin: standard output cannot be written: No space left on device; exit status 1: violated"),
        (">&-", "isospin: standard output cannot be written: it is closed; exit status 1: violated"),
        (">/dev/full 2>&- <&-", ""),
    ],
)
def test_who_cannot_be_read_keeps_the_verdict(redirected: str, says: str) -> None:
    done = shell(f"{ISOSPIN} {PHILOSOPHERS} {redirected}")
    assert done.returncode == 1
    assert done.stderr == (f"{says}\n" if says else "")


def test_a_reader_that_leaves_is_no_problem() -> None:
    done = shell(f"({ISOSPIN} {PHILOSOPHERS}; echo $? >&2) | head -1")
    assert done.stdout.startswith("deadlock:")
    assert done.stderr == "1\n"


def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    """And a stream that cannot show them, or anything but ASCII."""
    shutil.copy(PHILOSOPHERS, tmp_path / os.fsdecode(b"m\xff.pml"))
    saved = " ".join(f"--{option} {tmp_path}/r.{option}" for option in ("html", "trace", "sarif", "junit"))
    done = shell(f"{ISOSPIN} {tmp_path}/m*.pml {saved}", PYTHONIOENCODING="ascii:strict")
    assert (done.returncode, done.stderr) == (1, "")
    assert "m\\udcff.pml:19:12" in done.stdout
    assert {p.suffix for p in tmp_path.glob("r.*")} == {".html", ".trace", ".sarif", ".junit"}


# ------------------------------------------------------------------------------------------------ bugs of ours


def crash(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def check(*_: object) -> None:
        raise error

    monkeypatch.setattr(pipeline, "check", check)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (KeyError("a\nb"), "internal error: KeyError: 'a\\nb' (check.py:"),
        (ValueError("one\ntwo"), "internal error: ValueError: one two ("),
        (MemoryError(), "the memory is used up"),
        (RecursionError("maximum"), "nested too deeply"),
        (OSError(24, "Too many open files"), "Too many open files"),
    ],
)
def test_a_bug_of_ours_is_one_line_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, says: str
) -> None:
    crash(monkeypatch, error)
    assert cli.main(["check", PHILOSOPHERS, "--json"]) == 4
    out, err = capsys.readouterr()
    assert json.loads(out)["outcome"] is None
    assert err.startswith("isospin: ")
    assert says in err
    assert err.count("\n") == 1
    assert "ISOSPIN_TRACEBACK=1" in err


def test_the_traceback_can_be_had(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    crash(monkeypatch, KeyError("x"))
    assert cli.main(["check", PHILOSOPHERS, "--verbose"]) == 4
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.setenv("ISOSPIN_TRACEBACK", "1")
    assert cli.main(["check", PHILOSOPHERS]) == 4
    assert "Traceback" in capsys.readouterr().err


def test_a_report_with_a_bug_leaves_the_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def page(*_: object) -> str:
        raise ZeroDivisionError("no")

    monkeypatch.setattr("isospin.report.html.page", page)
    assert cli.main(["check", PHILOSOPHERS, "--engine", "interp", "--html", str(tmp_path / "page.html")]) == 1
    assert "internal error: ZeroDivisionError: no" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------ time


def timed(*arguments: str) -> tuple[int, float]:
    begin = time.monotonic()
    return cli.main(list(arguments)), time.monotonic() - begin


def test_a_counterexample_that_is_too_long_to_show_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = pipeline.check(load_text("active proctype p() { assert(false) }", "m"), pipeline.Options(engine="interp"))
    (violation,) = verdict.violations
    steps = violation.trace.steps * 300_000
    with within(0.01):
        show_violation(Console(width=100), replace(violation, trace=replace(violation.trace, steps=steps)))
    out = capsys.readouterr().out
    assert "assertion: assert(false) failed" in out
    assert "the counterexample has 300,000 steps (time limit" in out


MANY = "byte n; active [100] proctype P() { byte i; do :: i < 3 -> i++; n++ :: else -> break od }"


def test_symmetry_is_given_up_for_the_rest_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what was decided without it counts."""

    def reduce(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(safety, "reduce", reduce)
    monkeypatch.setattr(safety, "SHARE", 0.001)
    model = load_text("byte n; active [2] proctype P() { n++ }", "m")
    verdict = pipeline.check(model, pipeline.Options(engine="interp", max_time=600.0))
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.symmetry.strategy == "none"
    assert "of the time (--max-time)" in verdict.symmetry.justification


def test_a_formula_that_takes_too_long_to_translate() -> None:
    """Twenty times U: nobody ever saw the end of it."""
    formula = "p[0]"
    for i in range(1, 20):
        formula = f"({formula} U p[{i}])"
    model = load_text(f"bool p[20]; active proctype P() {{ p[0] = true }} ltl a {{ {formula} }}", "m")
    verdict = pipeline.check(model, pipeline.Options(engine="interp", max_time=1.0))
    claim = verdict.properties[1]
    assert (claim.name, claim.outcome) == ("a", Outcome.INCOMPLETE)
    assert "time limit: 1 s" in claim.reason


HEAVY = {
    "processes": MANY,
    "array": "int a[65000]; active proctype P() { int i; do :: i < 64999 -> a[i] = a[i + 1] + i; i++ od }",
    "statements": "int a; active [2] proctype P() {" + "\n".join(f"a = a * 3 + {i};" for i in range(8000)) + "}",
    "claim": "byte a, b; ltl p { [] (a < 200 -> <> (b > 3)) } active [6] proctype P() { do :: a++ :: b++ od }",
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["auto", "explicit", "interp", "symbolic", "stateless"])
@pytest.mark.parametrize("name", HEAVY)
def test_nothing_takes_much_longer_than_allowed(tmp_path: Path, name: str, engine: str) -> None:
    """On an idle machine."""
    model = tmp_path / "model.pml"
    model.write_text(HEAVY[name])
    for more in ([], ["--symmetry", "none", "--fair"]) if engine in ("auto", "interp") else ([],):
        status, seconds = timed("check", str(model), "--engine", engine, "--max-time", "4", *more)
        assert status in (0, 1, 3)
        assert seconds < 7
    if engine == "auto":
        for command in ("symmetry", "audit"):
            status, seconds = timed(command, str(model), "--max-time", "3")
            assert status in (0, 3)
            assert seconds < 6


# ------------------------------------------------------------------------------------------------ the cache


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def a_file(place: Path, text: str = "content") -> Path:
    made = place / "made"
    made.write_text(text)
    return made


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_folders_and_files_are_ours_alone(tmp_path: Path, mask: int) -> None:
    os.umask(mask)
    folder = cache.made(tmp_path / "a" / "b")
    assert [stat.S_IMODE(p.stat().st_mode) for p in (folder, folder.parent)] == [0o700, 0o700]
    os.umask(0o022)
    path = cache.keep(folder, "0123", a_file(folder))
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert cache.kept(folder, "0123") == path


def test_a_folder_that_is_too_open_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    cache.made(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_somebody_else_is_not_used(tmp_path: Path) -> None:
    folder = cache.made(tmp_path / "cache")
    path = cache.keep(folder, "0123", a_file(folder))
    os.chown(path, 12345, 12345)
    assert cache.kept(folder, "0123") is None
    assert not path.exists()
    os.chown(folder, 12345, 12345)
    with pytest.raises(PermissionError, match="somebody else"):
        cache.made(folder)


def planted(path: Path, other: Path) -> Iterator[str]:
    """Put something else in the place of a file, in all ways that we can think of."""
    content = path.read_bytes()
    for how, new in {
        "empty": b"", "torn": content[:-1], "longer": content + b"\0", "planted": b"#!/bin/sh\nexit 0\n",
        "flipped": content[:3] + bytes([content[3] ^ 1]) + content[4:], "another": other.read_bytes(),
    }.items():  # fmt: skip
        path.write_bytes(new)
        yield how
    path.unlink(missing_ok=True)
    path.symlink_to(other)
    yield "link"
    path.unlink(missing_ok=True)
    path.mkdir()
    yield "folder"
    path.write_bytes(content)
    path.chmod(0o722)
    yield "writable by others"
    other.replace(path)
    yield "another one by its name"


def test_a_file_that_is_not_what_was_kept_is_noticed_and_removed(tmp_path: Path) -> None:
    folder = cache.made(tmp_path / "cache")
    path = cache.keep(folder, "0123", a_file(folder))
    other = cache.keep(folder, "4567", a_file(folder, "other"))
    for how in planted(path, other):
        assert cache.kept(folder, "0123") is None, how
        assert not os.path.lexists(path), how
    assert cache.kept(folder, "4567") is None


def test_what_was_abandoned_is_swept_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    old, young = tmp_path / f"{cache.PART}old", tmp_path / f"{cache.PART}young"
    for place in (old, young):
        place.mkdir()
        (place / "file").write_text("")
    long_ago = time.time() - 10 * cache.ABANDONED
    os.utime(old, (long_ago, long_ago))
    with cache.workplace(tmp_path) as mine:
        os.utime(mine, (long_ago, long_ago))
        cache.sweep(tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted([mine, young])
    assert list(tmp_path.iterdir()) == [young]


def test_a_cache_that_cannot_be_used_is_replaced_and_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    usable = cache.usable.__wrapped__
    assert usable(tmp_path / "folder") == (tmp_path / "folder", "")
    place, note = usable(tmp_path / "file" / "folder")
    assert place == cache.temporary_directory()
    assert "Not a directory" in note
    assert "XDG_CACHE_HOME" in note


def test_answers_about_a_program_are_believed_line_by_line(tmp_path: Path) -> None:
    known = answers.Known(tmp_path / "0123-4567", False)
    known.lines = {"silent 0 0": "4096 1", "place 7 0": ""}
    with known.store.open("w") as file:
        for key, answer in known.lines.items():
            file.write(f"{key}: {answer} {known.mark(f'{key}: {answer}')}\n")
    assert answers.Known(known.path, False).lines == known.lines
    good = known.store.read_text()
    for bad in (good.replace("4096", "8192"), good.replace(" 1 ", " "), "silent 0 0: \n", "\0: \n", "silent 0 0\n"):
        known.store.write_text(bad)
        assert "silent 0 0" not in answers.Known(known.path, False).lines
    for end in range(len(good)):
        known.store.write_text(good[:end])
        assert answers.Known(known.path, False).lines.items() <= known.lines.items()


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return build.cache_directory()


LIAR = """#!/bin/sh
echo '{"end":"","states":3,"transitions":3,"depth":1,"queue":0,"memory":9,"peak":9,"cpu":0,"quotient":0,"cut":0}'
"""


def test_a_planted_checker_is_never_run(own_cache: Path) -> None:
    model = load_text("byte x; active proctype p() { x = 1; assert(x == 0) }", "m")
    compiled = pipeline.Options(engine="explicit")
    assert pipeline.check(model, compiled).outcome is Outcome.VIOLATED
    for path in own_cache.iterdir():
        path.write_text(LIAR)
    verdict = pipeline.check(model, compiled)
    assert verdict.outcome is Outcome.VIOLATED
    assert not verdict.warnings
    assert len(list(own_cache.iterdir())) == 2  # the runtime and the checker, made again, and nothing else


def test_a_compiler_that_may_not_write(own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ulimit -f` during compiling: the interpreter answers, and the user is told why."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    large = tmp_path / "large.pml"
    large.write_text("byte x, y; active [2] proctype P() { do :: x < 50 -> x++ :: y < 50 -> y++ od }")
    command = f"ulimit -f 16; {sys.executable} -B -m isospin check --no-color {large}"
    done = shell(command, XDG_CACHE_HOME=os.environ["XDG_CACHE_HOME"], TMPDIR=str(tmp_path))
    assert done.returncode == 1, done.stderr
    assert "safety: violated" in done.stdout
    assert "the slow reference interpreter was used" in done.stdout
    assert not list(tmp_path.glob(f"**/{cache.PART}*"))
    assert not list(tmp_path.glob("cc*"))


# ------------------------------------------------------------------------------------------------ checkpoints


@pytest.fixture(scope="module")
def whole() -> tuple[Model, Exploration]:
    model = load_text(LONG, "m")
    found = explore(model, Question(all_errors=True))
    assert found.states > 10_000
    assert found.findings
    return model, found


def mutated(content: bytes, chance: random.Random) -> bytes:
    """The content with something changed: a bit, a byte, a piece left out, doubled or exchanged, the head edited."""
    kind, at = chance.randrange(6), chance.randrange(len(content))
    if chance.random() < 0.4:
        at = chance.randrange(content.index(b"\n") + 1)  # the first line, which says whose search it is
    length = chance.choice([1, 8, 64, 4096])
    if kind == 0:
        return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
    if kind == 1:
        return content[:at]
    if kind == 2:
        return content[:at] + content[at + length :]
    if kind == 3:
        return content[: at + length] + content[at:]
    if kind == 4:
        return content[:at] + chance.randbytes(length) + content[at + length :]
    head, _, rest = content.partition(b"\n")
    old, new = chance.choice([(b"[]", b"[[0, 0, 300]]"), (b"false", b"true"), (b"none", b"exact"), (b"0", b"1")])
    return head.replace(old, new) + b"\n" + rest


def check_mutants(whole: tuple[Model, Exploration], place: Path, count: int, seed: int) -> int:
    """How many mutants of a checkpoint were refused; all others must be the file itself."""
    model, complete = whole
    chance, file, refused = random.Random(seed), place / "saved", 0
    resume = Question(all_errors=True, resume=str(file))
    explore(model, Question(all_errors=True, checkpoint=str(file), max_states=complete.states // 2))
    good = file.read_bytes()
    for _ in range(count):
        file.write_bytes(mutated(good, chance))
        same = file.read_bytes() == good
        if same:
            assert what(explore(model, resume)) == what(complete)
            continue
        with pytest.raises(UsageError, match=f"--resume {file}"):
            explore(model, resume)
        refused += 1
    return refused


def test_mutated_checkpoints_are_refused(whole: tuple[Model, Exploration], tmp_path: Path) -> None:
    assert check_mutants(whole, tmp_path, 20, seed=1) > 15


@pytest.mark.slow
def test_many_mutated_checkpoints_are_refused(whole: tuple[Model, Exploration], tmp_path: Path) -> None:
    assert check_mutants(whole, tmp_path, 200, seed=2) > 150


@pytest.mark.slow
def test_many_mutated_files_in_the_cache(own_cache: Path) -> None:
    """200 files in the cache, changed in any way: never another verdict."""
    texts = ["byte x; active proctype p() { x = 1; assert(x == 0) }", "byte x; active proctype p() { x++; x++ }"]
    models = [load_text(text, "m") for text in texts]
    wanted = [Outcome.VIOLATED, Outcome.HOLDS]
    chance = random.Random(3)
    for number in range(200):
        which = number % 2
        verdict = pipeline.check(models[which], pipeline.Options(engine="explicit"))
        assert (verdict.outcome, verdict.warnings) == (wanted[which], ())
        path = chance.choice(sorted(own_cache.iterdir()))
        path.write_bytes(mutated(path.read_bytes() + b"\n", chance))


# ------------------------------------------------------------------------------------------------ kills


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
def test_a_signal_saves_and_the_search_goes_on(
    whole: tuple[Model, Exploration], tmp_path: Path, number: signal.Signals
) -> None:
    model, complete = whole
    file, heard = str(tmp_path / "saved"), 0

    def interrupt(_: Progress) -> None:
        nonlocal heard
        heard += 1
        if heard == 1:
            os.kill(os.getpid(), number)

    asked = Question(all_errors=True, checkpoint=file, progress=interrupt, progress_interval=0.0)
    first = explore(model, asked)
    assert first.incomplete == f"interrupted; --resume {file} goes on"
    assert what(explore(model, Question(all_errors=True, resume=file))) == what(complete)


ANSWERED = """
import atexit, os, signal, sys
from isospin import cli
atexit.register(lambda: [os.kill(os.getpid(), n) for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)])
sys.exit(cli.main())
"""


@pytest.mark.usefixtures("interruptible")
def test_who_has_answered_keeps_the_status() -> None:
    command = [sys.executable, "-c", ANSWERED, "check", PHILOSOPHERS, "--engine", "interp", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


KILLED = """
byte a[6], n;
active [3] proctype p() {
    byte i;
    do
    :: atomic { i < 9 -> i++; a[_pid] = a[_pid] + i; n++ }
    :: a[_pid] > i && n < 90 -> a[_pid + 3]++; n++
    :: i == 9 && a[3] > 3 -> i = 0
    :: i > 3 -> i = i - 2
    od
}
"""
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def counts(document: dict[str, Any]) -> tuple[Any, ...]:
    return document["outcome"], document["states"], document["transitions"], document["depth"]


def wait_until_it_listens(pid: int) -> None:
    """Python takes its time before any of our lines is run; who is killed there says nothing at all."""
    while True:
        caught = re.search(r"^SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
        if caught is None or int(caught[1], 16) >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
def test_fifty_kills_at_random_times(tmp_path: Path) -> None:
    """After every kill the search goes on to the counts of one that was never interrupted."""
    model, file = tmp_path / "m.pml", tmp_path / "saved"
    model.write_text(KILLED)
    limits = ["--symmetry", "none", "--por", "off", "--max-depth", "22"]
    command = [sys.executable, "-m", "isospin", "check", "--json", str(model), *limits]
    saving = ["--checkpoint", str(file), "--checkpoint-interval", "0.3"]

    def run(*more: str) -> tuple[int, dict[str, Any]]:
        done = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        return done.returncode, json.loads(done.stdout)

    run()  # compiled now
    begin = time.monotonic()
    _, complete = run()
    seconds = time.monotonic() - begin
    chance, resumed = random.Random(4), 0
    for number in range(50):
        file.unlink(missing_ok=True)
        with subprocess.Popen([*command, *saving], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            wait_until_it_listens(child.pid)
            while number % 8 < 6 and not file.exists() and child.poll() is None:
                time.sleep(0.01)  # these are killed while they search, the others wherever they are
            time.sleep(chance.random() * seconds / 2)
            child.send_signal(SIGNALS[number % 4])
            out, err = child.communicate()
        assert "Traceback" not in err
        if SIGNALS[number % 4] is not signal.SIGKILL:
            assert child.returncode == 3
            assert not out or json.loads(out)["outcome"] in ("incomplete", None)  # nothing: before it began to read
        if file.exists():
            resumed += 1
            status, document = run("--resume", str(file))
            assert status == 3
            assert counts(document) == counts(complete)
            assert sorted(p.name for p in tmp_path.iterdir()) == ["m.pml", "saved"]
    assert resumed > 25
