"""Random models with blocks in blocks, labels, inlines, jumps and runs of skips: counts and verdicts are SPIN's."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from isospin.pipeline import Options, check, load
from tests.support import paths, spin
from tests.support.generators.random_blocks import generate
from tests.support.oracles.live_blocks import Asked, Said, compare, we_say

RECORDED = list(csv.DictReader((paths.RECORDED / "random-blocks.csv").open()))


def recorded(row: dict[str, str]) -> Said:
    plain = int(row["states"]), int(row["transitions"]), row["errors"] == "True"
    default = (int(row["default_states"]), int(row["default_transitions"])) if row["default_states"] else None
    cycles = [None if row[name] == "" else row[name] == "True" for name in ("acceptance", "non_progress")]
    return Said(plain, default, *cycles)


@pytest.mark.parametrize("row", RECORDED, ids=lambda r: r["seed"])
def test_as_spin_said(row: dict[str, str], tmp_path: Path) -> None:
    path, said = tmp_path / "model.pml", recorded(row)
    path.write_text(generate(int(row["seed"])))
    known = (said.default, said.acceptance, said.non_progress)
    assert we_say(path, Asked(*(answer is not None for answer in known))) == said


LABELS = {  # labels on the first statement of an option count behind it
    "accept": ("byte x; active proctype P() { do :: accept: x = 1 - x; x = x od }", "acceptance", "violated"),
    "progress": ("byte x; active proctype P() { do :: progress: x = 1 - x; x = x od }", None, "holds"),
    "end": ("byte x; active proctype P() { if :: if :: end: x == 0 -> false fi fi }", "", "holds"),
    "np_ in ltl": ("byte x; active proctype P() { do :: x = 1; progress: x = 0 od } ltl p { []<> !np_ }", "p", "holds"),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_in_options(name: str) -> None:
    text, claim, wanted = LABELS[name]
    found = check(load(text), Options(engine="interp", ltl=claim or None, non_progress=claim is None))
    assert found.outcome.value == wanted
    assert bool(found.warnings) == (name != "np_ in ltl")


@pytest.mark.parametrize("engine", ["interp", "symbolic"])
def test_a_rendezvous_in_a_d_step_is_an_error(engine: str) -> None:
    text = """chan q = [0] of { byte }; byte c;
        active proctype P() { c = 3; d_step { c = 1; q!1; c = 2 } }
        active proctype Q() { q?c }"""
    found = check(load(text), Options(engine=engine))
    assert [v.kind for v in found.violations] == ["channel-misuse"]


@pytest.mark.slow
@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("part", range(10))
def test_a_thousand_as_spin_says(part: int, tmp_path: Path) -> None:
    sums: Counter[str] = Counter()
    seed = 1000 + 10000 * part
    while sums["equal"] < 100:
        sums[compare(seed, tmp_path)] += 1
        seed += 1
    assert sums["equal"] > sums["refused"]
