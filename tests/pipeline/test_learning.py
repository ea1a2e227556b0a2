"""What a program shares is learnt in a few runs first; nothing depends on how few they are."""

from __future__ import annotations

import pytest

import isospin
from isospin.core.verdict import Outcome
from isospin.pipeline.programs import python
from tests.support import paths


@pytest.mark.parametrize("probes", [0, 1, 2])
def test_a_search_may_begin_before_all_is_known(probes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "MOST_PROBES", probes)  # the process that runs the program is a copy of this one
    for name, outcome in (("locked_counter", Outcome.HOLDS), ("lost_update", Outcome.VIOLATED)):
        assert isospin.check(paths.PROGRAMS / "python" / f"{name}.py").outcome is outcome
