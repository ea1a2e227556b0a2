"""One model in all ways of the symbolic engine, against the reference search."""

from __future__ import annotations

from functools import cached_property

import pytest

from isospin.core.errors import Location
from isospin.core.model import Model, Template
from isospin.engines.contract import Exploration, Question
from isospin.engines.interp.search import explore as reference
from isospin.engines.symbolic import Method, explore
from isospin.pipeline.models.safety import confirm
from isospin.symmetry.detection.population import reachable_actions
from isospin.symmetry.folding.exchange import exchanges
from isospin.symmetry.reduction import Reduction, reduce
from isospin.transform.optimise import optimise

Places = set[tuple[str, Location]]


def places(found: Exploration) -> Places:
    return {(f.kind, f.location) for f in found.findings}


def kinds(found: Exploration) -> set[str]:
    return {f.kind for f in found.findings}


class Compared:
    """The expected answer, and every way to it."""

    def __init__(self, user: Model, level: str, most: int = 3000) -> None:
        self.user, self.model = user, optimise(user, level)
        self.expected = reference(self.model, self.question(most=most))
        self.reduction: Reduction = reduce(self.model, "auto", keep_start=True)
        self.pairs = exchanges(self.reduction.symmetries)

    def question(self, everything: bool = True, most: int | None = None) -> Question:
        return Question(all_errors=everything, deadlock=self.user.wants_deadlock, max_states=most)

    @property
    def is_large(self) -> bool:
        return bool(self.expected.incomplete)

    def forward(self, backend: str = "oxidd") -> None:
        """The same states, steps, violations and executed statements."""
        found = explore(self.model, self.question(), Method(backend=backend))
        if "nodes is full" in found.incomplete:
            pytest.skip("too large for the diagrams")
        assert not found.incomplete
        assert (found.states, places(found)) == (self.expected.states, places(self.expected))
        assert found.executed == self.expected.executed
        atomic = any(a.keeps_control for t in self.model.templates for a in t.actions)
        if not atomic and not any(v.hidden for v in self.model.globals):
            assert found.transitions == self.expected.transitions
        self.replay(found, None)

    def backward(self) -> None:
        found = explore(self.model, self.question(everything=False), Method("backward"))
        assert not found.incomplete
        assert bool(found.findings) == bool(self.expected.findings)
        assert places(found) <= places(self.expected)
        self.replay(found, None)

    def folded(self, strategy: str, direction: str) -> None:
        """With symmetry: at least one state of each orbit, the same kinds of violations."""
        forward = direction == "forward"
        method = Method(direction, strategy, self.pairs)
        found = explore(self.reduction.model, self.question(everything=forward), method)
        assert not found.incomplete
        if self.all_there and not self.has_unreachable_code:
            assert found.notes == (), "an exchange that was proved in the text is none in the diagrams"
        assert bool(found.findings) == bool(self.expected.findings)
        if forward:
            assert kinds(found) == kinds(self.expected)
            assert self.orbits <= found.states <= max(self.expected.states, self.orbits)
        self.replay(found, self.reduction)

    @property
    def all_there(self) -> bool:
        """Are all processes there from the start?  Exchanges that are none before that are not used on diagrams."""
        population = self.reduction.symmetries.population
        return population is not None and population.creator is None

    @property
    def has_unreachable_code(self) -> bool:
        """A diagram has steps that no run comes to; what they do is no obstacle for a symmetry of runs."""
        if any(len(reachable_actions(t)) < len(t.actions) for t in self.reduction.model.templates):
            return True
        return any(a.source not in self.entered(t) for t in self.model.templates for a in t.actions)

    def entered(self, template: Template) -> set[int]:
        """The locations that processes come to."""
        return {template.entry} | {a.target for a in template.actions if a.id in self.expected.executed}

    @cached_property
    def orbits(self) -> int:
        exact = reference(self.reduction.model, self.question(), self.reduction.strategy)
        return exact.states

    def replay(self, found: Exploration, reduction: Reduction | None) -> None:
        for finding in found.findings:
            confirm(self.user, self.model, finding, reduction)

    def all_ways(self) -> str:
        self.forward()
        self.backward()
        if self.pairs:
            for strategy in ("bdd-sorted", "gasr"):
                for direction in ("forward", "backward"):
                    self.folded(strategy, direction)
        return "violated" if self.expected.findings else "holds"
