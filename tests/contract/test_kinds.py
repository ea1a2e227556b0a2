"""What every kind of input keeps: a new one is tested as soon as it is in the registry.

It needs two files that say what is expected of them, one that holds and one that does not, anywhere in `data/` or in
the examples; `test_corpus.py` checks all that there are.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin.cli import main
from isospin.core.errors import UsageError
from isospin.pipeline.kinds import KINDS, InputKind, kind_of
from tests.support import expectations, paths

WITH_ENDINGS = [name for name, kind in KINDS.items() if kind.endings]
PLACES = {"processes": [paths.PROGRAMS / "processes"]}  # kinds that are found by looking into the files of another one
ELSEWHERE = [paths.EXAMPLES, paths.PROGRAMS / "python", paths.PROGRAMS / "c"]
QUICK = {"lost_update.c", "ab_ab.c", "counter_race.c", "counter_semaphore.c"}  # where there are many, one of these


@cache
def sample(name: str, outcome: str) -> Path:
    """The smallest file of a kind with this outcome, checked with no options of its own."""
    kind, found = KINDS[name], []
    for place in PLACES.get(name, ELSEWHERE):
        for path in sorted(place.rglob("*")):
            if path.is_file() and (name in PLACES or (kind.endings and path.name.endswith(kind.endings))):
                try:
                    wanted = expectations.expectation(path)
                except expectations.Misspelt:
                    continue  # of a test of its own; test_corpus.py sees to the others
                if wanted.outcome == outcome and not wanted.options:
                    found.append((path.name not in QUICK, path.stat().st_size, path))
    assert found, f"no file of the kind {name} says that it is expected to be {outcome}"
    return min(found)[-1]


def asked(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(list(arguments))
    return status, *capsys.readouterr()


@pytest.mark.parametrize("outcome", ["holds", "violated"])
@pytest.mark.parametrize("name", KINDS)
def test_every_door_gives_the_same_verdict(name: str, outcome: str) -> None:
    """The command, its exit status, its document by the schema; and `isospin.check` in Python."""
    path = sample(name, outcome)
    document = expectations.check(path)
    schema = json.loads(files("isospin.report").joinpath("schema.json").read_text())
    pytest.importorskip("jsonschema").validate(document, schema)
    verdict = isospin.check(path)
    assert (verdict.outcome.value, [v.kind for v in verdict.violations]) == (
        document["outcome"], [v["kind"] for v in document["violations"]]
    )  # fmt: skip
    assert bool(verdict) == (outcome == "holds")


def without_time(part: Any) -> Any:
    """A document without what differs from run to run."""
    if isinstance(part, dict):
        changing = ("seconds", "compile_seconds", "cpu_seconds", "memory_bytes", "bytes_per_state")
        return {key: without_time(value) for key, value in part.items() if key not in changing}
    return [without_time(item) for item in part] if isinstance(part, list) else part


@pytest.mark.parametrize("name", KINDS)
def test_a_violation_is_saved_and_replayed_and_comes_again(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, trace = sample(name, "violated"), tmp_path / "trace.json"
    status, first, _ = asked("check", str(path), "--json", "--trace", str(trace), capsys=capsys)
    assert status == 1
    (violation, *_) = json.loads(first)["violations"]
    assert violation["trace"], "no step led there"
    status, out, err = asked("replay", str(path), str(trace), capsys=capsys)
    assert (status, violation["kind"] in out + err) == (1, True)
    _, again, _ = asked("check", str(path), "--json", "--trace", str(trace), capsys=capsys)
    assert without_time(json.loads(again)) == without_time(json.loads(first))


@pytest.mark.parametrize("name", KINDS)
def test_every_report_is_written(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = sample(name, "violated")
    reports = {option: tmp_path / f"report.{option}" for option in ("html", "junit", "sarif")}
    options = [word for option, file in reports.items() for word in (f"--{option}", str(file))]
    status, out, err = asked("check", str(path), *options, capsys=capsys)
    assert (status, err) == (1, "")
    assert path.name in out
    for file in reports.values():
        assert path.name in file.read_text(), file


@pytest.mark.parametrize("name", KINDS)
def test_a_search_that_was_cut_short_is_never_said_to_hold(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = sample(name, "holds")
    status, out, _ = asked("check", str(path), "--json", "--max-time", "0.000001", capsys=capsys)
    assert (status, json.loads(out)["outcome"]) == (3, "incomplete")


@pytest.mark.parametrize("name", WITH_ENDINGS)
def test_mistakes_are_told_without_a_traceback(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in KINDS[name].endings:
        broken, empty, missing = (tmp_path / f"{word}{ending}" for word in ("broken", "empty", "missing"))
        broken.write_text("\x01 ) nonsense {{{ [ ' \n")
        empty.write_text("")
        folder = tmp_path / f"folder{ending}"
        folder.mkdir()
        for path in (broken, missing, folder):
            status, out, err = asked("check", str(path), capsys=capsys)
            assert (status, out) == (2, ""), path
            assert path.name in err
            assert "Traceback" not in err
        status, _, err = asked("check", str(empty), "--max-time", "20", capsys=capsys)
        assert status in (0, 2)
        assert "Traceback" not in err


@pytest.mark.parametrize("name", WITH_ENDINGS)
def test_files_are_known_by_their_endings(name: str) -> None:
    assert {kind_of(f"some/file{ending}").name for ending in KINDS[name].endings} == {name}


@pytest.mark.parametrize("name", KINDS)
def test_what_cannot_be_asked_is_refused(name: str) -> None:
    path = sample(name, "holds")
    with pytest.raises(UsageError, match="no_such_option"):
        isospin.check(path, no_such_option=1)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="symmetry"):
        isospin.check(path, symmetry="no such one")


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_its_modules_are_there(kind: InputKind) -> None:
    assert callable(kind.on_road("check_files"))
    assert not kind.is_program or callable(kind.on_road("replay_trace"))
