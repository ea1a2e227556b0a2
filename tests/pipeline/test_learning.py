"""What a program shares is learnt in a few runs first; nothing depends on how few they are."""

from __future__ import annotations

import pytest

from isospin.core.verdict import Outcome
from isospin.pipeline.programs import python
from isospin.pipeline.programs.python import PythonHost, _load_program
from isospin.pipeline.programs.road import check_program
from isospin.pipeline.settings import ProgramOptions
from tests.support import paths


@pytest.mark.parametrize("probes", [0, 1, 2])
def test_a_search_may_begin_before_all_is_known(probes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "MOST_PROBES", probes)
    for name, outcome in (("locked_counter", Outcome.HOLDS), ("lost_update", Outcome.VIOLATED)):
        options = ProgramOptions()
        program = _load_program(paths.PROGRAMS / "python" / f"{name}.py", options, None, "__main__")
        assert check_program(PythonHost(program, options), options).outcome is outcome
