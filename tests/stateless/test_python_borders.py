"""Programs at the border of control: each has the verdict that its first line says, and never `holds` by a guess."""

from __future__ import annotations

from pathlib import Path

import pytest

from isospin.pipeline.programs import ProgramOptions, check_program

BORDERS = sorted((Path(__file__).parent.parent / "programs" / "borders").glob("*.py"))


@pytest.mark.parametrize("path", BORDERS, ids=lambda p: p.stem)
def test_the_border_is_seen(path: Path) -> None:
    outcome, *said = path.read_text().splitlines()[0].removeprefix("# expect: ").split(maxsplit=1)
    verdict = check_program(path, ProgramOptions(max_time=20))
    kinds = [v.kind for v in verdict.violations]
    assert verdict.outcome.value == outcome, [v.message for v in verdict.violations] or verdict.reason
    assert outcome != "violated" or kinds == said
    assert outcome != "incomplete" or " ".join(said) in verdict.reason
