"""Random models with blocks in blocks, labels, inlines, jumps and runs of skips: counts and verdicts are SPIN's."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from tests import spin
from tests.live_blocks import Asked, Said, compare, we_say
from tests.random_blocks import generate

RECORDED = list(csv.DictReader((Path(__file__).parent / "data" / "random-blocks.csv").open()))


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
