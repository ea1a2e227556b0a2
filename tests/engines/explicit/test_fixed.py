"""What processes are given once and keep: it is part of the code of their slots, as long as that is true."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import isospin
from isospin.core.model import Model
from isospin.core.verdict import Outcome
from isospin.engines.contract import Question
from isospin.engines.explicit import Attempts, Levels, explore
from isospin.engines.explicit.constants import Overflow, OverflowKind
from isospin.engines.explicit.state import layout
from isospin.engines.explicit.state import probe as probing
from isospin.engines.explicit.state.facts import Facts, gather, never_assigned
from isospin.engines.explicit.state.probe import probe
from isospin.front.promela.load import load_text
from isospin.semantics.interp import Interpreter
from isospin.transform.optimise import optimise
from tests.engines.explicit.test_search import SEARCHES, assert_same, by_interpreter
from tests.support.generators.random_given import generate

WIDE = layout.WIDE
# The second process gets the slot of the first one when it has ended, far behind what a few runs at random see.
LATE = """
chan one = [1] of { byte }; chan two = [1] of { byte };
byte last; short i;
proctype worker(chan out; byte n) { out ! n; last = n }
init {
    run worker(one, 1); one ? _;
    do :: i < 600 -> i++ :: else -> break od;
    (_nr_pr == 1);
    run worker(two, 2); two ? last; last = 0;
    (_nr_pr == 1); assert(last != 2)
}
"""
# Two processes change their places far behind that.
EXCHANGED = """
byte x, y; bool go; short i;
proctype worker(byte n) { go; x = x + n; y = y + n; x = x - n }
init {
    atomic { run worker(1); run worker(2) }
    do :: i < 600 -> i++ :: else -> break od;
    go = true; (_nr_pr == 1); assert(y == 3 && x == 0)
}
"""
GIVEN = """
chan to[2] = [1] of { byte, byte };
proctype party(byte me; byte other; chan out) {
    byte got, kept = me + 1, written = me;
    do
    :: out ! me, kept
    :: to[me] ? got, _ -> written = got
    :: to[other] ?? [me, 2] -> got = 0
    od
}
init { atomic { run party(0, 1, to[1]); run party(1, 0, to[0]) } }
"""


def facts_of(model: Model) -> Facts:
    interpreter = Interpreter(model)
    return gather(model, interpreter, list(interpreter.initial_states()))


def test_what_is_fixed() -> None:
    """Only what no step writes, with what each slot was given."""
    facts = facts_of(load_text(GIVEN, "given"))
    names = [[v.name for v in t.locals] for t in facts.model.templates]
    fixed = {names[t][n]: values for (t, n), values in probe(facts).fixed.items()}
    assert set(fixed) == {names[t][n] for t, n in never_assigned(facts)} == {"me", "other", "out", "kept"}
    assert fixed["me"] == {1: 0, 2: 1}
    assert fixed["kept"] == {1: 1, 2: 2}


@pytest.mark.parametrize(("search", "threads"), [("bfs", 1), ("dfs", 1), ("bfs", 2)])
@pytest.mark.parametrize("text", [LATE, GIVEN], ids=["late", "given"])
def test_the_same_as_the_reference(text: str, search: str, threads: int) -> None:
    model = load_text(text, "fixed")
    expected = by_interpreter(model)
    assert expected is not None
    found = explore(model, Question(search=search, threads=threads, all_errors=True), "-O0")
    assert (found.states, found.transitions) == (expected.states, expected.transitions)
    assert {f.kind for f in found.findings} == {kind for kind, _ in expected.findings}


@pytest.fixture
def overflows(monkeypatch: pytest.MonkeyPatch) -> list[OverflowKind]:
    """What did not fit, or was not as it was guessed."""
    seen: list[OverflowKind] = []
    larger = Attempts.larger

    def noted(self: Attempts, overflow: Overflow) -> str:
        seen.append(overflow.kind)
        return larger(self, overflow)

    monkeypatch.setattr(Attempts, "larger", noted)
    return seen


def test_what_is_not_fixed_after_all(overflows: list[OverflowKind]) -> None:
    """SOUND: a process that is given something else begins the search again, without the assumption."""
    attempts = Attempts(facts_of(load_text(LATE, "late")), Question(all_errors=True), Levels("-O0"), None)
    assert attempts.sizes.fixed
    attempts.run()
    assert overflows.count(OverflowKind.FIXED) == 2
    assert not attempts.sizes.fixed


def test_processes_that_change_places_take_along_what_they_were_given() -> None:
    asked: dict[str, Any] = {"symmetry": "exact", "por": "off", "optimise": "none"}
    interpreted, compiled = (isospin.check(EXCHANGED, engine=engine, **asked) for engine in ("interp", "explicit"))
    assert interpreted.outcome is compiled.outcome is Outcome.HOLDS
    assert interpreted.states == compiled.states
    assert compiled.symmetry.started == ("worker",)


QUICK = (1, 8)


@pytest.mark.parametrize(
    "seeds", [QUICK, *(pytest.param(range(n, n + 50), marks=pytest.mark.slow) for n in range(1000, 3000, 50))], ids=str
)
def test_random_models(seeds: tuple[int, ...], overflows: list[OverflowKind], monkeypatch: pytest.MonkeyPatch) -> None:
    """The fewer states are looked at before, the more guesses are wrong.  Every second one has compressed states, with
    codes of so few bits that they change while the search goes on."""
    for seed in seeds:
        random = Random(seed)
        monkeypatch.setattr(probing, "STEPS", random.choice((1, 4, 15, 40)))
        monkeypatch.setattr(probing, "WALKS", 1)
        monkeypatch.setattr(layout, "WIDE", seed % 2 * WIDE)
        text = generate(seed, blind=random.random() < 0.5)
        model = optimise(load_text(text, f"given{seed}"), random.choice(("none", "spin", "full")))
        bits = random.choice((64, 28, 20))
        assert_same(model, [random.choice(SEARCHES)], f"seed {seed}", (f"-DISOSPIN_CODE_BITS={bits}",))
    assert OverflowKind.FIXED in overflows
