"""Locks: what they protect is as good as local, what is not quite a lock is none, and verdicts stay the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from isospin import pipeline
from isospin.analysis.effects import StepEffects
from isospin.analysis.locks import Locks
from isospin.analysis.points import never_compared
from isospin.core.model import Allocate, Model, Template
from isospin.transform.optimise import optimise
from tests.analysis.test_ample_heap import WAYS, check_law, check_same, compare, violations
from tests.support import paths
from tests.support.generators.random_locks import generate


def found(model: Model, level: str = "none") -> Locks:
    searched = optimise(model, level, por=True)
    return StepEffects(replace(searched, unaliased=never_compared(searched))).locks


def names(model: Model, keys: frozenset[tuple[str, int]]) -> set[str]:
    tables = {"": model.globals, **{o.name: o.fields for o in model.objects}}
    return {f"{kind}.{v.parts[-1]}".lstrip(".") for kind, base in keys for v in tables[kind] if v.base == base}


# ------------------------------------------------------------------------------------------------ what is a lock

NODE = "typedef Node { bool locked; byte val; Node *next }\nNode *g; byte n; bool busy;\n"
START = "init { atomic { g = new Node; run P(); run P() } }\n"


@pytest.mark.parametrize("level", ["none", "full"])
def test_what_a_lock_protects(level: str) -> None:
    for name, fields in (("btree.pml", {"count", "key", "child", "inner"}),
                         ("btree_star.pml", {"count", "key", "child", "inner", "leaf"})):  # fmt: skip
        model = pipeline.load(paths.EXAMPLES / "heap" / name)
        locks = found(model, level)
        assert names(model, locks.locks) == {"root_locked", "Node.locked"}
        assert names(model, locks.protected) == {"root", "depth", *(f"Node.{f}" for f in fields)}


NO_LOCKS = {
    "looked at in passing": "atomic { !g->locked -> g->locked = true }; n = p->locked",
    "given back by somebody else": "p = g; p->locked = false",
    "beside else": "p = g; if :: atomic { !p->locked -> p->locked = true } :: else -> n = 1 fi",
    "in the middle of an atomic sequence": "p = g; atomic { n = 1; !p->locked -> p->locked = true }",
    "not taken in one step": "p = g; !p->locked; p->locked = true",
    "another way in a d_step": "p = g; d_step { if :: !p->locked -> p->locked = true :: n == 0 -> n = 1 fi }",
    "deleted by who does not hold it": "p = g; atomic { !p->locked -> p->locked = true }; q = g; delete q",
    "given back twice": "p = g; atomic { !p->locked -> p->locked = true }; q = p; q->locked = false; p->locked = false",
    "the variable names another object": "p = g; atomic { !p->locked -> p->locked = true }; p = p->next; p->locked = 0",
}


@pytest.mark.parametrize("why", NO_LOCKS)
def test_what_is_no_lock(why: str) -> None:
    model = pipeline.load(f"{NODE}proctype P() {{ Node *p, *q; {NO_LOCKS[why]} }}\n{START}")
    assert "Node.locked" not in names(model, found(model).locks)


def test_what_two_ways_have_in_common() -> None:
    """SOUND: on one way p and q name one object, on the other two; only one of them may be known to be locked."""
    take = "atomic { !p->locked -> p->locked = true }"
    both = f"{take}; if :: q = p :: q = new Node; q->locked = true fi; p->locked = false; q->val++; q->locked = false"
    model = pipeline.load(f"{NODE}proctype P() {{ Node *p, *q; p = g; {both} }}\n{START}")
    assert "Node.locked" not in names(model, found(model).locks)


def test_what_is_null_or_locked() -> None:
    """The next node is locked if there is one: hand over hand along a list."""
    model = pipeline.load(paths.EXAMPLES / "heap" / "locked_list.pml")
    locks = found(model)
    assert names(model, locks.locks) == {"counting", "Node.locked"}
    assert names(model, locks.protected) == {"length", "Node.key", "Node.next"}


# ------------------------------------------------------------------------------------------------ traps

TRAPS = {
    "two locks that are always taken together": """bool a, b; byte n;
        active [2] proctype P() { atomic { !a && !b -> a = true; b = true }; n++; assert(_pid == 0) }
        """,
    "who sees that a lock is taken": """bool busy; byte n;
        active proctype P() { atomic { !busy -> busy = true }; n = 1; n = 0; busy = false }
        active proctype Q() { if :: atomic { !busy -> busy = true } :: else -> assert(n == 0) fi }
        """,
    "an atomic sequence that must wait": """bool busy; byte n, m;
        active proctype P() { atomic { !busy -> busy = true }; busy = false }
        active proctype Q() { atomic { n = 1; !busy -> busy = true; n = 0 } }
        active proctype R() { assert(n == 0) }
        """,
    "a condition that faults before it asks for the lock": """typedef T { byte x }
        T *g; bool busy;
        active proctype P() { g = new T; atomic { !busy -> busy = true }; g = null; g = new T; busy = false }
        active proctype Q() { atomic { g->x == 0 && !busy -> busy = true }; assert(g != null); busy = false }
        """,
    "what is looked at without the lock": """bool busy; byte n;
        active [2] proctype P() { atomic { !busy -> busy = true }; n = 1; n = 0; busy = false }
        active proctype Q() { assert(n == 0) }
        """,
    "a property looks at what is locked": """bool busy; byte n;
        active [2] proctype P() { atomic { !busy -> busy = true }; n = 1; n = 0; busy = false }
        ltl never_one { [] (n == 0) }
        """,
}


@pytest.mark.parametrize("name", TRAPS)
def test_traps(name: str) -> None:
    model = pipeline.load(TRAPS[name])
    for level in ("none", "full"):
        whole = violations(model, symmetry="none", por="off", optimise="none", leaks=False)
        assert whole, "every trap has something to find"
        check_same(violations(model, symmetry="none", por="on", optimise=level) or set(), whole, True, name)


def test_waiting_for_a_lock_and_fairness() -> None:
    """SOUND: with weak fairness it matters in which states somebody can move; verdicts are those without reduction."""
    text = """bool busy; byte n;
        active [2] proctype P() { do :: atomic { !busy -> busy = true }; n = 1 - n; busy = false od }
        active proctype Q() { atomic { !busy -> busy = true }; busy = false; done: skip }
        ltl gets_it { <> (Q@done) }
        """
    for fair in (False, True):
        options = [pipeline.options(engine="interp", ltl="gets_it", fair=fair, por=por) for por in ("off", "on")]
        one, other = (pipeline.check(pipeline.load(text), chosen).outcome for chosen in options)
        assert one is other


# ------------------------------------------------------------------------------------------------ verdicts and counts


@pytest.mark.parametrize("block", range(4))
def test_random_models(block: int) -> None:
    for seed in range(5 * block, 5 * block + 5):
        model = pipeline.load(generate(seed))
        compare(model, seed, ("full", "none")[seed % 2], [WAYS[seed % 8]], 300, leaks=False)
        check_law(model, ("none", "full")[seed % 2])


@pytest.mark.slow
@pytest.mark.parametrize("block", range(60))
def test_more_random_models(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        model = pipeline.load(generate(seed))
        compare(model, seed, ("full", "none")[seed % 3 == 0], [WAYS[seed % 8], WAYS[0]], 4000, leaks=False)
        if seed % 3 == 0:
            check_law(model, ("none", "full")[seed % 2])


def test_generated_models_have_locks() -> None:
    models = [pipeline.load(generate(seed)) for seed in range(40)]
    assert sum(bool(found(m).locks) for m in models) > 20
    assert sum(not found(m).locks for m in models) > 3


def test_symmetric_independence_pays() -> None:
    """Allocations are all that stands between two locks; where they depend on each other, everybody moves there."""
    model = pipeline.load(paths.EXAMPLES / "heap" / "btree_star.pml", ("D=2",))
    counts = [pipeline.check(model, pipeline.options(engine="interp", por=por)).states for por in ("on", "standard")]
    assert counts[0] * 3 < counts[1]


def glued(model: Model) -> Model:
    """The model in which each allocation is taken together with the step before it: nobody ever comes between."""

    def together(template: Template) -> Template:
        before = {a.source for a in template.actions if isinstance(a.step, Allocate)}
        return replace(template, actions=tuple(
            replace(a, keeps_control=True) if a.target in before else a for a in template.actions
        ))  # fmt: skip

    return replace(model, templates=tuple(map(together, model.templates)))


def stored(model: Model, por: str, engine: str) -> int:
    return pipeline.check(model, pipeline.options(engine=engine, por=por)).states


def saved_at_most(name: str, defines: tuple[str, ...], engine: str = "interp") -> float:
    """How many times fewer states there would be if allocations cost nothing at all.

    In the glued model they are no steps of their own, and with symmetric independence they stand in nobody's way.
    """
    model = pipeline.load(paths.EXAMPLES / "heap" / name, defines)
    return stored(model, "standard", engine) / stored(glued(model), "on", engine)


def test_what_symmetric_independence_can_save_at_most() -> None:
    """On the plain tree locks decide, whatever is known of allocations; on the other one allocations do."""
    assert saved_at_most("btree.pml", ()) < 1.2
    assert saved_at_most("btree_star.pml", ("D=2",)) > 3


@pytest.mark.slow
def test_what_it_can_save_at_most_in_the_size_of_the_paper() -> None:
    size = ("N=2", "K=4", "D=3")
    assert saved_at_most("btree.pml", size, "explicit") < 1.2
    assert saved_at_most("btree_star.pml", size, "explicit") > 2.5
