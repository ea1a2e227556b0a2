"""Which accesses are visible is learnt, and the searches leave schedules out: neither may lose an outcome.

The reference is a plain search of every interleaving in which every access is visible; the outcomes are the final
values of all variables, and deadlocks.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from isospin.engine.stateless.host.python.explain import guided
from isospin.engine.stateless.host.python.program import Learnt, PythonProgram
from isospin.engine.stateless.protocol import Found
from isospin.engine.stateless.registry import explore
from isospin.engine.stateless.search import Asked
from tests.random_python import program

Outcomes = set[tuple[str, ...]]
MOST_EXECUTIONS = 150


class Watched(PythonProgram):
    """Writes down how each execution ends."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.outcomes: Outcomes = set()

    def stuck(self) -> Found | None:
        found = super().stuck()
        self.outcomes.add(("stuck",) if found else self.values())
        return None

    def values(self) -> tuple[str, ...]:
        space: dict[str, Any] = vars(sys.modules["__main__"])
        return tuple(repr(space[n]) for n in ("x", "y", "d", "items", "more", "nest")) + (repr(space["box"].v),)


def outcomes(file: Path, search: str, symmetry: str = "none", everything: bool = False) -> tuple[Outcomes, int, str]:
    host = Watched(str(file))
    asked = Asked(all_errors=True, symmetry=symmetry, max_executions=MOST_EXECUTIONS if search == "dfs" else None)
    try:
        guided(host, ())
        if everything:
            inside = [n for n, place in enumerate(host.sites.places) if place.function]  # not in main
            host.memory.learnt.shared.update(inside)
        while True:
            host.memory.begin_search()
            host.outcomes.clear()
            try:
                result = explore(host, search, asked)
            except Learnt:
                continue
            if not host.memory.again:
                return set(host.outcomes), result.executions, result.incomplete
    finally:
        host.close()


def compare(seed: int, folder: Path) -> bool:
    file = folder / f"random_{seed}.py"
    file.write_text(program(seed))
    want, whole, incomplete = outcomes(file, "dfs", everything=True)
    if incomplete:  # too many: then at least learning is compared with not learning
        want, whole, _ = outcomes(file, "optimal", everything=True)
    for search, symmetry in (("dpor", "none"), ("optimal", "none"), ("dpor", "discovered")):
        got, executions, cut = outcomes(file, search, symmetry)
        assert not cut
        # Exchanging threads does not change the variables: symmetry may not lose an outcome either.
        assert want == got, f"seed {seed}, {search}, symmetry {symmetry}: {want ^ got}"
        assert executions <= whole
    return not incomplete


@pytest.mark.parametrize("start", range(0, 20, 10))
def test_nothing_is_lost(start: int, tmp_path: Path) -> None:
    complete = sum(compare(seed, tmp_path) for seed in range(start, start + 10))
    assert complete >= 2


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1500, 50))
def test_nothing_is_lost_in_many(start: int, tmp_path: Path) -> None:
    assert sum(compare(seed, tmp_path) for seed in range(start, start + 50)) >= 10
