"""Folding by symmetry in the compiled engine: what it costs, and what each strategy costs.

All figures are CPU times of searches, the best of several runs that alternate, so that noise hits all alike.  The share
of canonicalisation is measured by folding every state twice: what that costs more is what folding costs.
"""

from __future__ import annotations

from dataclasses import dataclass

from isospin.core.model import Model
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore
from isospin.experiments.peterson import peterson
from isospin.front.promela.load import load_text
from isospin.symmetry.protocol import Folding
from isospin.symmetry.reduction import reduce
from isospin.transform.optimise import optimise

REPEAT = 5
LONG = 8.0  # seconds of CPU time: longer searches run once
TWICE = ("-DISOSPIN_FOLD_TWICE",)


@dataclass
class Contender:
    name: str
    model: Model
    folding: Folding | None = None
    flags: tuple[str, ...] = ()
    best: Exploration | None = None

    def run(self) -> None:
        if self.best is not None and self.best.cpu_seconds > LONG:
            return
        found = explore(self.model, Question(), flags=self.flags, folding=self.folding)
        if self.best is None or found.cpu_seconds < self.best.cpu_seconds:
            self.best = found

    @property
    def result(self) -> Exploration:
        assert self.best is not None
        return self.best

    @property
    def seconds(self) -> float:
        return self.result.cpu_seconds

    @property
    def per_state(self) -> float:
        return self.seconds / self.result.states


def contender(n: int, strategy: str, flags: tuple[str, ...] = ()) -> Contender:
    model = optimise(load_text(peterson(n), f"peterson{n}"), "spin")
    if strategy == "none":
        return Contender(f"Peterson-{n} unreduced", model)
    found = reduce(model, strategy)
    return Contender(f"Peterson-{n} {strategy}", found.model, found.folding, flags)


def race(*contenders: Contender) -> None:
    for one in contenders:  # compiled before the clock starts
        explore(one.model, Question(max_states=1), flags=one.flags, folding=one.folding)
    for _ in range(REPEAT):
        for one in contenders:
            one.run()
    for one in contenders:
        found = one.result
        stands = f" for {found.orbit_sum}" if found.orbit_sum else ""
        print(f"{one.name:28} {found.states:>9} states{stands}, {found.transitions} transitions, "
              f"{one.seconds:.3f} s, {1e9 * one.per_state:.0f} ns a state", flush=True)  # fmt: skip


def run() -> None:
    plain, once, twice = contender(6, "none"), contender(7, "exact"), contender(7, "exact", TWICE)
    race(plain, once, twice)
    share = (twice.seconds - once.seconds) / once.seconds
    print(f"cost of a stored state, exact against unreduced: {once.per_state / plain.per_state:.2f}x (at most 1.5x)")
    print(f"canonicalisation: {100 * share:.0f}% of the time (at most 15%)")
    segmented = contender(7, "segmented")
    race(once, segmented)
    print(f"exact against segmented, Peterson-7: {segmented.seconds / once.seconds:.0f}x faster (at least 20x)")
    six, every = contender(6, "exact"), contender(6, "enumerate")
    race(six, every)
    print(f"exact against enumerate, Peterson-6: {every.seconds / six.seconds:.0f}x faster (at least 100x)")
    race(contender(8, "exact"), contender(9, "exact"))
