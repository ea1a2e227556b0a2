"""The tables that the stateless searches are measured by, with what other people found."""

from __future__ import annotations

from isospin.core.model import Model
from isospin.core.verdict import Verdict
from isospin.experiments.verisoft import state_space as transitions_of_all_states
from isospin.pipeline import check, load, options
from tests.support import paths

EXAMPLES = paths.EXAMPLES / "stateless"

# VeriSoft's Table 1: transitions of the state space, of plain stateless search (0: too many), with persistent and sleep
# sets (the paper's, and what a smallest closure gives), and with symmetry.
VERISOFT = {
    2: (18, 18, (17, 17), (9, 9)),
    3: (123, 1680, (75, 67), (37, 32)),
    4: (708, 386816, (275, 198), (133, 90)),
    5: (3765, 0, (959, 507), (461, 220)),
}

# Mazurkiewicz traces (brute force), and how many at most are needed up to symmetry (None: there is none).
TRACES: dict[str, dict[int, tuple[int, int | None]]] = {
    "lockers": {n: (f, 1) for n, f in ((2, 2), (3, 6), (4, 24), (5, 120), (6, 720), (7, 5040), (8, 40320))},
    "counter": {2: (4, 2), 3: (36, 6), 4: (576, 24)},
    "readers": {n: (2**n, n + 1) for n in range(2, 9)},
    "store_buffering": {2: (3, 2), 3: (7, 3), 4: (15, 5), 5: (31, None), 6: (63, None)},
    "lastzero": {3: (12, None), 5: (64, None), 7: (320, None), 10: (3328, None)},
    "indexer": {11: (1, None), 12: (8, None), 13: (64, None), 14: (512, None)},
    "filesystem": {13: (1, None), 14: (2, None), 16: (8, None), 18: (32, None), 20: (128, None)},
    "philosophers": {2: (3, 2), 3: (7, 3), 4: (15, None), 5: (31, None)},
    "philosophers_right": {2: (2, None), 3: (6, None), 4: (14, None), 5: (30, None)},
}
EXPENSIVE = {("lockers", 6), ("lockers", 7), ("lockers", 8), ("lastzero", 7), ("lastzero", 10), ("indexer", 13),
             ("indexer", 14), ("filesystem", 18), ("filesystem", 20), ("readers", 7), ("readers", 8)}  # fmt: skip


def example(name: str, n: int) -> Model:
    return load(EXAMPLES / f"{name}.pml", (f"N={n}",))


def run(name: str, n: int, search: str, symmetry: str = "none", permutation: str | None = None) -> Verdict:
    asked = options(
        engine="stateless", search=search, symmetry=symmetry, permutation=permutation, all_errors=True,
        max_depth=100_000,
    )  # fmt: skip
    return check(example(name, n), asked)


def state_space(name: str, n: int) -> int:
    """The transitions between the reachable states of a model, by plain enumeration."""
    return transitions_of_all_states(example(name, n))
