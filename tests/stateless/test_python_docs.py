"""Every example of docs/python-programs.md does what the page says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from isospin import check

PAGE = Path(__file__).parent.parent.parent / "docs" / "python-programs.md"
EXAMPLES = re.findall(r"```python\n# (\w+)(?:: ([^\n]+))?\n(.*?)```", PAGE.read_text(), re.S)


def test_all_examples_are_found() -> None:
    assert len(EXAMPLES) == PAGE.read_text().count("```python") >= 7


@pytest.mark.parametrize(("outcome", "what", "text"), EXAMPLES)
def test_example(outcome: str, what: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(text)
    if outcome == "tests":
        functions = {n: f for n, f in runpy.run_path(str(file), run_name="example").items() if n.startswith("test_")}
        failed = []
        for name, function in functions.items():
            try:
                function()
            except AssertionError:
                failed.append(name)
        assert (len(functions), f"{len(failed)} failed") == (2, what)
        return
    verdict = check(file)
    assert verdict.outcome.value == outcome
    assert not what or what in verdict.reason + " ".join(v.kind for v in verdict.violations)
