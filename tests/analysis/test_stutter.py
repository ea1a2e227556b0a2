"""Never claims that cannot tell how often a state is repeated: models are reduced for them, with the same verdicts."""

from __future__ import annotations

from random import Random

import pytest

from isospin.analysis.stutter import counts_steps
from isospin.core.model import Template
from isospin.pipeline import check, load, options
from tests.support.generators.random_live import generate

HEAD = "bool p, q; active proctype P() { p = true; q = true }\n"
INVARIANT = {
    "an invariant": "do :: assert(!p || q) od",
    "never p": "do :: p -> break :: else od",
    "p, and from then on": "do :: p && !q -> goto accept :: true od; accept: do :: !q od",
    "p for good": "do :: true :: p -> break od; accept: do :: p od",
}
COUNTING = {
    "the next state": "p; q; accept: do :: true od",
    "one step later": "do :: p -> break :: else od; accept: do :: !q od",
    "every other state": "accept: do :: p; true od",
    "timeout": "do :: timeout -> break :: else od",
    "accepting only in passing": "T0: do :: p -> goto accept :: true od; accept: if :: true -> goto T0 fi",
}


def claim_of(text: str) -> Template:
    template = load(f"{HEAD}never {{ {text} }}\n").claims[0].template
    assert template is not None
    return template


@pytest.mark.parametrize("name", INVARIANT)
def test_what_does_not_count(name: str) -> None:
    assert not counts_steps(claim_of(INVARIANT[name]))


@pytest.mark.parametrize("name", COUNTING)
def test_what_may_count(name: str) -> None:
    assert counts_steps(claim_of(COUNTING[name]))


def random_claim(random: Random) -> str:
    """Up to three places, with edges between them under random conditions."""
    places = [("accept" if random.random() < 0.4 else "T") + str(i) for i in range(random.randint(1, 3))]
    conditions = ("true", "x == 0", "x != 0", "x == 1", "x == 0 && b[0]", "b[0] || x == 1", "!b[0]", "else")
    lines = []
    for place in places:
        targets = [*places, "done"] if random.random() < 0.3 else places
        edges = [f":: {random.choice(conditions[:-1])} -> goto {random.choice(targets)}" for _ in range(2)]
        edges += [f":: {random.choice(('true', 'else', 'x == 0'))} -> goto {place}"] * (random.random() < 0.8)
        look = [":: assert(x < 2)"] if random.random() < 0.1 else []
        lines.append(f"{place}: do {' '.join([*edges, *look])} od;")
    return f"never {{ {' '.join(lines)} done: skip }}\n"


def compare(seed: int) -> str:
    """The verdict with all reductions is the one without any; empty if the claim may count."""
    random = Random(seed)
    for _ in range(20):
        model = load(generate(seed, queues=seed % 3 == 2).text + (never := random_claim(random)))
        claim = next(c for c in model.claims if c.kind == "never")
        if claim.template is not None and not counts_steps(claim.template):
            break
    else:
        return ""
    few: dict[str, object] = {"engine": "interp", "ltl": claim.name, "fair": seed % 2 == 0, "max_states": 20000}
    whole = check(model, options(symmetry="none", por="off", optimise="none", **few))
    reduced = check(model, options(symmetry=("none", "auto")[seed % 2], por="on", optimise="full", **few))
    if "incomplete" in (whole.outcome.value, reduced.outcome.value):
        return ""
    assert whole.outcome is reduced.outcome, (seed, never)
    return whole.outcome.value


def test_random_claims() -> None:
    assert {compare(seed) for seed in range(16)} >= {"holds", "violated"}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(16, 1016, 50))
def test_more_random_claims(start: int) -> None:
    for seed in range(start, start + 50):
        compare(seed)
