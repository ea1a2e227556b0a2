"""Litmus tests as files: what the command says about them is what the oracles say."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from isospin.cli import main
from isospin.pipeline.programs.litmus import explore_states
from isospin.pipeline.settings import CProgramOptions
from tests.support import paths
from tests.support.litmus import families, writing
from tests.support.litmus.engine import MODELS, allowed
from tests.support.litmus.families import SHAPES
from tests.support.litmus.language import Program

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

EXAMPLES = paths.EXAMPLES / "litmus"
FOUR = ("SB", "MP", "LB", "2+2W", "R", "S")  # accesses: 81 combinations of orders each
RACE = "C Race\n{}\nP0 (int* x) { *x = 1; }\nP1 (int* x) { int r0 = *x; }\nexists (1:r0=1)\n"
SB = """C SB
{{}}
P0 (atomic_int* x, atomic_int* y) {{
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}}
P1 (atomic_int* x, atomic_int* y) {{
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}}
{question}
"""


def same(program: Program, memory: str, file: Path) -> None:
    file.write_text(writing.litmus(program))
    answer = explore_states(file, CProgramOptions(memory=memory))
    assert answer.is_complete, answer.verdict.reason
    found = Counter({tuple(sorted(state.items())): count for state, count in answer.states})
    assert found == allowed(program, memory), writing.litmus(program)


@pytest.mark.parametrize("memory", MODELS)
def test_store_buffering(memory: str, tmp_path: Path) -> None:
    same(next(families.all_orders("SB")), memory, tmp_path / "sb.litmus")


@pytest.mark.slow
@pytest.mark.parametrize("memory", MODELS)
@pytest.mark.parametrize("shape", FOUR)
def test_all_orders(shape: str, memory: str, tmp_path: Path) -> None:
    assert sum(3 ** len(families.words(SHAPES[shape])) for shape in FOUR) == 486
    for program in families.all_orders(shape):
        same(program, memory, tmp_path / "test.litmus")


@pytest.mark.parametrize(("memory", "question", "status", "word", "observed"), [
    ("rc11", "exists (0:r0=0 /\\ 1:r0=0)", 0, "Ok", "Sometimes 1 3"),
    ("rc11", "~exists (0:r0=0 /\\ 1:r0=0)", 1, "No", "Sometimes 1 3"),
    ("sc", "exists (0:r0=0 /\\ 1:r0=0)", 1, "No", "Never 0 3"),
    ("sc", "forall (0:r0=1 \\/ 1:r0=1)", 0, "Ok", "Always 3 0"),
    ("rc11", "forall (0:r0=1 \\/ 1:r0=1)", 1, "No", "Sometimes 3 1"),
])  # fmt: skip
def test_what_the_command_says(
    memory: str,
    question: str,
    status: int,
    word: str,
    observed: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "sb.litmus"
    file.write_text(SB.format(question=question))
    assert main(["litmus", str(file), "--memory", memory]) == status
    lines = capsys.readouterr().out.split("\n")
    states = 4 if memory == "rc11" else 3
    assert (lines[1], lines[2 + states]) == (f"States {states}", word)
    assert f"Observation SB {observed}" in lines


def test_several_files_as_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    race = tmp_path / "race.litmus"
    race.write_text(RACE)
    assert main(["litmus", str(EXAMPLES / "store_buffering.litmus"), str(race), "--json"]) == 1
    good, bad = json.loads(capsys.readouterr().out)["tests"]
    assert (good["ok"], len(good["states"]), good["negative"]) == (True, 3, 3)
    assert (bad["ok"], [v["kind"] for v in bad["violations"]]) == (None, ["race"])


def test_mistakes_of_c_are_told_at_their_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.litmus"
    file.write_text("C W\n{}\nP0 (atomic_int* x) {\n  int r0 = atomic_load(x) +;\n}\nexists (0:r0=0)\n")
    assert main(["litmus", str(file)]) == 2
    err = capsys.readouterr().err
    assert f"{file}:4:28: error: expected expression" in err
    assert "  int r0 = atomic_load(x) +;" in err
    assert main(["litmus", str(EXAMPLES / "nothing.litmus")]) == 2
    assert main(["litmus", "program.c"]) == 2


def test_what_is_cut_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sb.litmus"
    file.write_text(SB.format(question="~exists (0:r0=7)"))
    assert main(["litmus", str(file), "--max-executions", "1"]) == 3
    assert "Undecided\nIncomplete: stopped after 1 executions" in capsys.readouterr().out
