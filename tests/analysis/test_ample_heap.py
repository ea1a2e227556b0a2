"""Partial orders in models with objects: steps commute up to addresses, verdicts are those without any reduction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.analysis.ample import Ample, ample
from isospin.analysis.points import never_compared
from isospin.core.model import Model
from isospin.core.verdict import Outcome
from isospin.engines.contract import Question
from isospin.engines.interp.search import InterpreterSearch
from isospin.semantics.interp import Interpreter, Move
from isospin.semantics.state import State
from isospin.symmetry.folding.heap import HeapFold
from isospin.transform.optimise import optimise
from tests.support import paths
from tests.support.generators.random_heap import generate

CORPUS = sorted((paths.CORPUS / "heap").glob("*.pml"))
EXAMPLES = sorted((paths.EXAMPLES / "heap").glob("*.pml"))
DANGLING = {"use-after-delete", "double-delete"}
MOST = 2000  # states of the unreduced search
FOLDS = [("none", "off"), ("none", "on"), ("exact", "on"), ("exact", "off")]
Found = set[tuple[str, int]]


# ------------------------------------------------------------------------------------------------ verdicts


def violations(model: Model, **chosen: object) -> Found | None:
    options = pipeline.options(engine="interp", all_errors=True, max_recursion=5, **chosen)
    verdict = pipeline.check(model, options)
    # where a deadlock is shown depends on the numbers of the processes that wait
    found = {(v.kind, 0 if v.kind == "deadlock" else v.location.line) for v in verdict.violations}
    cut = options.max_states is not None and verdict.states >= options.max_states
    return None if cut or (verdict.reason and not found) else found


WAYS = [(symmetry, heap, por) for symmetry, heap in FOLDS for por in ("on", "standard")]


def compare(model: Model, seed: int, level: str, ways: list[tuple[str, str, str]], most: int, leaks: bool) -> None:
    whole = violations(model, symmetry="none", por="off", optimise="none", max_states=most, leaks=leaks)
    for symmetry, heap, por in ways if whole is not None else ():
        how = {"symmetry": symmetry, "heap_symmetry": heap, "por": por, "optimise": level, "leaks": leaks}
        found = violations(model, **how)
        assert found is not None, (seed, how)
        check_same(found, whole or set(), por == "on", (seed, how))


def check_same(found: Found, whole: Found, symmetric: bool, where: object) -> None:
    """What lies behind the use of a dangling pointer need not be found, since that is an error by itself."""
    if symmetric and DANGLING & {kind for kind, _ in whole}:
        assert found <= whole, where
        assert DANGLING & {kind for kind, _ in found}, where
    else:
        assert found == whole, where


@pytest.mark.parametrize("block", range(6))
def test_random_models(block: int) -> None:
    """Each in one way; all ways come up."""
    for seed in range(10 * block, 10 * block + 10):
        model = pipeline.load(generate(seed))
        compare(model, seed, ("full", "none")[seed % 3 == 0], [WAYS[seed % 8]], 300, leaks=seed % 7 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(100))
def test_more_random_models(block: int) -> None:
    for seed in range(100 + 5 * block, 105 + 5 * block):
        for level in ("none", "spin", "full"):
            compare(pipeline.load(generate(seed)), seed, level, WAYS, MOST, leaks=seed % 3 == 0)


LOST_IN_BETWEEN = """typedef T { T *next };
T *h;
active proctype P() { T *p; h = new T; h->next = new T; atomic { p = new T; delete h; h = p } }
"""


@pytest.mark.parametrize("level", ["none", "spin", "full"])
@pytest.mark.parametrize("por", ["off", "on"])
def test_lost_in_the_middle_of_a_step(level: str, por: str) -> None:
    """The optimised model takes the statements as one: the trace ends with the one that loses the object."""
    verdict = pipeline.check(pipeline.load(LOST_IN_BETWEEN), pipeline.options(leaks=True, optimise=level, por=por))
    (violation,) = verdict.violations
    assert (violation.kind, violation.location.line) == ("leak", 3)
    assert "delete h" in violation.trace.steps[-1].statement


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_verdicts_of_the_corpus(path: Path) -> None:
    ways = WAYS[::2] if "function" not in path.stem else WAYS[:1]
    compare(pipeline.load(path), 0, "full", ways, MOST, leaks="leak" in path.stem)


# ------------------------------------------------------------------------------------------------ traps

BOUND = """typedef T { byte x };
byte made;
active [2] proctype P() { T *a, *b; a = new T; b = new T; a->x = 1; made = made + a->x; delete a; delete b }
"""


@pytest.mark.parametrize("objects", [1, 2, 3, 4])
@pytest.mark.parametrize("por", ["on", "standard"])
def test_a_bound_that_is_hit_is_never_a_verdict(objects: int, por: str) -> None:
    """SOUND: what lies behind the bound was not seen; a search that never meets it is right without it.

    Every run needs two places, and some need four: a reduced search may do with less than that.
    """
    model = pipeline.load(BOUND)
    for symmetry in ("none", "auto"):
        how = pipeline.options(engine="interp", por=por, symmetry=symmetry, max_objects=objects)
        verdict = pipeline.check(model, how)
        assert verdict.outcome in {1: (Outcome.INCOMPLETE,), 4: (Outcome.HOLDS,)}.get(objects, tuple(Outcome))
        assert not verdict.violations, "neither the bound nor what it cuts off is an error"
        assert verdict.outcome is Outcome.HOLDS or "--max-objects" in verdict.reason


TRAPS = {
    "what is deleted is used again, and pointers to it are compared": """typedef T { byte x };
        T *old, *g; bool done;
        active proctype maker() { T *n; done; n = new T; g = n; assert(g != old) }
        active proctype eraser() { old = new T; delete old; done = true }
        """,
    "a comparison in the pattern of a receive": """typedef T { byte x };
        T *old; chan c = [1] of { T * }; bool done;
        active proctype maker() { T *n; done; n = new T; c!n }
        active proctype eraser() { old = new T; delete old; done = true; if :: c?eval(old) -> assert(false) :: c?_ fi }
        """,
    "a new object is no secret any more": """typedef T { byte x };
        T *g;
        active proctype maker() { T *n; n = new T; g = n; n->x = 1; n->x = 2 }
        active proctype reader() { g != null; assert(g->x != 1) }
        """,
    "a new object goes into a message": """typedef T { byte x };
        chan c = [1] of { T * };
        active proctype maker() { T *n; n = new T; c!n; n->x = 1; n->x = 2 }
        active proctype reader() { T *m; c?m; assert(m->x != 1) }
        """,
    "a new object is known to a child": """typedef T { byte x };
        proctype reader(T *m) { assert(m->x != 1) }
        active proctype maker() { T *n; n = new T; run reader(n); n->x = 1; n->x = 2 }
        """,
    "another pointer to it is followed": """typedef T { byte x };
        T *g;
        active proctype eraser() { T *n; n = new T; g = n; g == null; delete n }
        active proctype reader() { T *m; g != null; m = g; g = null; m->x = 1 }
        """,
    "whoever deletes first": """typedef T { byte x };
        T *g;
        init { atomic { g = new T; run eraser(); run eraser() } }
        proctype eraser() { delete g }
        """,
    "the field of one object through two pointers": """typedef T { byte x; T *next };
        T *g, *h;
        init { atomic { g = new T; h = new T; h->next = g; run one(); run two() } }
        proctype one() { g->x = 1; assert(g->x == 1) }
        proctype two() { h->next->x = 2 }
        """,
    "a started process reads an object when it is started": """typedef T { byte x };
        T *g;
        proctype reader(T *m) { byte l = m->x; assert(l == 0) }
        active proctype starter() { g != null; run reader(g) }
        active proctype maker() { g = new T; g->x = 1 }
        """,
    "a started process copies a pointer when it is started": """typedef T { byte x };
        T *g; bool made;
        proctype writer() { T *m = g; m->x = 1; m->x = 0 }
        active proctype starter() { made; run writer() }
        active proctype maker() { g = new T; made = true; assert(g->x == 0) }
        """,
    "a function keeps what it was given": """typedef T { byte x };
        T *g;
        function keep(T *t) { g = t }
        active proctype maker() { T *n; n = new T; keep(n); n->x = 1; n->x = 2 }
        active proctype reader() { g != null; assert(g->x != 1) }
        """,
}


@pytest.mark.parametrize("name", TRAPS)
def test_traps(name: str) -> None:
    model = pipeline.load(TRAPS[name])
    whole = violations(model, symmetry="none", por="off", optimise="none", leaks=False)
    assert whole, "every trap has something to find"
    for level in ("none", "full"):
        compare(model, 0, level, WAYS[:6:2], MOST, leaks=False)
    check_law(model, "none")


# ------------------------------------------------------------------------------------------------ the law


class Law:
    """Whoever may move alone could have moved first, whatever the others do meanwhile: up to addresses."""

    def __init__(self, model: Model, table: Ample) -> None:
        self.search = InterpreterSearch(model, Question(all_errors=True, max_states=80))
        self.interpreter: Interpreter = self.search.interpreter
        self.table, self.heap = table, HeapFold(self.interpreter)

    def offence(self) -> str:
        self.search.run()
        found = (self.at(state, pid) for state in self.search.states for pid in self.table.candidates(state))
        return next(filter(None, found), "")

    def moves(self, state: State, pid: int) -> list[Move]:
        return list(self.interpreter.moves(state, pid))

    def at(self, start: State, pid: int) -> str:
        if not (own := self.moves(start, pid)) or any(m.state is None for m in own):
            return ""
        seen, todo = {start}, [start]
        while todo and len(seen) < 15:
            state = todo.pop(0)
            for other in range(len(state.processes)):
                for theirs in self.interpreter.moves(state, other) if other != pid else ():
                    if theirs.state is not None and (wrong := self.later(state, pid, theirs)):
                        return wrong
                    if theirs.state is not None and theirs.state not in seen:
                        seen.add(theirs.state)
                        todo.append(theirs.state)
        return ""

    def later(self, state: State, pid: int, theirs: Move) -> str:
        """Is everything that the process can do after `theirs` also there if it moves before?"""
        assert theirs.state is not None
        if any(pid in (t.pid, t.partner) for t in theirs.steps):
            return f"process {pid} takes part in {theirs.steps[0].action.text}"
        after = {self.folded(m.state) for m in self.moves(theirs.state, pid)}
        before = {
            self.folded(m.state)
            for first in self.moves(state, pid)
            if first.state is not None
            for m in self.moves(first.state, theirs.steps[0].pid)
            if [t.action.id for t in m.steps] == [t.action.id for t in theirs.steps]
        }
        if not after or not after <= before:
            return f"process {pid} cannot move before '{theirs.steps[0].action.text}'"
        return ""

    def folded(self, state: State | None) -> State | None:
        return None if state is None else self.heap.fold(self.interpreter.identity(state))


def check_law(model: Model, level: str, symmetric: bool = True) -> None:
    searched = optimise(replace(model, max_recursion=5), level, por=True)
    if symmetric:
        searched = replace(searched, unaliased=never_compared(searched))
    if (table := ample(searched, symmetric=symmetric)) is not None:
        assert Law(searched, table).offence() == ""


@pytest.mark.parametrize("path", [*CORPUS, *EXAMPLES], ids=lambda p: p.stem)
def test_who_moves_alone_could_have_moved_first(path: Path) -> None:
    check_law(pipeline.load(path), "none")


@pytest.mark.parametrize("block", range(3))
def test_the_law_on_random_models(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        check_law(pipeline.load(generate(seed)), ("none", "full")[seed % 2], seed % 5 > 0)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_the_law_on_more_random_models(block: int) -> None:
    for seed in range(100 + 10 * block, 110 + 10 * block):
        check_law(pipeline.load(generate(seed)), ("none", "full")[seed % 2], seed % 5 > 0)
