"""What users see when something is wrong: every message, with its place, is compared with a recorded one.

`tests/data/golden/errors/NAME.pml` or `NAME.ptr` is a faulty model, `NAME.txt` is what `isospin check` prints about
it, with the exit status in the last line.  After a change on purpose: `python -m tests.front.test_golden_errors
--update`, then look at each difference: a wrong place or an unhelpful message is a bug.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from pathlib import Path

import pytest

from isospin.cli import main
from tests.support import paths

PLAIN = ("--engine", "interp", "--symmetry", "none", "--optimise", "none")  # what no engine changes
FOLDER = Path("tests/data/golden/errors")
FILES = {p.stem: p.name for p in (paths.ROOT / FOLDER).glob("*.p[mt][lr]") if p.is_file()}
MODELS = sorted(FILES)

# Requests that are wrong before any model is read; `{folder}` is the folder of the models.
USAGE: dict[str, list[str]] = {
    "usage_no_such_file": ["check", "{folder}/no_such_model.pml"],
    "usage_unknown_ending": ["check", "{folder}/model.txt"],
    "usage_missing_program": ["check", "{folder}/model.cc"],
    "usage_too_many_processes": ["check", "{folder}/ptr_names.ptr", "-N", "300"],
    "usage_processes_of_promela": ["check", "{folder}/fault_assertion.pml", "-N", "3"],
    "usage_unknown_constant": ["check", "{folder}/fault_ptr_null.ptr", "-D", "SIZE=3"],
    "usage_formula_of_automaton": ["check", "{folder}/fault_ptr_null.ptr", "--ltl", "[] true"],
    "usage_directory": ["check", "{folder}"],
    "usage_directory_with_ending": ["check", "{folder}/directory.pml"],
    "usage_no_file": ["check"],
    "usage_unknown_option": ["check", "{folder}/model.pml", "--al-errors"],
    "usage_bad_number": ["check", "{folder}/model.pml", "--max-states", "many"],
    "usage_bad_time": ["check", "{folder}/model.pml", "--max-time", "soon"],
    "usage_bad_size": ["check", "{folder}/model.pml", "--max-memory", "4Q"],
    "usage_bad_choice": ["check", "{folder}/model.pml", "--search", "best"],
    "ltl_option_unknown_name": ["check", "{folder}/fault_assertion.pml", "--ltl", "[] (no_such_thing == 1)"],
    "ltl_option_unknown_claim": ["check", "{folder}/fault_assertion.pml", "--ltl", "liveness"],
    "ltl_option_unfinished": ["check", "{folder}/fault_assertion.pml", "--ltl", "[] (1 U"],
    "ltl_option_two_formulas": ["check", "{folder}/fault_assertion.pml", "--ltl", "<> true true"],
    "ltl_option_braces": ["check", "{folder}/fault_assertion.pml", "--ltl", "{{ <> true }}"],
    "ltl_option_unknown_process": ["check", "{folder}/fault_assertion.pml", "--ltl", "[] Nobody[0]@there"],
    "ltl_option_and_no_claim": ["check", "{folder}/fault_assertion.pml", "--ltl", "<> true", "--no-claim"],
    "usage_bad_definition": ["check", "{folder}/fault_assertion.pml", "-D", "3=N"],
}


def shown(arguments: list[str]) -> str:
    """What one call prints on both streams, without what differs from run to run."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            status = main([*arguments])
        except SystemExit as leaving:
            status = int(leaving.code or 0)
    lines = [steady(line).rstrip() for line in output.getvalue().splitlines()]
    return "\n".join([*lines, f"exit status {status}", ""])


def steady(line: str) -> str:
    """The summary without engine, time and memory; argparse lists choices differently in each version of Python."""
    line = re.sub(r"\(choose from .*\)", "(choose from ...)", line)
    return re.sub(r"^([\d,]+ states, [\d,]+ transitions, depth \d+); .*$", r"\1", line)


def about_model(name: str) -> str:
    return shown(["check", str(FOLDER / FILES[name]), "--no-color", *PLAIN])


def about_usage(name: str) -> str:
    return shown([argument.format(folder=FOLDER) for argument in USAGE[name]])


def about(name: str) -> str:
    return about_usage(name) if name in USAGE else about_model(name)


def recorded(name: str) -> str:
    return (paths.ROOT / FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*MODELS, *USAGE])
def test_message(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(paths.ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert about(name) == recorded(name)


def test_there_are_enough_models() -> None:
    assert len(MODELS) >= 55
    assert {p.stem for p in (paths.ROOT / FOLDER).glob("*.txt")} == {*MODELS, *USAGE}


@pytest.mark.parametrize("name", [*MODELS, *USAGE])
def test_no_traceback_and_no_success(name: str) -> None:
    text = recorded(name)
    assert "Traceback" not in text
    assert "internal error" not in text
    assert text.splitlines()[-1] == f"exit status {1 if name.startswith('fault_') else 2}"


@pytest.mark.parametrize("name", [m for m in MODELS if not m.startswith("fault_")])
def test_place_and_caret(name: str) -> None:
    """Each error names file, line and column, and the caret below the line stands at that column."""
    lines = recorded(name).splitlines()
    heads = [i for i, line in enumerate(lines) if ": error: " in line]
    assert heads
    for i in heads:
        place = re.match(r"(tests/data/golden/errors/\S+?):(\d+):(\d+): error: \S", lines[i])
        assert place, lines[i]
        source = (paths.ROOT / place[1]).read_text().splitlines()[int(place[2]) - 1]
        column = int(place[3])
        assert lines[i + 1] == f"  {source}".rstrip()
        assert re.fullmatch(" " * (column + 1) + r"\^+", lines[i + 2])
        assert len(lines[i + 2]) <= len(source) + 2
    assert lines[-2] == f"{len(heads)} error{'s' * (len(heads) != 1)}"


@pytest.mark.parametrize("name", [m for m in MODELS if m.startswith("fault_")])
def test_fault_has_kind_and_place(name: str) -> None:
    head = recorded(name).splitlines()[0]
    kinds = "assertion|deadlock|out-of-range|division-by-zero|channel-misuse"
    kinds += "|null-dereference|use-after-delete|double-delete|invariant"
    place = rf"\(tests/data/golden/errors/{re.escape(FILES[name])}:\d+:\d+\)"
    assert re.match(rf"(({kinds}): \S.*{place}|too-many-processes: \S.*)$", head), head


def update() -> None:
    os.chdir(paths.ROOT)
    os.environ["COLUMNS"] = "80"
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name in [*MODELS, *USAGE]:
        (FOLDER / f"{name}.txt").write_text(about(name), encoding="utf-8")
    print(f"{len(MODELS)} models and {len(USAGE)} requests recorded; look at the differences")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.front.test_golden_errors --update")
    update()
