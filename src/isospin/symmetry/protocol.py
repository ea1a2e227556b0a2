"""What an engine knows of symmetry: a strategy folds a state.

A strategy is one file in `strategies/`, in the registry there; the laws in `tests/symmetry` run over all of them.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple, Protocol

from ..ir.evaluate import State
from ..trace import Permutation

CANONICAL, SOUND, APPROXIMATE = "canonical", "sound", "approximate"


class Folded(NamedTuple):
    """What to remember of a state, which state to go on from, and the permutation that made it."""

    key: Hashable  # states with the same key count as one; what the model hides is not in it
    state: State  # a state of the same orbit
    permutation: Permutation | None = None  # None: the state itself; empty: processes stay, objects were renumbered


class Strategy(Protocol):
    name: str
    exactness: str  # canonical: one key for each orbit; sound: at least one; approximate: orbits may share a key

    def fold(self, state: State, origin: State | None = None) -> Folded:
        """Fold a state; `origin` is the stored state that it comes from, for strategies that depend on the path."""

    def orbit_size(self, state: State) -> int | None:
        """How many states the representative stands for; None if this strategy cannot say."""
