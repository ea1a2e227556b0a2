"""dSPIN's section 4.1 as it is written: a counter compared with the inverse permutation; and why it is not used.

Two processes toggle a bit each; a run is accepting if some process has its bit set again and again.  The fair
accepting run is there, and the counter finds it without symmetry, but not with it: what is stored, (representative,
counter), says nothing about which process the counter waits for.
"""

from __future__ import annotations

import pytest

from isospin.pipeline import Options, check, load

PROCESSES = 2
State = tuple[int, ...]
Key = tuple[State, int]


class Counting:
    """Nested depth-first search with copies 1 to N of the state space, and copy N + 1 where cycles are looked for.

    As in SPIN, the search starts in the last copy, which is left at accepting states.
    """

    def __init__(self, symmetric: bool, order: tuple[int, ...]) -> None:
        self.symmetric, self.order = symmetric, order
        self.first: set[Key] = set()
        self.second: set[Key] = set()
        self.found = False

    def representative(self, state: State) -> tuple[State, tuple[int, ...]]:
        """The sorted state, and for each place in it the process that was put there."""
        order = sorted(range(PROCESSES), key=lambda p: state[p]) if self.symmetric else list(range(PROCESSES))
        return tuple(state[p] for p in order), tuple(order)

    def successors(self, state: State, names: tuple[int, ...], count: int) -> list[tuple[State, tuple[int, ...], int]]:
        """`names[i]` is the original identity of process i: the inverse of the permutation, applied to i."""
        found = []
        for i in self.order:
            after = list(state)
            after[i] = 1 - after[i]
            if count == PROCESSES + 1:
                following = 1 if any(state) else count
            else:
                following = count + (names[i] == count - 1)
            target, moved = self.representative(tuple(after))
            found.append((target, tuple(names[p] for p in moved), following))
        return found

    def dfs(self, state: State, names: tuple[int, ...], count: int) -> None:
        self.first.add((state, count))
        for target, identities, following in self.successors(state, names, count):
            if (target, following) not in self.first:
                self.dfs(target, identities, following)
        if count == PROCESSES + 1 and any(state):
            self.nested(state, names, count, (state, count))

    def nested(self, state: State, names: tuple[int, ...], count: int, seed: Key) -> None:
        self.second.add((state, count))
        for target, identities, following in self.successors(state, names, count):
            if (target, following) == seed:
                self.found = True
            elif (target, following) not in self.second:
                self.nested(target, identities, following, seed)

    def run(self) -> bool:
        self.dfs((0,) * PROCESSES, tuple(range(PROCESSES)), PROCESSES + 1)
        return self.found


MODEL = """
bool b[2];
active [2] proctype P() { do :: b[_pid] = 1 - b[_pid] od }
ltl none_for_ever { <>[] !(b[0] || b[1]) }
"""


def test_the_counter_of_the_paper_misses_a_fair_cycle_under_symmetry() -> None:
    orders = [(0, 1), (1, 0)]
    assert [Counting(False, order).run() for order in orders] == [True, True]
    assert [Counting(True, order).run() for order in orders] == [False, True]


IN = [("interp", s) for s in ("none", "exact", "enumerate", "markers")] + [("explicit", "exact")]


@pytest.mark.parametrize(("engine", "symmetry"), IN)
def test_the_threads_of_the_annotated_quotient_find_it(engine: str, symmetry: str) -> None:
    verdict = check(load(MODEL), Options(engine=engine, symmetry=symmetry, fair=True, ltl="none_for_ever"))
    (violation,) = verdict.violations
    start = violation.trace.cycle_start
    assert start is not None
    assert verdict.symmetry.group_order == ("1" if symmetry == "none" else "2")
    assert {step.pid for step in violation.trace.steps[start:]} == {0, 1}
