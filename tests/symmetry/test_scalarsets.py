"""Data symmetry: scalarset values are permuted like processes, and by the same strategies."""

from __future__ import annotations

from itertools import permutations
from math import factorial
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.core.model import Sort, Variable
from isospin.semantics.state import State
from isospin.symmetry.audit import Walk, audit
from isospin.symmetry.detection.detect import detect
from isospin.symmetry.detection.prepare import prepare
from isospin.symmetry.strategies import REGISTRY, strategy
from tests.support import spin
from tests.support.oracles.brute_symmetry import Brute, Layout
from tests.support.symmetric_models import CORPUS, EXAMPLES, example, symmetries_of

VALUES = (("cache", 2, Layout(arrays=("line",)), ()), ("register", 3, Layout(fields=(0,)), ("proposed",)))


class ValueBrute(Brute):
    """Permutations of the values too, by the types of the variables."""

    by_value: tuple[str, ...] = ()

    def act_values(self, values: tuple[int, ...], state: State) -> State:
        rename = (0, *values)

        def frame(variables: tuple[Variable, ...], old: tuple[int, ...]) -> tuple[int, ...]:
            new = list(old)
            for v in variables:
                for i in range(v.size):
                    value = old[v.base + i]
                    place = rename[i] if v.name in self.by_value else i
                    new[v.base + place] = rename[value] if v.type.sort is Sort.SCALARSET else value
            return tuple(new)

        processes = tuple(
            p._replace(frame=frame(self.model.templates[p.template].locals, p.frame)) for p in state.processes
        )
        channels = []
        for c in state.channels:
            fields = self.interpreter.channel_types[c.type].fields
            messages = [
                tuple(rename[v] if f.sort is Sort.SCALARSET else v for v, f in zip(m, fields, strict=True))
                for m in c.messages
            ]
            channels.append(c._replace(messages=tuple(messages)))
        globals_ = frame(self.model.globals, state.values)
        return state._replace(values=globals_, processes=processes, channels=tuple(channels))


@pytest.mark.parametrize(("name", "size", "layout", "by_value"), VALUES, ids=lambda x: x if isinstance(x, str) else "")
def test_orbits_as_by_brute_force(name: str, size: int, layout: Layout, by_value: tuple[str, ...]) -> None:
    found = example(name, "none", ("N=2",))
    brute = ValueBrute(found.model, layout)
    brute.by_value = by_value
    pids, values = brute.group(), [tuple(v) for v in permutations(range(1, size + 1))]
    for perm in values:
        for state, after in brute.graph.items():
            image = brute.graph[brute.act_values(perm, state)]
            assert image == frozenset(brute.act_values(perm, s) for s in after)
    assert found.order == len(pids) * len(values)
    left, orbits = set(brute.graph), 0
    while left:
        state = next(iter(left))
        left -= {brute.act(p, brute.act_values(v, state)) for p in pids for v in values}
        orbits += 1
    for other in ("exact", "enumerate", "segmented"):
        walk = Walk(found, strategy(other, found)).run()
        assert len(walk.states) == orbits
        assert walk.orbit_sum == len(brute.graph)


@pytest.mark.parametrize("one", REGISTRY)
@pytest.mark.parametrize("name", ["cache", "register"])
def test_every_strategy_takes_values(name: str, one: str) -> None:
    found = example(name, "full", ("N=2",))
    full = Walk(found, strategy("none", found)).run()
    walk = Walk(found, strategy(one, found)).run()
    assert set(walk.found) == set(full.found) == set()
    assert one == "none" or len(walk.states) < len(full.states)


@pytest.mark.parametrize(("name", "n", "size"), [("cache", 3, 2), ("register", 3, 3)])
def test_values_are_reported_as_a_family(name: str, n: int, size: int) -> None:
    found = example(name, "none", (f"N={n}",))
    assert found.order == factorial(n) * factorial(size)
    assert (found.families[-1].size, found.families[-1].group) == (size, "symmetric")
    assert found.families[-1].name in ("Data", "Value")
    assert f"({found.families[-1].name}#1 {found.families[-1].name}#2)" in found.justification


@pytest.mark.parametrize("path", sorted(CORPUS.glob("scalar_*.pml")), ids=lambda p: p.stem)
def test_what_types_let_pass_is_cut(path: Path) -> None:
    lines = [i for i, line in enumerate(path.read_text().splitlines(), 1) if "breaks" in line]
    prepared = prepare(pipeline.load(path))
    found = detect(prepared.model)
    assert not any(f.name == "Value" and f.group == "symmetric" and f.size > 2 for f in found.families)
    assert set(lines) <= {r.location.line for r in found.refused}
    assert audit(found, strategy("auto", found)).agrees


def test_a_counterexample_names_the_values_that_occurred() -> None:
    """Unwinding maps values back: the run replays on the unreduced model (or there would be an InternalError)."""
    text = (EXAMPLES / "register.pml").read_text().replace("heard == decided)", "heard != decided)")
    runs = [("interp", name) for name in ("exact", "enumerate", "segmented", "markers", "sorted")]
    for engine, name in [*runs, ("explicit", "exact")]:
        options = pipeline.Options(engine=engine, symmetry=name)
        verdict = pipeline.check(pipeline.load(text, ("N=2",)), options)
        assert [v.kind for v in verdict.violations] == ["assertion"]
        changes = [c for step in verdict.violations[0].trace.steps for c in step.changes]
        assert any(str(after).startswith("Value#") for _, (_, after) in changes)


def test_values_are_symmetric_where_processes_are_not() -> None:
    found = symmetries_of(
        "scalarset(3) Value; Value own[2]; bool ready;\n"
        "active proctype start() { atomic { select (own[0] : Value); select (own[1] : Value);"
        " own[0] != own[1] -> ready = 1 } }\n"
        "active [2] proctype user() { Value v; ready; do :: v = own[_pid - 1] :: v = undefined od }\n"
    )
    assert [(f.name, f.size, f.group) for f in found.families] == [("Value", 3, "symmetric")]
    assert audit(found, strategy("auto", found)).agrees


def test_the_example_of_the_manual_is_a_model() -> None:
    page = (EXAMPLES.parent.parent / "docs" / "reference" / "spin.md").read_text()
    text = page.split("```promela\n")[1].split("```")[0]
    found = symmetries_of(text)
    assert found.order == 12
    assert audit(found, strategy("auto", found)).agrees


@pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")
@pytest.mark.parametrize("name", ["cache", "register"])
def test_spin_reads_the_same_file(name: str) -> None:
    """With -DSPIN the scalarset is a byte; the state spaces have the same size."""
    path = EXAMPLES / f"{name}.pml"
    run = spin.plain_run(path, defines=("SPIN", "N=2"))
    model = pipeline.load(path, ("N=2",))
    options = pipeline.Options(engine="interp", symmetry="none", optimise="none", por="off", all_errors=True)
    assert pipeline.check(model, options).statistics.states == run.states
