"""All failures of a program: a thread that fails just ends, as in Python, and the others go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isospin.cli import main
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.python.explain import run_guided
from isospin.hosts.python.program import Learnt, PythonProgram
from isospin.pipeline.programs.python import check_program
from isospin.pipeline.settings import ProgramOptions
from isospin.report.document import trace_document
from tests.support.generators import random_python

SEVERAL = """
import threading
x = 0
def a():
    global x
    x = 1
    assert x == 1, "a"
def b():
    global x
    x = 2
    raise KeyError("b")
def c():
    if x == 0: raise ValueError("early")
    if x == 2: raise ValueError("late")
threads = [threading.Thread(target=t) for t in (a, b, c)]
for t in threads: t.start()
for t in threads: t.join()
assert x == 1, "end"
"""
ALL = {
    'assert x == 1, "a"  [a]', "KeyError: 'b'", "ValueError: early", "ValueError: late", 'assert x == 1, "end"  [end]'
}  # fmt: skip
AT_ONCE = """
import threading
lock = threading.Lock()
def work():
    with lock: pass
    raise KeyError("later")
threading.Thread(target=work).start()
raise ValueError("before the first step")
"""


@pytest.mark.parametrize(
    ("search", "symmetry"), [("auto", "auto"), ("auto", "none"), ("dfs", "none"), ("persistent", "none")]
)
def test_all_failures_are_found(search: str, symmetry: str, tmp_path: Path) -> None:
    path = tmp_path / "several.py"
    path.write_text(SEVERAL)
    verdict = check_program(path, ProgramOptions(search=search, symmetry=symmetry, all_errors=True))
    assert {v.message for v in verdict.violations} == ALL
    assert all(v.trace.steps for v in verdict.violations)
    assert len(check_program(path, ProgramOptions(search=search, symmetry=symmetry)).violations) == 1


def test_what_fails_at_once_does_not_hide_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "at_once.py"
    path.write_text(AT_ONCE)
    for symmetry in ("auto", "none"):
        verdict = check_program(path, ProgramOptions(symmetry=symmetry, all_errors=True))
        assert {v.message for v in verdict.violations} == {"KeyError: 'later'", "ValueError: before the first step"}


FAILS_AND_WAITS = """
import threading
lock = threading.Lock()
d = {0: 1, 1: 0}
def stuck():
    with lock:
        with lock: pass
def first():
    for k in list(d): del d[k]
def second():
    for k in list(d): del d[k]
threads = [threading.Thread(target=t) for t in (stuck, first, second)]
for t in threads: t.start()
for t in threads: t.join()
"""


@pytest.mark.parametrize("symmetry", ["none", "auto"])
def test_a_program_that_fails_does_the_same_again(symmetry: str, tmp_path: Path) -> None:
    """A failing step that was made again was taken for a change of mind; one that also leaves a deadlock is both."""
    path, saved = tmp_path / "waits.py", tmp_path / "trace.json"
    path.write_text(FAILS_AND_WAITS)
    verdict = check_program(path, ProgramOptions(symmetry=symmetry, all_errors=True))
    found = {(v.kind, v.location.line, v.message) for v in verdict.violations}
    assert len(found) == len(verdict.violations)
    keys = {(line, said) for kind, line, said in found if kind == "exception"}
    assert keys == {(9, "KeyError: 0"), (9, "KeyError: 1"), (11, "KeyError: 0"), (11, "KeyError: 1")}
    assert {kind for kind, _, _ in found} == {"exception", "deadlock"}
    for violation in verdict.violations:
        saved.write_text(json.dumps(trace_document(violation, str(path), (), "0")))
        assert main(["replay", str(path), str(saved)]) == 1


def test_a_failure_behind_another_one_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`later` comes only after the failure of the main thread: its schedule goes through that."""
    path, saved = tmp_path / "behind.py", tmp_path / "trace.json"
    path.write_text(AT_ONCE)
    for violation in check_program(path, ProgramOptions(all_errors=True)).violations:
        saved.write_text(json.dumps(trace_document(violation, str(path), (), "0")))
        assert main(["replay", str(path), str(saved)]) == 1
        assert violation.message in capsys.readouterr().out


# ------------------------------------------------------------------------------------------------ random programs

FAILING = ["x = d[{k}]", "del d[{k}]", "x = d.pop({k})", "x = items.pop()", "items.remove({n})", "assert x != {n}"]
MOST_EXECUTIONS = 400


def failures(path: Path, search: str, symmetry: str, everything: bool = False) -> tuple[set[str], bool]:
    """All that can go wrong, and whether all executions were seen."""
    host = PythonProgram(str(path))
    host.past_errors = True
    most = MOST_EXECUTIONS if everything else None
    asked = SearchRequest(all_errors=True, symmetry=symmetry, max_executions=most)
    try:
        run_guided(host, ())
        if everything:
            host.memory.learnt.shared.update(n for n, place in enumerate(host.sites.places) if place.function)
        while True:
            host.memory.begin_search()
            try:
                result = explore(host, search, asked)
            except Learnt:
                continue
            if result.incomplete or not host.memory.again:
                found = {(f.found.kind, f.found.location.line, f.found.message) for f in result.findings}
                return {f"{kind} {line} {said}" for kind, line, said in found if kind != "deadlock"} | {
                    "deadlock" for kind, _, _ in found if kind == "deadlock"
                }, not result.incomplete
    finally:
        host.close()


def compare(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    with monkeypatch.context() as patch:
        patch.setattr(random_python, "STATEMENTS", [*random_python.STATEMENTS, *FAILING])
        text = random_python.program(seed)
    path = folder / f"failing_{seed}.py"
    path.write_text(text)
    want, complete = failures(path, "dfs", "none", everything=True)
    if not complete:
        return False
    for search, symmetry in (("dpor", "none"), ("optimal", "none"), ("dpor", "discovered")):
        assert failures(path, search, symmetry) == (want, True), f"seed {seed}, {search}, symmetry {symmetry}"
    return bool(want)


def test_no_failure_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(compare(seed, tmp_path, monkeypatch) for seed in range(10)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1400, 100))
def test_no_failure_is_lost_in_many(start: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(compare(seed, tmp_path, monkeypatch) for seed in range(start, start + 100)) >= 10
