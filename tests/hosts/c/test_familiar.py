"""Library functions announce what they touch: one call beside another, against what the manual says of both."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building.build import build
from isospin.hosts.c.run import CResult, run
from tests.support.library_calls import CALLS, EVERY, NUMBERS, TOUCHES, Call, program

NO_LOCK, ONE_LOCKS, BOTH_LOCK = 0, 1, 3
TOUCH = {call.name: call for call in TOUCHES}


@pytest.fixture(scope="module")
def executable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("calls") / "calls.c"
    source.write_text(program())
    return _built(source)


@cache
def _built(source: Path) -> Path:
    return build([source], ("-w",))


def explored(executable: Path, place: Path, one: Call, other: Call, shared: bool, locks: int) -> CResult:
    """All executions of the two calls, one in each thread."""
    for number in range(2):
        (place / f"there{number}").write_text("some words\n42\n")
    words = [str(NUMBERS[one.name]), str(NUMBERS[other.name]), str(int(shared)), str(locks), str(place)]
    asked = SearchRequest(symmetry="none", max_executions=500, max_depth=500)
    result = run(executable, asked, words)
    assert sorted(each.name for each in place.iterdir()) == ["there0", "there1"]
    return result


def kinds(result: CResult) -> set[str]:
    return {finding.found.kind for finding in result.findings}


def check(executable: Path, place: Path, one: Call, other: Call, shared: bool, locks: int) -> None:
    """It races if and only if the manual says so; else the verdict is complete, and in one process."""
    result = explored(executable, place, one, other, shared, locks)
    wanted = {"race"} if shared and locks != BOTH_LOCK and one.races_with(other) else set()
    assert kinds(result) == wanted, (one.name, other.name, shared, locks, result.findings)
    assert wanted or not result.incomplete, (one.name, other.name, result.incomplete, result.strangers)
    assert wanted or not result.strangers, (one.name, other.name, result.strangers)
    assert not result.needs_fork, (one.name, other.name, result.needs_fork)


@pytest.mark.parametrize("one", CALLS, ids=lambda call: call.name)
def test_what_a_call_touches_is_announced(one: Call, executable: Path, tmp_path: Path) -> None:
    """SOUND: without the announcement the two would not race, and the verdict would be `holds`."""
    for name in one.reads:
        check(executable, tmp_path, one, TOUCH[f"write {name}"], True, NO_LOCK)
    for name in one.writes:
        check(executable, tmp_path, one, TOUCH[f"read {name}"], True, NO_LOCK)
    check(executable, tmp_path, one, one, False, NO_LOCK)


def random_pair(seed: int) -> tuple[Call, Call, bool, int]:
    chosen = random.Random(seed)
    one, other = chosen.choice(CALLS), chosen.choice(EVERY)
    return one, other, chosen.random() < 0.8, chosen.choice([NO_LOCK, NO_LOCK, ONE_LOCKS, BOTH_LOCK])


@pytest.mark.parametrize("seed", range(40))
def test_two_calls_race_if_they_touch_the_same(seed: int, executable: Path, tmp_path: Path) -> None:
    check(executable, tmp_path, *random_pair(seed))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_many_pairs_of_calls(block: int, executable: Path, tmp_path: Path) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        check(executable, tmp_path, *random_pair(seed))
