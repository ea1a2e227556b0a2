"""Processes that nobody can count: they may be started in any order, and stay when they have come to their end."""

from __future__ import annotations

import pytest

from isospin import pipeline
from isospin.analysis.ample import ample
from isospin.analysis.births import numbers_are_unseen
from isospin.core.model import End
from isospin.core.verdict import Outcome
from isospin.engines.contract import Question
from isospin.engines.interp.search import explore
from isospin.transform.optimise import optimise
from tests.support.checking import check, found
from tests.support.generators.random_runs import generate

MOST = 4000  # states of the unreduced search
WAYS: tuple[dict[str, object], ...] = (
    {"symmetry": "none"}, {}, {"symmetry": "none", "search": "dfs"}, {"symmetry": "exact"},
)  # fmt: skip
COMPILED: tuple[dict[str, object], ...] = ({"symmetry": "none"}, {"symmetry": "exact"}, {"threads": 2})


def compare(seed: int, ways: tuple[dict[str, object], ...], most: int = MOST) -> bool:
    """All errors, with and without; half of the models are asked for the rest only, since nearly every one may wait."""
    model, asked = pipeline.load(generate(seed)), {"no_deadlock": seed % 2 == 1}
    whole = check(model, symmetry="none", por="off", optimise="none", max_states=most, **asked)
    if whole.outcome is Outcome.INCOMPLETE or whole.states >= most:
        return False
    for way in ways:
        reduced = check(model, **asked, **way)
        assert (reduced.outcome, found(reduced)) == (whole.outcome, found(whole)), (seed, way, generate(seed))
    return True


@pytest.mark.parametrize("block", range(3))
def test_random_models(block: int) -> None:
    """Each in one way; all ways come up."""
    tried = [compare(seed, (WAYS[seed % len(WAYS)],), 800) for seed in range(20 * block, 20 * block + 20)]
    assert sum(tried) > 10


@pytest.mark.slow
@pytest.mark.parametrize("block", range(200))
def test_more_random_models(block: int) -> None:
    for seed in range(100 + 20 * block, 120 + 20 * block):
        compare(seed, WAYS)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_compiled(block: int) -> None:
    for seed in range(5000 + 10 * block, 5010 + 10 * block):
        compare(seed, tuple({"engine": "explicit", **way} for way in COMPILED))


def test_generated_models_hide_numbers() -> None:
    models = [pipeline.load(generate(seed)) for seed in range(60)]
    assert 40 < sum(map(numbers_are_unseen, models)) < 60


HEAD = "byte x; chan c = [1] of { byte }; chan who = [1] of { chan };\n"
TELLING = {
    "its own number": "proctype P(chan up) { x = _pid }",
    "what run returns": "proctype Q() { skip } proctype P(chan up) { byte l; l = run Q() }",
    "how many there are": "proctype P(chan up) { _nr_pr > 1 }",
    "nobody moves": "proctype P(chan up) { timeout }",
    "a channel that outlasts its process": "proctype P(chan up) { chan mine = [1] of { byte }; who!mine }",
    "the number of a channel": "proctype P(chan up) { chan mine = [1] of { byte }; mine > 3 }",
    "from outside": "proctype P(chan up) { byte l; P[1]:l == 0 }",
}


@pytest.mark.parametrize("what", TELLING)
def test_what_tells_numbers(what: str) -> None:
    assert not numbers_are_unseen(pipeline.load(f"{HEAD}{TELLING[what]}\ninit {{ run P(c); run P(c) }}\n"))


def test_nobody_leaves_where_nobody_can_tell() -> None:
    text = f"{HEAD}proctype P(chan up) {{ chan mine = [0] of {{ byte }}; up!1 }}\ninit {{ run P(c); run P(c) }}\n"
    model = optimise(pipeline.load(text), "full", por=True)
    assert numbers_are_unseen(model)
    assert not any(isinstance(a.step, End) for t in model.templates for a in t.actions)


LOSES = """typedef T { byte x };
byte n;
proctype P() { T *p; p = new T; n = 1 }
init { run P() }
"""


@pytest.mark.parametrize("optimised", ["none", "full"])
@pytest.mark.parametrize("engine", ["interp", "explicit"])
def test_who_leaves_may_lose_something(optimised: str, engine: str) -> None:
    """Who watches leaks can tell that a process has ended."""
    ways = [{"por": "off", "symmetry": "none"}, {"por": "on", "symmetry": "none"}, {}]
    for way in ways:
        verdict = check(pipeline.load(LOSES), leaks=True, optimise=optimised, engine=engine, **way)
        assert {v.kind for v in verdict.violations} == {"leak"}, way


def test_one_run_is_enough() -> None:
    """Births and ends are all that happens: one order of them says it all."""
    text = "proctype P() { byte l; l = 1 }\nproctype Q() { run P(); run P() }\ninit { run Q(); run Q(); run P() }\n"
    model = optimise(pipeline.load(text), "full", por=True)
    result = explore(model, Question(), ample=ample(model, layered=True))
    assert not result.incomplete
    assert result.states <= 2


TRAPS = {
    "a child reads when it is started": """byte g;
        proctype R() { byte l = g; assert(l == 1) }
        init { run W(); run R() }
        proctype W() { g = 1; g = 0 }
        """,
    "a child that waits is seen": """chan c = [0] of { byte };
        proctype R() { byte l; c?l }
        proctype S() { if :: c!1 :: else -> assert(false) fi }
        init { run S(); run R() }
        """,
    "too many are there at once": """proctype P() { skip }
        init { byte n; do :: n < 254 -> n++; run P() :: else -> run P(); break od }
        """,
    "the last ones to leave wait": """chan c = [0] of { byte };
        proctype R() { byte l; c?l }
        proctype P() { skip }
        init { run R(); run P() }
        """,
    "a deadlock behind the ends of all others": "proctype P() { skip }\ninit { run P(); run P(); false }\n",
}


@pytest.mark.parametrize("name", TRAPS)
def test_traps(name: str) -> None:
    model = pipeline.load(TRAPS[name])
    assert numbers_are_unseen(model)
    many = "too many" in name
    whole = found(check(model, symmetry="none", por="off", optimise="none")) if not many else set()
    assert whole or many, "every trap has something to find"
    for way in WAYS[:3] if not many else WAYS[:1]:
        told = found(check(model, **way))
        assert told == whole if not many else {kind for kind, _ in told} == {"too-many-processes"}, way
