"""Processes that are started at run time, where pids are data: renamed with the processes whose they are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import permutations
from math import factorial
from random import Random
from typing import Any, NamedTuple

import pytest

import isospin
from isospin import pipeline
from isospin.core.model import End, Variable
from isospin.core.verdict import Outcome, Verdict
from isospin.semantics.state import Process, State
from isospin.symmetry.audit import Walk
from isospin.symmetry.detection.births import Births
from isospin.symmetry.detection.pid_places import FORGOTTEN, HOLDS
from isospin.symmetry.protocol import KEEP_ALL, KEEP_ONE, PidsUsedAgain
from isospin.symmetry.reduction import reduce
from tests.support.claim_folding import compared
from tests.support.generators.random_pids import BY_PID, CARRIES_PIDS, PIDS, generate
from tests.symmetry.test_births import kinds, reachable

MOST, FEW = 1500, 150  # states
MOST_ALIVE, MOST_WAYS = 10, 300_000  # processes in a state; ways to rename all states, which brute force tries


# ------------------------------------------------------------------------------------------------ brute force


class Oracle:
    """Knows by their names where pids are, and tries all ways to rename them."""

    def __init__(self, births: Births) -> None:
        self.births, self.model, self.base = births, births.model, births.base
        assert births.pids is not None
        names = ["", *(t.name for t in self.model.templates)]
        owners = zip(names, (births.pids.globals, *births.pids.locals), strict=True)
        self.forgotten = {(n, p.variable.name) for n, places in owners for p in places if p.values == FORGOTTEN}

    def live(self, state: State) -> list[int]:
        """Those that may move and do not only wait for their death."""
        return [p for p in range(self.base, len(state.processes)) if not self.is_over(state.processes[p])]

    def is_over(self, process: Process) -> bool:
        leaving = self.model.templates[process.template].actions_from(process.location)
        return all(isinstance(action.step, End) for action in leaving)

    def seen(self, state: State) -> Hashable:
        """What is there beside pids."""
        plain = tuple(state.values[v.base] for v in self.model.globals if v.name in ("x", "y"))
        who = sorted((p.template, p.location) for p in map(state.processes.__getitem__, self.live(state)))
        first = tuple((p.template, p.location) for p in state.processes[:1])
        return plain, tuple(len(c.messages) for c in state.channels), tuple(who), first

    def known(self, state: State, live: list[int]) -> list[int]:
        """Pids of others, in whatever place that belongs to somebody who is known."""
        found: set[int] = set()
        while True:
            there = {*range(self.base), *live, *found}
            more = {v for owners, v in self.held(state) if v >= self.base and owners <= there} - {*live} - found
            if not more:
                return sorted(found)
            found |= more

    def held(self, state: State) -> Iterator[tuple[set[int], int]]:
        for v in self.model.globals:
            yield from self.variable_held(v, state.values, set(), "")
        for pid, process in enumerate(state.processes):
            template = self.model.templates[process.template]
            for v in template.locals:
                yield from self.variable_held(v, process.frame, {pid}, template.name)
        for c in self.carriers():
            yield from ((set(), m[0]) for m in state.channels[c].messages)

    def variable_held(
        self, v: Variable, values: tuple[int, ...], owners: set[int], template: str
    ) -> Iterator[tuple[set[int], int]]:
        if v.name in PIDS and (template, v.name) not in self.forgotten:
            for i in range(v.size):
                yield owners | ({i} if v.name in BY_PID else set()), values[v.base + i]

    def carriers(self) -> Iterator[int]:
        """The channels that carry pids which somebody looks at."""
        assert self.births.pids is not None
        names = [v.name for v in self.model.globals if v.type.name == "chan"]
        return (c for c, n in enumerate(names) if n in CARRIES_PIDS and self.births.pids.fields[c][0] == HOLDS)

    def ways(self, state: State) -> int:
        """In how many ways a state can be renamed."""
        live = self.live(state)
        return factorial(len(live)) * factorial(len(self.known(state, live)))

    def least(self, state: State) -> Hashable:
        """The least of all states that differ in names."""
        live = self.live(state)
        known = self.known(state, live)
        waits = self.births.keep == KEEP_ONE and not live and len(state.processes) > self.base
        first = self.base + waits * 0
        return min(
            (self.renamed(state, dict(zip([*a, *b], range(first, first + len(a) + len(b)), strict=True)), a), waits)
            for a in permutations(live)
            for b in permutations(known)
        )

    def renamed(self, state: State, names: dict[int, int], order: tuple[int, ...]) -> State:
        values = list(state.values)
        for v in self.model.globals:
            values[v.base : v.base + v.size] = self.variable(v, state.values, names, "")
        processes = []
        for p in (*range(min(self.base, len(state.processes))), *order):
            frame, template = list(state.processes[p].frame), self.model.templates[state.processes[p].template]
            for v in template.locals:
                frame[v.base : v.base + v.size] = self.variable(v, state.processes[p].frame, names, template.name)
            processes.append(state.processes[p]._replace(frame=tuple(frame)))
        channels = list(state.channels)
        for c, name in enumerate(v.name for v in self.model.globals if v.type.name == "chan"):
            if name in CARRIES_PIDS:
                held = c in set(self.carriers())
                messages = tuple((names.get(m[0], m[0]) if held else 0,) for m in channels[c].messages)
                channels[c] = channels[c]._replace(messages=messages)
        return state._replace(values=tuple(values), processes=tuple(processes), channels=tuple(channels))

    def variable(self, v: Variable, values: tuple[int, ...], names: dict[int, int], template: str) -> list[int]:
        old = list(values[v.base : v.base + v.size])
        if (template, v.name) in self.forgotten:
            old = [0] * v.size
        elif v.name in PIDS:
            old = [names.get(value, value) for value in old]
        if v.name not in BY_PID:
            return old
        new = old[: self.base] + [0] * (v.size - self.base)
        for i in names:
            if any(old):  # an array that nobody writes to may be smaller than there are pids
                new[names[i]] = old[i]
        return new


class Compared(NamedTuple):
    """How a model was folded."""

    births: Births | None
    cautious: bool = False


def compare_counts(text: str, most: int) -> Compared:
    """One state is stored for each set of states that are the same up to names; and nothing is lost, whatever is
    folded."""
    found = reduce(pipeline.load(text), "exact")
    births = found.symmetries.births
    every = None if births is None or births.pids is None else reachable(found.model, most)
    if births is None or every is None or max(len(s.processes) for s in every) > MOST_ALIVE:
        return Compared(births)
    oracle, cautious = Oracle(births), False
    try:
        walk = Walk(found.symmetries, found.strategy, most).walk()
    except PidsUsedAgain as problem:
        walk, cautious = Walk(found.symmetries, problem.instead, most).walk(), True
    assert {oracle.seen(s) for s in every} == {oracle.seen(s) for s in walk.states}, text
    if not cautious and births.keep != KEEP_ALL and sum(map(oracle.ways, every)) < MOST_WAYS:
        classes = {oracle.least(s) for s in every}
        assert {oracle.least(s) for s in walk.states} == classes, text
        assert len(walk.states) - len(classes) in (0, 1), text  # the state where runs begin is stored as it is
    return Compared(births, cautious)


def compare_verdicts(seed: int, engine: str) -> tuple[str, ...]:
    """What was folded, after comparing what is violated with and without that."""
    text = generate(seed)
    plain, folded = check(text, "none", engine), check(text, "exact", engine)
    if plain.outcome is not Outcome.INCOMPLETE and plain.states < MOST:
        assert (plain.outcome, kinds(plain)) == (folded.outcome, kinds(folded)), (seed, text)
    return folded.symmetry.started


def compare_claims(seed: int, engine: str) -> tuple[str, ...]:
    """The same for a claim, fair or not."""
    return max((s.started for s in compared(generate(seed, claims=True), engine, MOST)), default=())


def compare_engines(seed: int) -> bool:
    """Both engines store the same number of states; was anything folded?"""
    text = generate(seed)
    level = "full" if seed % 2 else "none"
    one, other = (check(text, "exact", engine, por="off", optimise=level) for engine in ("interp", "explicit"))
    if Outcome.INCOMPLETE not in (one.outcome, other.outcome) and max(one.states, other.states) < MOST:
        assert (one.states, one.transitions) == (other.states, other.transitions), (seed, text)
        assert kinds(one) == kinds(other), (seed, text)
    return one.symmetry.started != ()


def check(text: str, symmetry: str, engine: str = "interp", **more: Any) -> Verdict:
    asked: dict[str, Any] = {"engine": engine, "symmetry": symmetry, "all_errors": True, "max_states": MOST, **more}
    return isospin.check(text, **asked)


def test_random_models() -> None:
    found = [compare_counts(generate(seed), FEW) for seed in range(100)]
    assert sum(one.births is not None and one.births.pids is not None for one in found) > 50
    assert {one.cautious for one in found} == {True, False}


@pytest.mark.parametrize("seed", [2492, 3275])
def test_what_nobody_reads_any_more_is_no_part_of_a_state(seed: int) -> None:
    """What a process that has ended knew, though its own pid is known; a parameter that is never read."""
    found = compare_counts(generate(seed), MOST)
    assert found.births is not None
    assert not found.cautious


def test_random_verdicts() -> None:
    assert sum(compare_verdicts(seed, "interp") != () for seed in range(3)) > 1
    assert compare_engines(0)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 4000, 250))
def test_many_random_models(first: int) -> None:
    for seed in range(first, first + 250):
        compare_counts(generate(seed), MOST)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(4000, 7000, 250))
def test_many_random_verdicts(first: int) -> None:
    for seed in range(first, first + 250):
        compare_verdicts(seed, "interp" if seed % 3 else "explicit")
        compare_claims(seed, "interp" if seed % 3 else "explicit")
        if seed % 3 == 0:
            compare_engines(seed)


# ------------------------------------------------------------------------------------------------ shapes

LOCK = """byte owner, x;
proctype W() { atomic { owner == 0 -> owner = _pid }; x++; assert(owner == _pid); x--; owner = 0 }
init { run W(); run W(); run W() }
"""
FLAGS = """bool flag[6]; byte x;
proctype W() { flag[_pid] = 1; x = 1 - x; flag[_pid] = 0 }
init { run W(); run W(); run W() }
"""
CHILDREN = """chan pc = [2] of { pid };
proctype Kid(pid mum) { pc!mum }
proctype W() { run Kid(_pid); pc??eval(_pid) }
init { run W(); run W() }
"""
REPLIES = """byte n; chan done = [2] of { pid };
proctype W() { done!_pid }
init { pid p; do :: n < 2 -> run W(); n++ :: n > 0 -> done?p; n-- od }
"""


@pytest.mark.parametrize(("text", "states"), [(LOCK, (119, 35)), (FLAGS, (113, 36)), (CHILDREN, (86, 16))])
def test_shapes(text: str, states: tuple[int, int]) -> None:
    plain, folded = (check(text, s, optimise="none", por="off", max_states=None) for s in ("none", "exact"))
    assert (plain.states, folded.states) == states
    assert plain.outcome == folded.outcome == Outcome.HOLDS
    assert not compare_counts(text, MOST).cautious


def test_a_pid_that_nobody_compares_is_no_data() -> None:
    """It is sent and received, and the process has ended by then."""
    births = reduce(pipeline.load(REPLIES), "exact").symmetries.births
    assert births is not None
    assert births.pids is not None
    assert births.pids.fields[0] == (FORGOTTEN,)


def test_an_array_that_nobody_reads_is_no_part_of_a_state() -> None:
    text = FLAGS.replace("x = 1 - x;", "x++;").replace("init {", "init { assert(x < 3);")
    stored = {check(text, "exact", engine, por="off").states for engine in ("interp", "explicit")}
    assert len(stored) == 1
    assert stored < set(range(20, check(text, "none", por="off").states))


REMEMBERED = """byte x; pid who;
proctype W() { if :: who == 0 -> who = _pid :: who != 0 -> skip fi; x = 1; assert(who != _pid || x == 1) }
init { run W(); x == 1; run W(); run W(); run W() }
"""


@pytest.mark.parametrize("engine", ["interp", "explicit"])
def test_a_pid_that_is_used_again_is_told(engine: str) -> None:
    """The first has ended, and its pid is remembered: the second may get it, or not."""
    verdict = check(REMEMBERED, "exact", engine)
    assert any("another one may get it" in w.message for w in verdict.warnings)
    assert kinds(verdict) == kinds(check(REMEMBERED, "none", engine))
    assert verdict.symmetry.started == ("W",)


@pytest.mark.parametrize("engine", ["interp", "explicit"])
def test_weak_fairness(engine: str) -> None:
    text = "pid who; bool b; proctype W() { do :: who = _pid :: who == _pid -> skip od } proctype V() { b = true }\n"
    text += "init { run W(); run V(); run W() } ltl p { <> b }"
    for fair, outcome in ((True, Outcome.HOLDS), (False, Outcome.VIOLATED)):
        assert isospin.check(text, engine=engine, fair=fair, ltl="p").properties[-1].outcome is outcome


def test_a_trace_keeps_the_pids() -> None:
    """Whoever is renamed in the search, each is told to have kept its own pid."""
    text = "byte n; pid own[3]; proctype W() { own[n] = _pid; n++; own[0] != _pid; assert(n < 3) }\n"
    text += "init { run W(); run W(); run W() }"
    (violation,) = [v for v in check(text, "exact").violations if v.kind == "assertion"]
    kept = [now for step in violation.trace.steps for name, (_, now) in step.changes if name.startswith("own")]
    assert sorted(kept) == [1, 2, 3]


KNOWN = ("x++", "y = x", "x == 2", "y != 1", "assert(y != 1 || x < 2)", "assert(x < 3)", "_pid == 2 -> y = 1",
         "if :: _pid == 2 -> y = 1 :: else fi", "if :: _pid == 1 -> x = 2 :: else fi",
         "if :: _pid != 1 -> assert(x != 2) :: else fi")  # fmt: skip


def with_constants(seed: int) -> str:
    """A model whose processes ask whether they are a certain one."""
    random = Random(seed)
    body = "; ".join(random.choice(KNOWN) for _ in range(random.randint(2, 5)))
    return f"byte x, y; proctype W() {{ {body} }} init {{ run W(); run W() }}"


def compare_constants(seed: int, engine: str = "interp") -> None:
    text = with_constants(seed)
    plain, folded = check(text, "none", engine), check(text, "exact", engine)
    assert (plain.outcome, kinds(plain)) == (folded.outcome, kinds(folded)), (seed, text)


def test_a_constant_names_a_process() -> None:
    """`_pid == 1` looks at no variable, and tells processes apart all the same."""
    body = "if :: _pid != 1 -> assert(x != 2) :: else fi; if :: _pid == 1 -> x = 2 :: else fi"
    text = f"byte x; proctype W() {{ {body} }} init {{ run W(); run W() }}"
    assert check(text, "exact").outcome is Outcome.VIOLATED
    for seed in range(40):
        compare_constants(seed)


@pytest.mark.slow
def test_many_constants_name_processes() -> None:
    for seed in range(40, 1000):
        compare_constants(seed, "interp" if seed % 20 else "explicit")
