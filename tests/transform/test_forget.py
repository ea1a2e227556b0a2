"""What does not matter any more is forgotten: conditions, and what must not be lost."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.core.model import Model
from isospin.core.verdict import Outcome
from isospin.front.pointer.load import load_text
from isospin.semantics.interp import Interpreter
from isospin.transform import forget
from isospin.transform.optimise import optimise
from tests.support.generators.random_pointer import automaton, linked

HEAD = "global pointer L; local pointer next, prev; local discrete x: 0..1; init L == NULL"
START = "&& forall p: next[p] == NULL && prev[p] == NULL && x[p] == 0;"
CYCLE = """
global pointer L;
local pointer next, prev;
init L == NULL && forall p: next[p] == NULL && prev[p] == NULL;
process node {
    mode outside {
        when L == NULL do next = P, prev = P, L = P goto inside;
        when L != NULL do next = L->next, prev = L, next->prev = P, prev->next = P, L = P goto inside;
    }
    mode inside {
        when next == P do L = NULL goto outside;
        when next != P && L != P do prev->next = next, next->prev = prev goto outside;
        when next != P && L == P do L = prev, prev->next = next, next->prev = prev goto outside;
    }
}
invariant linked: forall p: mode[p] == inside ? next[p]->prev == p && prev[p]->next == p : TRUE;
"""


@pytest.fixture
def all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask about each variable, whether or not a few runs forget it."""

    def everything(self: forget._Forgetting) -> list[tuple[str, int]]:
        return [(t.name, v.base) for t in self.model.templates for v in self.variables]

    monkeypatch.setattr(forget._Forgetting, "tried", everything)


def states(model: Model, **options: object) -> int:
    found = pipeline.check(model, pipeline.options(**options))
    assert found.outcome is Outcome.HOLDS
    return found.states


@pytest.mark.parametrize(("processes", "everything"), [(2, 5), (3, 16)])
def test_a_cycle_that_leaves_old_links_behind(processes: int, everything: int) -> None:
    """Who is outside is named by nobody.  So many states has `examples/pointer/cycle.ptr`, which resets its links."""
    model = load_text(CYCLE, "cycle.ptr", processes)
    for engine in ("interp", "symbolic"):
        assert states(model, engine=engine, symmetry="none") == everything
        assert states(model, engine=engine) == processes + 1
    assert states(model, engine="interp", symmetry="none", optimise="none") > everything


TRAPS = [
    # who names the process: a global pointer, which others copy before they look
    "mode a { do x = 1, L = P goto b; when L != NULL do next = L goto c; } mode b { }"
    "mode c { when next->x == 1 goto bad; }",
    # the field of another, which is copied to a global pointer
    "mode a { do L = P, x = 1 goto b; when L != NULL do next = L, L = NULL goto c; } mode b { }"
    "mode c { do L = next goto d; } mode d { when L->x == 1 goto bad; }",
    # the field of the process itself, behind a global pointer
    "mode a { do L = P, next = P, x = 1 goto b; when L != NULL && L->next->x == 1 goto bad; } mode b { }",
    # a chain through another
    "mode a { do x = 1, prev = L, L = P goto b; } mode b { do prev = NULL goto b; when prev != NULL goto c; }"
    "mode c { when L->prev != NULL && L->prev->x == 1 goto bad; }",
    # somebody gives its name on, and takes its own back
    "mode a { when L == NULL do L = P, x = 1 goto b; when L != NULL do prev = L, L = P, L->next = prev goto c; }"
    "mode b { } mode c { do prev = NULL, L = NULL goto d; } mode d { when next != NULL && next->x == 1 goto bad; }",
    # it names itself, and reads itself through that
    "mode a { do x = 1, next = P goto b; } mode b { when next->x == 1 goto bad; }",
    # what is overwritten through a pointer only sometimes
    "mode a { do L = P, x = 1 goto b; } mode b { do next = L goto c; } mode c { do next->x = 0 goto d; }"
    "mode d { when x == 1 goto bad; }",
    # the value goes on through another variable
    "mode a { do next = P goto b; } mode b { do prev = next, next = NULL goto c; } mode c { when prev == P goto bad; }",
    # a condition on a variable that is forgotten itself
    "mode a { do prev = P, next = P, x = 1 goto b; } mode b { when prev == P && next == P && x == 1 goto bad; }",
    # invariants and quantifiers look at all processes
    "mode a { do x = 1 goto b; } mode b { when (exists q: mode[q] == b && x[q] == 1) goto bad; }",
    "mode a { do next = P goto b; } mode b { when (exists q: next[q] == P) goto bad; }",
    # a number for a process
    "mode a { do x = 1 goto b; } mode b { when x[1] == 1 goto bad; }",
    "mode a { do x = 1 goto b; } mode b { do next = 1 goto c; } mode c { when next->x == 1 goto bad; }",
]


@pytest.mark.parametrize("rules", TRAPS)
def test_traps(rules: str, all_of_it: None) -> None:
    """The last mode can be reached."""
    text = f"{HEAD} {START} process user {{ {rules} mode bad {{ }} }} invariant i: forall p: mode[p] != bad;"
    model = load_text(text, "m.ptr", 2)
    assert agree(model, 0, 5000)
    for symmetry in ("none", "auto"):
        options = pipeline.options(engine="interp", symmetry=symmetry)
        assert pipeline.check(model, options).outcome is Outcome.VIOLATED


# ------------------------------------------------------------------------------------------------ random models


def _observations(model: Model, most: int) -> set[object]:
    """All that can be seen of reached states: where processes are, what they can do, what is wrong; empty: too many."""
    it = Interpreter(model)
    todo = list(it.initial_states())
    seen, found = {it.identity(s) for s in todo}, set[object]()
    while todo:
        if len(seen) > most:
            return set()
        state = todo.pop()
        steps = it.steps(state)
        moves = frozenset((t.pid, t.action.id, t.state is None, tuple(map(str, t.faults))) for t in steps)
        found.add((tuple(p.location for p in state.processes), moves, frozenset(map(str, it.broken(state)))))
        for taken in steps:
            if taken.state is not None and it.identity(taken.state) not in seen:
                seen.add(it.identity(taken.state))
                todo.append(taken.state)
    return found


def agree(model: Model, seed: int, most: int) -> bool:
    """Is the same seen of both?  False if there are too many states."""
    expected = _observations(model, most)
    if not expected:
        return False
    assert _observations(optimise(model, "full"), 4 * most) == expected, seed
    return True


def test_random(all_of_it: None) -> None:
    assert sum(agree(linked(seed).model(), seed, 60) for seed in range(12)) > 4


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1500, 50))
def test_more_random(first: int, all_of_it: None) -> None:
    for seed in range(first, first + 50):
        agree(linked(seed).model(), seed, 1500)
        agree(automaton(seed).model(), seed, 500)
