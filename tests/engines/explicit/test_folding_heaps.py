"""The compiled engine folds heaps as the interpreter does, alone and with processes and scalarset values."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.core.model import Model
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore, objection
from isospin.engines.explicit.codegen.render import render
from isospin.engines.explicit.drive.build import compiler, includes
from isospin.engines.explicit.state.facts import gather
from isospin.engines.explicit.state.layout import lay_out
from isospin.engines.explicit.state.probe import probe
from isospin.engines.interp.search import explore as explore_interpreted
from isospin.semantics.explain import explain
from isospin.semantics.interp import Interpreter
from isospin.symmetry.reduction import Reduction, reduce
from isospin.transform.optimise import optimise
from tests.support import paths
from tests.support.generators.random_heap import generate, generate_valued

EXAMPLES = paths.EXAMPLES / "heap"
MOST_STATES = 3000
WAYS = [("none", True), ("exact", True), ("exact", False), ("enumerate", True), ("segmented", True)]
SEARCHES = [("bfs", 1), ("dfs", 1), ("bfs", 2)]


def summary(found: Exploration) -> tuple[object, ...]:
    kinds = {f.kind for f in found.findings}
    return found.states, found.transitions, kinds, bool(found.incomplete), found.orbit_sum


def check_traces(user: Model, one: Reduction, found: Exploration) -> None:
    """Every finding happens on the model that the user wrote."""
    for finding in found.findings:
        path = one.original(user, finding.path, finding.folds, finding.kind)
        interpreter = Interpreter(user.unbounded())
        _, faults, final = explain(interpreter, path, until=(finding.kind, finding.location))
        stuck = interpreter.stuck(final) if final is not None and not interpreter.steps(final) else None
        assert finding.kind in {f.kind for f in (*faults, *([stuck] if stuck else []))}


def check_same(
    user: Model, level: str, name: str, heap: bool, search: str = "bfs", threads: int = 1, most: int = MOST_STATES
) -> Exploration | None:
    """What the compiled engine found, which is what the interpreter found; None if there is nothing to compare."""
    one = reduce(optimise(user, level), name, None, heap)
    if not one.folds or (name != "none" and one.symmetries.order == 1):
        return None
    asked = Question(search=search, all_errors=True, max_states=most)
    expected = explore_interpreted(one.model, asked, one.strategy)
    if expected.states >= most:
        return None
    folding = one.folding
    assert folding is not None
    assert not objection(one.model, folding)
    found = explore(one.model, Question(search=search, threads=threads, all_errors=True), "-O0", folding=folding)
    assert summary(found) == summary(expected), (level, name, heap)
    check_traces(user, one, found)
    return found


# ------------------------------------------------------------------------------------------------ random models


def random_model(seed: int, valued: bool) -> Model:
    model = pipeline.load(generate_valued(seed) if valued else generate(seed))
    return replace(model, max_recursion=5, watch_leaks=seed % 3 == 0)


@pytest.mark.parametrize(("seed", "valued"), [(8, False), (17, False), (1002, True), (1004, True)])
def test_random_model(seed: int, valued: bool) -> None:
    assert check_same(random_model(seed, valued), "full" if seed % 2 else "none", "exact", True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(120))
@pytest.mark.parametrize("valued", [False, True])
def test_many_random_models(seed: int, valued: bool) -> None:
    user = random_model(seed, valued)
    for level in ("none", "full"):
        for way in WAYS:
            check_same(user, level, *way, *SEARCHES[seed % 3])


# ------------------------------------------------------------------------------------------------ examples

SMALL = {"ordered_list": ("L=2",), "stack": ("MOST=1",)}


def test_example() -> None:
    assert check_same(pipeline.load(EXAMPLES / "stack.pml", SMALL["stack"]), "full", "none", True, most=20_000)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.pml")), ids=lambda p: p.stem)
def test_every_example(path: Path) -> None:
    user = replace(pipeline.load(path, SMALL.get(path.stem, ())), watch_leaks="leak" in path.read_text())
    for way in WAYS:
        for search, threads in SEARCHES:
            check_same(user, "full", *way, search, threads, most=20_000)


# ------------------------------------------------------------------------------------------------ what is hard

LISTS = """
typedef Node { bit key; Node *next };
active [3] proctype P() {
    Node *top, *n; byte i;
    do
    :: i < 2 -> n = new Node; n->key = i; n->next = top; top = n; n = null; i++
    :: i == 2 -> top = top->next; i++
    :: else -> break
    od
}
"""  # objects that only pointers that move lead to, alike for all processes

PAIRS = """
typedef Box { pid first; Box *other };
Box *shared; chan c = [2] of { Box *, pid };
proctype P() {
    Box *mine; pid from;
    if
    :: atomic { shared == null -> mine = new Box; mine->first = _pid; shared = mine }
    :: atomic { shared != null -> mine = shared; shared = null };
        mine->other = new Box; mine->other->first = mine->first
    fi;
    if
    :: c!mine,_pid
    :: c?mine,from; assert(mine->first != from || from == mine->first)
    :: delete mine
    fi
}
init { atomic { run P(); run P(); run P() } }
"""  # processes that share an object, objects that name processes, messages, places that are used again

SAVED = """
byte n;
function walk(pid who; byte k) {
    pid me;
    me = who;
    if :: k == 0 -> n = n + 1 :: else -> walk(me, k - 1) fi;
    assert(me == who && (me == _pid || n < 2))
}
pid other;
proctype P() { if :: atomic { other == 0 -> other = _pid } :: skip fi; if :: walk(_pid, 2) :: walk(other, 2) fi }
init { atomic { run P(); run P() } }
"""  # calls that save names of processes

WIDE = """
typedef Big { int a[5]; Big *next[3]; pid who };
Big *top[4], *last;
proctype P() {
    Big *p;
    p = new Big; p->a[4] = 1000000; p->who = _pid; top[_pid] = p;
    p->next[2] = last; last = p; p = null
}
init { atomic { run P(); run P(); run P() } }
"""  # objects of several words; an array of pointers by process

QUEUES = """
typedef Node { bit key; Node *next };
chan box[2] = [2] of { Node *, bit };
proctype P(byte i) {
    Node *n;
    n = new Node;
    if :: n->key = 1 :: skip fi;
    box[i]!n,0; box[i]!n,1; box[i]?n,_;
    delete n; n = new Node
}
init { atomic { run P(0); run P(1) } }
"""  # channels that move with their processes, and dangling pointers in them

HARD = {"lists": LISTS, "pairs": PAIRS, "saved": SAVED, "wide": WIDE, "queues": QUEUES}


@pytest.mark.parametrize("name", HARD)
def test_hard_case(name: str) -> None:
    assert check_same(pipeline.load(HARD[name]), "none", "exact", name != "saved")


@pytest.mark.slow
@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("level", ["none", "full"])
def test_hard_case_in_every_way(name: str, level: str) -> None:
    for way in WAYS:
        for search, threads in SEARCHES:
            check_same(pipeline.load(HARD[name]), level, *way, search, threads)


@pytest.mark.slow
def test_more_slots_than_a_byte_counts() -> None:
    text = """typedef T { T *next; bit b };
    T *top; short n;
    active proctype P() { T *p; do :: n < 300 -> p = new T; p->next = top; top = p; n++ :: else -> break od }"""
    one = reduce(replace(pipeline.load(text), max_objects=400), "none")
    found = explore(one.model, Question(), "-O0", folding=one.folding)
    plain = explore(one.model, Question(), "-O0")
    assert found.states == plain.states, "a list that only grows has one order"


def test_what_is_generated_compiles_without_warnings(tmp_path: Path) -> None:
    for name in ("pairs", "saved"):
        one = reduce(pipeline.load(HARD[name]), "exact")
        interpreter = Interpreter(one.model)
        facts = gather(one.model, interpreter, list(interpreter.initial_states()))
        source = tmp_path / "model.c"
        source.write_text(render(facts, lay_out(facts, probe(facts)), one.folding))
        flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-missing-field-initializers"]
        command = [*compiler(), *flags, "-fsyntax-only", *includes(tmp_path), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:3000]
