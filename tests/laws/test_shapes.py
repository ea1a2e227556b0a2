"""The laws of folding on models in the shapes that people write: whatever symmetry is found is one."""

from __future__ import annotations

from isospin.core.errors import SourceError
from isospin.symmetry.audit import Walk
from isospin.symmetry.strategies import strategy
from tests.laws.folding import check_equivariance, check_laws, check_paths
from tests.laws.test_folding import LEVELS, check_verdict, random_symmetries
from tests.support.generators.random_shapes import generate


def check_shape(seed: int, most: int) -> bool:
    """All laws on one random model; is there a symmetry?"""
    text, level = generate(seed), LEVELS[seed % 3]
    _, found = random_symmetries(text, level)
    if found.order == 1:
        return False
    full = Walk(found, strategy("none", found), most).run()
    check_equivariance(found, full.states)
    check_laws(found, full.states[:: max(1, len(full.states) // 3)], [strategy("auto", found)])
    folded = Walk(found, strategy("auto", found), most).run()
    check_paths(found, folded)
    if full.complete:
        assert folded.complete
        assert set(folded.found) == set(full.found)
        assert population_is_open(found) or folded.orbit_sum == len(full.states)
        if full.found:
            check_verdict(text, level, set(full.found))
    return True


def population_is_open(found: object) -> bool:
    population = getattr(found, "population", None)
    return population is None or not population.closed or not getattr(found, "keeps_start", True)


def check_block(seeds: range, most: int = 300) -> int:
    found = 0
    for seed in seeds:
        try:
            found += check_shape(seed, most)
        except SourceError as error:  # pragma: no cover
            raise AssertionError(f"seed {seed}: {error}") from error
    return found
