"""Processes that are started at run time and have channels of their own: folded and not, both engines, brute force."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import permutations
from random import Random
from typing import Any

import pytest

import isospin
from isospin import pipeline
from isospin.core.model import Scalar, Sort, Variable
from isospin.core.verdict import Outcome, Refusal, Verdict
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import State
from isospin.symmetry.detection.births import Births, find_births
from tests.support.claim_folding import compared
from tests.symmetry.test_births import kinds

MOST = 4000

# ------------------------------------------------------------------------------------------------ random models

OWN = ("chan me = [{n}] of {{ byte }};", "chan me = [{n}] of {{ byte, chan }};", "chan me[2] = [1] of {{ byte }};")
STEPS = (
    "x = 1 - x", "req!me{0}", "req?other", "given = me{0}", "other = given", "me{0}!1{1}", "me{0}?v{1}",
    "other != 0 -> other!2{1}", "other != 0 -> other?v{1}", "atomic {{ req?other; other!3{1} }}",
    "assert(x == 0 || v < 3)",
    "if :: len(me{0}) == 0 -> skip :: other == me{0} -> x = 1 fi", "run K(me{0})", "v = 0", "given == me{0}",
    "other = me{0}; me{0}!v{1}", "atomic {{ given == 0 -> given = me{0} }}",
    "atomic {{ given == me{0} -> given = req }}",
)  # fmt: skip

STARTS = ("run W(); run W()", "run W(); run W(); run W()", "do :: n < 2 -> run W(); n++ :: n >= 1 -> break od")


def generate(seed: int, claim: bool = False) -> str:
    """A model whose workers have channels, hand them out, and end or not."""
    random = Random(seed)
    own = random.choice(OWN)
    element, more = ("[0]" if "[2]" in own else ""), (", me" if "chan }" in own else "")
    more = more.replace("me", "other") if random.random() < 0.5 else more

    def steps(count: int) -> str:
        chosen = (random.choice(STEPS).format(element, more) for _ in range(count))
        return "; ".join(s.replace("?v, me", "?v, other") for s in chosen)

    end = random.choice(["", "", "; do :: " + steps(1) + " od", "; x == 2"])
    # what nobody reads is no part of a state
    reads = f"(other == me{element} || given == other || true)"
    body = f"{own.format(n=random.choice((0, 1, 2)))} chan other; byte v; {steps(random.randint(2, 4))}; {reads}{end}"
    kid = random.choice(["c!1, c", "c!4, req"]) if more else random.choice(["c!1", "(c == req || true)", "byte v; c?v"])
    start = random.choice(STARTS)
    rest = random.choice(["", "; req?c", "; x == 1", "; _nr_pr == 1"])
    text = f"byte x; chan given; chan req = [{random.choice((0, 1, 2))}] of {{ chan }};\n"
    text += f"proctype K(chan c) {{ {kid} }}\nproctype W() {{ {body} }}\n"
    text += f"init {{ byte n; chan c; {start}{rest}; (c == given || true) }}\n"
    return text + ("ltl p { " + random.choice(["[]<>(x == 0)", "<>[](x == 0)", "[](x == 0)"]) + " }\n" if claim else "")


# ------------------------------------------------------------------------------------------------ brute force


class Oracle:
    """The least of all ways to name the live processes and their channels; nothing of the fold is used."""

    def __init__(self, births: Births) -> None:
        self.births, self.model = births, births.model
        self.interpreter = Interpreter(self.model)

    def reachable(self) -> list[State] | None:
        """All states in which nobody has control; None if there are many, or one goes wrong."""
        work: list[tuple[State, int | None]] = [(s, None) for s in self.interpreter.initial_states()]
        seen = set(work)
        while work:
            for taken in self.interpreter.steps(*work.pop()):
                if taken.state is None or taken.faults or len(seen) > MOST:
                    return None
                new = (taken.state, taken.control)
                if new not in seen:
                    seen.add(new)
                    work.append(new)
        return [state for state, control in seen if control is None]

    def least(self, state: State) -> str:
        """What is the same for states that differ in names."""
        ended = self.births.ended
        others = range(self.births.base, len(state.processes))
        live = [p for p in others if state.processes[p].location not in ended[state.processes[p].template]]
        return min(self.written(state, {p: 1000 + i for i, p in enumerate(order)}) for order in permutations(live))

    def written(self, state: State, names: dict[int, int]) -> str:
        """A state in which these processes have these names, and others that may move are not there."""
        names = {**{p: p for p in range(self.births.base)}, **names, -1: -1}
        owners = [(-1, i) for i in range(len(self.model.channels))]
        for pid, p in enumerate(state.processes):
            owners += [(pid, k) for k in range(len(self.model.templates[p.template].channels))]

        def value(v: int, kind: Scalar) -> Hashable:
            if kind.sort is not Sort.CHANNEL or not 0 < v <= len(owners):
                return v
            pid, k = owners[v - 1]
            return names.get(pid, "dead"), k

        def frame(variables: tuple[Variable, ...], values: tuple[int, ...]) -> list[Hashable]:
            return [value(values[v.base + i], v.type) for v in variables for i in range(v.size)]

        processes = sorted(
            (names[pid], p.template, p.location, frame(self.model.templates[p.template].locals, p.frame))
            for pid, p in enumerate(state.processes)
            if pid in names
        )
        contents = []
        for (pid, k), c in zip(owners, state.channels, strict=True):
            fields = self.interpreter.channel_types[c.type].fields
            messages = [[value(x, f) for x, f in zip(m, fields, strict=True)] for m in c.messages]
            contents += [(names[pid], k, messages)] if pid in names else []
        return repr((frame(self.model.globals, state.values), processes, sorted(contents)))


def compare_counts(text: str) -> bool:
    """Was something folded?  After counting the states of a folded search, and the orbits."""
    births = find_births(pipeline.load(text))
    if not isinstance(births, Births) or births.pids is None or not births.pids.owns_channels or births.keep:
        return False
    folded = check(text, "exact", por="off", optimise="none", no_deadlock=True)
    oracle = Oracle(births)
    every = oracle.reachable()
    if every is None or folded.outcome is not Outcome.HOLDS or not folded.symmetry.started or is_cautious(folded):
        return False
    classes = {oracle.least(state) for state in every}
    if folded.states - len(classes) in (0, 1):
        return True
    # A rendezvous inside of `atomic` may block: then states in which somebody has control are stored as well.
    plain = check(text, "none", por="off", optimise="none", no_deadlock=True)
    assert plain.states - len(every) not in (0, 1), (folded.states, len(classes), text)
    return False


def is_cautious(verdict: Verdict) -> bool:
    return any("is remembered" in w.message for w in verdict.warnings)


def compare_verdicts(seed: int, engine: str) -> bool:
    """Was something folded?  After comparing what is violated with and without that."""
    text = generate(seed)
    plain, folded = (check(text, s, engine) for s in ("none", "exact"))
    if plain.outcome is not Outcome.INCOMPLETE and plain.states < MOST:
        assert (plain.outcome, kinds(plain)) == (folded.outcome, kinds(folded)), (seed, text)
    return folded.symmetry.started != () and not is_cautious(folded)


def compare_claims(seed: int, engine: str) -> bool:
    """The same for a claim, fair or not."""
    return any(s.started != () for s in compared(generate(seed, claim=True), engine, MOST))


def compare_engines(seed: int) -> bool:
    """Was something folded?  Both engines store the same number of states."""
    text = generate(seed)
    one, other = (check(text, "exact", engine, por="off") for engine in ("interp", "explicit"))
    if Outcome.INCOMPLETE not in (one.outcome, other.outcome) and max(one.states, other.states) < MOST:
        assert (one.states, one.transitions) == (other.states, other.transitions), (seed, text)
        assert kinds(one) == kinds(other), (seed, text)
    return one.symmetry.started != () and not is_cautious(one)


def check(text: str, symmetry: str, engine: str = "interp", **more: Any) -> Verdict:
    asked: dict[str, Any] = {"engine": engine, "symmetry": symmetry, "all_errors": True, "max_states": MOST, **more}
    return isospin.check(text, **asked)


def test_random_models() -> None:
    assert sum(compare_counts(generate(seed)) for seed in range(40)) > 8


def test_random_verdicts() -> None:
    assert sum(compare_verdicts(seed, "interp") for seed in range(15)) > 1
    assert sum(compare_claims(seed, "interp") for seed in range(100, 104)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 4000, 250))
def test_many_random_models(first: int) -> None:
    for seed in range(first, first + 250):
        compare_counts(generate(seed))
        compare_verdicts(seed, "interp")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(4000, 7000, 250))
def test_many_random_claims_and_engines(first: int) -> None:
    for seed in range(first, first + 250):
        compare_claims(seed, "explicit" if seed % 5 == 0 else "interp")
        if seed % 5 == 1:
            compare_engines(seed)


# ------------------------------------------------------------------------------------------------ shapes

REPLIES = """chan req = [2] of { chan };
proctype C() { chan me = [1] of { byte }; byte v; req!me; me?v; assert(v == 7) }
active proctype S() { chan r; end: do :: req?r; r!7 od }
init { run C(); run C(); run C() }
"""
PRIVATE = """byte x;
proctype C() { chan me = [2] of { byte }; byte v; me!1; me!2; me?v; x = x + 1; me?v; x = x - 1 }
init { run C(); run C(); run C() }
"""
KIDS = """chan up = [1] of { byte };
proctype Kid(chan c) { c!1 }
proctype W() { chan mine = [1] of { byte }; byte v; run Kid(mine); mine?v; up!v }
init { byte v; run W(); run W(); up?v; up?v }
"""


@pytest.mark.parametrize(("text", "states"), [(REPLIES, (193, 50)), (PRIVATE, (467, 121)), (KIDS, (162, 27))])
def test_shapes(text: str, states: tuple[int, int]) -> None:
    plain, folded = (check(text, s, por="off", max_states=None) for s in ("none", "exact"))
    assert (plain.states, folded.states) == states
    assert plain.outcome == folded.outcome == Outcome.HOLDS


def test_both_engines_store_the_same() -> None:
    assert check(REPLIES, "exact", por="off").states == check(REPLIES, "exact", "explicit", por="off").states == 50


LENT = """chan given; byte x;
proctype W() { chan me = [1] of { byte }; given = me; x++; x-- }
init { run W(); run W(); given != 0 -> given!1 }
"""


def test_a_channel_of_a_process_that_has_ended() -> None:
    """Whether it can still be used depends on who is younger: nothing is folded then, and that is said."""
    plain, folded = check(LENT, "none"), check(LENT, "exact")
    assert is_cautious(folded)
    assert kinds(plain) == kinds(folded)
    assert ("channel-misuse", 3) in {(v.kind, v.location.line) for v in folded.violations}


@pytest.mark.parametrize(("statement", "why"), [("me < 3", "order (<)"), ("me == 7", "a channel is compared with 7")])
def test_who_computes_with_a_channel_is_told(statement: str, why: str) -> None:
    text = f"byte x; proctype W() {{ chan me = [1] of {{ byte }}; {statement}; me!1 }} init {{ run W(); run W() }}"
    refused = find_births(pipeline.load(text))
    assert isinstance(refused, Refusal)
    assert why in refused.why
