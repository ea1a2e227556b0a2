"""`docs/toy_checker.py` is the first thing a newcomer reads, so it has to be right, and to stay short.

Its numbers are compared with a brute force that shares nothing with it but the tables of rules: it has its
own semantics (states as plain tuples) and search, and finds orbits by trying all permutations.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections import deque
from itertools import permutations
from math import factorial
from typing import Any

import pytest

from tests.support import paths

PATH = paths.DOCS / "toy_checker.py"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("toy_checker", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["toy_checker"] = module
    spec.loader.exec_module(module)
    return module


toy = load()
NAMES = list(toy.PROTOCOLS)
CORRECT, RACY, FORGETFUL = NAMES

Plain = tuple[tuple[str, ...], int]  # places, and the owner or -1


def successors(rules: Any, state: Plain) -> list[Plain]:
    places, owner = state
    result = []
    for i in range(len(places)):
        for rule in rules:
            if places[i] != rule.before or (rule.needs == toy.FREE and owner != -1):
                continue
            moved = list(places)
            moved[i] = rule.after
            after = {toy.FREE: -1, toy.ME: i, toy.ANY: owner}[rule.leaves]
            result.append((tuple(moved), after))
    return result


def distances(rules: Any, n: int) -> dict[Plain, int]:
    """Every reachable state of the unreduced system, and how many steps it is away."""
    start: Plain = (("idle",) * n, -1)
    distance, queue = {start: 0}, deque([start])
    while queue:
        state = queue.popleft()
        for after in successors(rules, state):
            if after not in distance:
                distance[after] = distance[state] + 1
                queue.append(after)
    return distance


def orbit(state: Plain) -> frozenset[Plain]:
    """All renamings of the state: process i becomes p[i]."""
    places, owner = state
    found = set()
    for p in permutations(range(len(places))):
        renamed = [""] * len(places)
        for i, place in enumerate(places):
            renamed[p[i]] = place
        found.add((tuple(renamed), -1 if owner == -1 else p[owner]))
    return frozenset(found)


def is_bad(rules: Any, state: Plain) -> bool:
    return state[0].count("critical") > 1 or not successors(rules, state)


def plain(state: Any) -> Plain:
    return state.local, -1 if state.owner is None else state.owner


def start(n: int) -> Any:
    return toy.State(("idle",) * n, None)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("name", NAMES)
def test_counts_agree_with_brute_force(name: str, n: int) -> None:
    rules = toy.PROTOCOLS[name]
    reachable = distances(rules, n)
    orbits = {orbit(state) for state in reachable}
    folded, _ = toy.explore(rules, start(n))
    unfolded, _ = toy.explore(rules, start(n), symmetric=False)
    assert {plain(s) for s in unfolded} == set(reachable)
    assert len(folded) == len(orbits)
    assert {orbit(plain(s)) for s in folded} == orbits
    assert [toy.orbit_size(s) for s in folded] == [len(orbit(plain(s))) for s in folded]
    assert sum(toy.orbit_size(s) for s in folded) == len(reachable)


@pytest.mark.parametrize("name", NAMES)
def test_fold_is_a_canonical_form_and_tells_its_permutation(name: str) -> None:
    for state in toy.explore(toy.PROTOCOLS[name], start(4), symmetric=False)[0]:
        representative, was = toy.fold(state)
        assert plain(representative) in orbit(plain(state))
        assert [toy.colours(state)[i] for i in was] == toy.colours(representative)
        alike = (toy.State(places, None if owner == -1 else owner) for places, owner in orbit(plain(state)))
        assert {toy.fold(other)[0] for other in alike} == {representative}


def test_the_action_is_not_free() -> None:
    """Were every orbit taken for one of n! states, the sum would be wrong: the example has to show that."""
    folded, _ = toy.explore(toy.PROTOCOLS[CORRECT], start(4))
    assert len(folded) * factorial(4) > sum(toy.orbit_size(s) for s in folded)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("name", [RACY, FORGETFUL])
def test_counterexamples_run_on_the_unreduced_system(name: str, n: int) -> None:
    rules = toy.PROTOCOLS[name]
    _, trace = toy.explore(rules, start(n))
    state: Plain = (("idle",) * n, -1)
    for me, rule in trace:
        (state,) = (
            after
            for after in successors([rule], state)
            if [i for i in range(n) if after[0][i] != state[0][i]] == [me]
        )
    assert is_bad(rules, state)
    assert state == plain(toy.replay(rules, start(n), trace)[-1])
    reachable = distances(rules, n)
    assert len(trace) == min(reachable[s] for s in reachable if is_bad(rules, s))


def test_unwinding_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the permutations forgotten the trace is wrong: otherwise the test above would prove nothing."""
    rules, fold = toy.PROTOCOLS[RACY], toy.fold
    monkeypatch.setattr(toy, "fold", lambda state: (fold(state)[0], list(range(3))))
    _, trace = toy.explore(rules, start(3))
    with pytest.raises(StopIteration):
        toy.replay(rules, start(3), trace)


def test_a_correct_protocol_has_no_counterexample() -> None:
    rules = toy.PROTOCOLS[CORRECT]
    assert toy.explore(rules, start(4))[1] is None
    assert not any(is_bad(rules, state) for state in distances(rules, 4))


def test_a_wrong_trace_does_not_replay() -> None:
    with pytest.raises(StopIteration):
        toy.replay(toy.PROTOCOLS[RACY], start(3), [(0, toy.SET)])


def test_it_runs_as_a_script() -> None:
    done = subprocess.run([sys.executable, str(PATH)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{CORRECT}: holds" in done.stdout
    assert f"{RACY}: two processes in the critical section" in done.stdout
    assert f"{FORGETFUL}: deadlock" in done.stdout
    count = len(distances(toy.PROTOCOLS[RACY], 5))
    assert f"90 orbits with {count} states; without folding the search visits {count}" in done.stdout


def test_it_stays_short() -> None:
    assert len(PATH.read_text(encoding="utf-8").splitlines()) < 130
