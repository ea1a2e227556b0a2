"""A complete symmetric model checker, small enough to read before lunch. Run it: python docs/toy_checker.py

Some processes compete for a lock. They are interchangeable: states that differ only in *who* is who behave
alike, and together they are an orbit. We search orbits instead of states, and still tell how a bug happens in
the numbers of the original processes. The real checker has the same parts: fold, search, unwind, replay.
"""

from collections import Counter, deque
from collections.abc import Iterator
from math import factorial, prod
from typing import NamedTuple

FREE, ME, ANY = "free", "me", "any"


class State(NamedTuple):
    local: tuple[str, ...]  # where each process is in its program
    owner: int | None  # the process that has the lock


class Rule(NamedTuple):
    """A guarded action of one process, which can speak of itself (ME), but of nobody by number.

    SOUND: this is why folding is allowed. Whatever rules are written in this form, renaming the processes
    before a step or after it gives the same state. A checker that cannot prove this must not fold.
    """
    name: str
    before: str  # where the process must be ...
    after: str  # ... and where it goes
    needs: str = ANY  # the lock must be FREE, or ANY will do
    leaves: str = ANY  # the lock becomes FREE, or mine (ME), or stays as it is (ANY)


Rules = tuple[Rule, ...]
Trace = list[tuple[int, Rule]]  # who does what
Links = dict[State, tuple[State, int, Rule, list[int]] | None]  # how the search came to each state
REQUEST, RELEASE = Rule("request", "idle", "trying"), Rule("release", "critical", "idle", leaves=FREE)
ACQUIRE = Rule("acquire", "trying", "critical", needs=FREE, leaves=ME)
TEST, SET = Rule("test", "trying", "tested", needs=FREE), Rule("set", "tested", "critical", leaves=ME)
PROTOCOLS: dict[str, Rules] = {
    "a correct lock": (REQUEST, ACQUIRE, RELEASE),
    "a lock whose test and set are two steps": (REQUEST, TEST, SET, RELEASE),
    "a lock that is never released": (REQUEST, ACQUIRE, Rule("leave", "critical", "idle")),
}


def steps(rules: Rules, state: State) -> Iterator[tuple[int, Rule, State]]:
    """Everything that can happen next: which process, by which rule, to which state."""
    for me, place in enumerate(state.local):
        for rule in rules:
            if rule.before == place and (rule.needs == ANY or state.owner is None):
                owner = {FREE: None, ME: me, ANY: state.owner}[rule.leaves]
                yield me, rule, State((*state.local[:me], rule.after, *state.local[me + 1 :]), owner)


def problem(rules: Rules, state: State) -> str | None:
    # SOUND: what we look for does not depend on names either, so one state speaks for its whole orbit.
    if state.local.count("critical") > 1:
        return "two processes in the critical section"
    return None if any(steps(rules, state)) else "deadlock"


def colours(state: State) -> list[tuple[str, bool]]:
    """All that tells a process from the others. Two of the same colour can be swapped: nothing changes."""
    return [(place, state.owner == i) for i, place in enumerate(state.local)]


def fold(state: State) -> tuple[State, list[int]]:
    """The representative of the orbit, and the permutation: its slot k holds what was process was[k]."""
    was = sorted(range(len(state.local)), key=colours(state).__getitem__)
    owner = None if state.owner is None else was.index(state.owner)  # a value that names a process goes along
    return State(tuple(state.local[i] for i in was), owner), was


def orbit_size(state: State) -> int:
    """|G| / |stabiliser|, which need not be n!: permuting processes of one colour leaves the state alone."""
    return factorial(len(state.local)) // prod(factorial(k) for k in Counter(colours(state)).values())


def explore(rules: Rules, start: State, symmetric: bool = True) -> tuple[list[State], Trace | None]:
    """All states (one for each orbit), and a shortest way to a problem, since the search is breadth first."""
    links: Links = {start: None}  # SOUND: all processes start alike, so the start is its own representative
    queue, bad = deque([start]), None
    while queue:
        state = queue.popleft()
        if bad is None and problem(rules, state):
            bad = state  # remember the first, but go on: the counts are of the whole space
        for me, rule, after in steps(rules, state):
            representative, was = fold(after) if symmetric else (after, list(range(len(after.local))))
            if representative not in links:
                links[representative] = state, me, rule, was  # without `was`, a trace is a tale about nobody
                queue.append(representative)
    return list(links), None if bad is None else unwind(links, bad)[0]


def unwind(links: Links, state: State) -> tuple[Trace, list[int]]:
    """The steps that led here, and who is who by now: slot k of this state holds original process who[k]."""
    if (link := links[state]) is None:
        return [], list(range(len(state.local)))
    trace, who = unwind(links, link[0])
    _, slot, rule, was = link
    return [*trace, (who[slot], rule)], [who[k] for k in was]


def replay(rules: Rules, start: State, trace: Trace) -> list[State]:
    """Run the trace on the unfolded system. If it does not run there, the checker is wrong: StopIteration."""
    run = [start]
    for step in trace:
        run.append(next(after for me, rule, after in steps(rules, run[-1]) if (me, rule) == step))
    return run


def main() -> None:
    start = State(("idle",) * 5, None)
    for name, rules in PROTOCOLS.items():
        orbits, trace = explore(rules, start)
        total, unreduced = sum(map(orbit_size, orbits)), len(explore(rules, start, symmetric=False)[0])
        assert total == unreduced, "an orbit was lost, or counted twice"
        run = replay(rules, start, trace or [])
        found = problem(rules, run[-1]) or "holds"
        assert (trace is None) == (found == "holds"), "the counterexample does not replay"
        print(f"{name}: {found}")
        print(f"  {len(orbits)} orbits with {total} states; without folding the search visits {unreduced}")
        for (me, rule), (local, owner) in zip(trace or [], run[1:], strict=True):
            print(f"  process {me} {rule.name:8} {' '.join(f'{place:8}' for place in local)} owner {owner}")


if __name__ == "__main__":
    main()
