"""A reduced search from both ends: what to search and how to fold it, and what that means for the user's model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..core.model import Model
from ..core.permutation import Permutation
from ..core.records import dataclass
from ..core.trace import Choice, FoldedChoice, Start
from ..core.verdict import Refusal, Symmetry
from ..semantics.explain import shared
from ..semantics.interp import Interpreter
from ..transform.optimise import original_path, originals
from .coverage import ended, reached
from .detection.births import Births, find_births
from .detection.detect import detect
from .detection.prepare import Prepared, prepare, with_all_deaths, with_deaths
from .detection.symmetries import Symmetries
from .folding.heap import HeapFold
from .folding.tables import tables
from .groups.group import Group
from .protocol import CANONICAL, Folding, Strategy
from .strategies import strategy
from .strategies.base import Base
from .summary import summary
from .unwind import unwind, unwind_lasso
from .unwind_births import unwind_births, unwind_births_lasso


@dataclass(frozen=True)
class Reduction:
    """What is searched instead of the user's model, and what that means for the model."""

    prepared: Prepared
    symmetries: Symmetries
    strategy: Strategy

    @property
    def model(self) -> Model:
        """What to search."""
        return self.prepared.model

    @property
    def folds(self) -> bool:
        """Is there anything to fold?  If not, the model is searched as it is."""
        moves = self.symmetries.order > 1 or self.symmetries.births is not None
        return self.symmetries.heap is not None or (moves and self.strategy.name != "none")

    @property
    def report(self) -> Symmetry:
        return summary(self.prepared, self.symmetries, self.strategy)

    @property
    def folding(self) -> Folding | None:
        """The strategy for engines that are compiled; None if it folds nothing."""
        return tables(self.symmetries, self.strategy)

    @property
    def counts_states(self) -> bool:
        """Do the orbit sizes sum to the number of states of the unreduced run?"""
        found, population = self.symmetries, self.symmetries.population
        if found.heap is not None or found.births is not None or not found.keeps_start:
            return False
        return self.strategy.exactness == CANONICAL and (population is None or population.closed)

    @property
    def alike(self) -> Iterator[tuple[int, frozenset[int]]]:
        """Locations of one template (by number) that a symmetry may exchange."""
        if not isinstance(self.strategy, Base) or self.symmetries.order == 1 or self.symmetries.population is None:
            return
        processes = self.symmetries.population.state.processes
        for process, places in zip(processes, self.strategy.shape.places, strict=False):
            for orbit in {owner.orbit for owner in places.values()}:
                yield process.template, frozenset(n for n, owner in places.items() if owner.orbit == orbit)

    def original(
        self, user: Model, choices: Sequence[Choice], folds: Sequence[Permutation | None], kind: str, start: Start = ()
    ) -> list[Choice]:
        """A path of the reduced search as a path of the user's model, in the user's process numbers."""
        if self.symmetries.births is not None:
            known = [*folds, *[None] * (len(choices) - len(folds))]
            choices = unwind_births(self.symmetries, map(FoldedChoice, choices, known), start, kind == "deadlock")
            return original_path(self.model, choices)
        if folds or self.symmetries.heap is not None:
            known = [*folds, *[None] * (len(choices) - len(folds))]
            folded = map(FoldedChoice, choices, known)
            choices = unwind(self.symmetries, folded, strategy=self.strategy, start=start)
        else:
            choices = list(shared(self.symmetries.interpreter, choices))
        path = original_path(self.model, choices)
        return with_deaths(user, path, to_the_end=kind == "deadlock") if self.prepared.deaths_removed else path

    def original_lasso(
        self, user: Model, choices: Sequence[Choice], folds: Sequence[Permutation | None], start: int
    ) -> tuple[list[Choice], list[Choice]]:
        """A path and a cycle of the reduced search as those of the user's model."""
        folded = list(map(FoldedChoice, choices, folds or [None] * len(choices)))
        unwound = unwind_lasso if self.symmetries.births is None else unwind_births_lasso
        prefix, cycle = unwound(self.symmetries, folded[:start], folded[start:])
        prefix, cycle = original_path(self.model, prefix), original_path(self.model, cycle)
        return with_all_deaths(user, prefix, cycle) if self.prepared.deaths_removed else (prefix, cycle)

    def executed(self, user: Model, ids: set[int]) -> set[int]:
        """What the unreduced run of the user's model would execute."""
        found = originals(self.model, reached(self.symmetries, ids))
        without_deaths = self.prepared.deaths_removed or self.symmetries.births is not None
        return found | ended(user, found) if without_deaths else found


def reduce(
    model: Model, name: str, main_array: str | None = None, heap: bool = True, keep_start: bool = False
) -> Reduction:
    """Find the symmetries of a model, and choose the strategy with this name; `heap`: fold heaps too."""
    prepared = prepare(model)
    found = detect(prepared.model, model.claims, keep_start, prepared.loops)
    live = None if keep_start else find_births(model)
    if isinstance(live, Births) and _folds_more(live, found):
        prepared = Prepared(live.model)
        refused = found.refused if _begin_differently(found) else ()
        found = Symmetries(live.model, Interpreter(live.model), Group((), 0), refused, births=live)
    elif isinstance(live, Refusal) and found.order == 1:
        prepared = replace(prepared, refused=(*prepared.refused, live))
    if heap and model.objects:
        found = replace(found, heap=HeapFold(found.interpreter))
    return Reduction(prepared, found, strategy(name, found, main_array))


def _begin_differently(found: Symmetries) -> bool:
    """Are processes of one template given different values?  Sorted or not, they stay different, for a reason."""
    if found.population is None:
        return False
    processes = set(found.population.state.processes)
    return len(processes) > len({p.template for p in processes})


def _folds_more(births: Births, found: Symmetries) -> bool:
    """Is it better to sort the live processes than to permute those that are there in the end?

    A group knows more where processes are given different values, as names; but it folds only when all are there.
    """
    if found.order == 1:
        return bool(births.names)
    if found.population is None or found.population.closed:
        return False
    processes = found.population.state.processes
    return all(len({processes[p] for p in pids if p < len(processes)}) == 1 for _, pids, _ in found.orbits)
