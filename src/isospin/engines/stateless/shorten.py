"""A failing schedule with as few switches between threads as can be found.

Reference: the idea of fewest context switches is that of Musuvathi and Qadeer, PLDI 2007.
Differs: they search in the order of switches; we take a failure that any search found, and make it simpler by moving
and leaving out blocks as long as the same failure remains.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from ...core import deadline
from .protocol import Found, Program, Step, choice_counter

MOST_RUNS = 400
MOST_SECONDS = 3.0
MOST_STEPS = 20_000

AtOnce: TypeAlias = Callable[[], Sequence[Found]]
Same: TypeAlias = Callable[[Found, Found], bool]


class Execution(NamedTuple):
    """One execution: the steps that were made, and what was found in the end."""

    steps: list[Step]
    found: Found | None


def same_failure(one: Found, other: Found) -> bool:
    return (one.kind, one.location) == (other.kind, other.location)


def run_guided(program: Program, wanted: Sequence[Step], at_once: AtOnce = tuple) -> Execution:
    """Follow a schedule as far as it can be followed: who cannot go waits for his turn; then the last one goes on.

    `at_once` says what was found before the first step."""
    count_choices = choice_counter(program)
    program.restart()
    queue = list(wanted)
    made: list[Step] = []
    while len(made) < MOST_STEPS and not at_once():
        enabled = program.enabled()
        if not enabled:
            return Execution(made, program.stuck())
        index = next((i for i, step in enumerate(queue) if step.thread in enabled), None)
        if index is not None:
            step = queue.pop(index)
        else:
            last = made[-1].thread if made else enabled[0]
            step = Step(last if last in enabled else enabled[0])
        step = step if step.choice < count_choices(step.thread) else Step(step.thread)
        found = program.step(step.thread, step.choice)
        made.append(step)
        if found:
            return Execution(made, found[0])
    return Execution(made, next(iter(at_once()), None))


def minimise(
    program: Program, found: Found, steps: Sequence[Step], at_once: AtOnce = tuple, same: Same = same_failure
) -> list[Step]:
    """A schedule with the same failure and fewer switches."""
    best = list(steps)
    left = deadline.remaining()
    runs, until = 0, time.monotonic() + (MOST_SECONDS if left is None else min(MOST_SECONDS, left / 3))
    improved = True
    while improved:
        improved = False
        for candidate in _simpler(best):
            if runs >= MOST_RUNS or time.monotonic() > until:
                return best
            runs += 1
            run = run_guided(program, candidate, at_once)
            if run.found is not None and same(run.found, found) and _cost(run.steps) < _cost(best):
                best, improved = run.steps, True
                break
    return best


def _cost(steps: Sequence[Step]) -> tuple[int, int]:
    return switches(steps), len(steps)


def switches(steps: Sequence[Step]) -> int:
    return sum(a.thread != b.thread for a, b in pairwise(steps))


def blocks(steps: Sequence[Step]) -> list[list[Step]]:
    found: list[list[Step]] = []
    for step in steps:
        if found and found[-1][0].thread == step.thread:
            found[-1].append(step)
        else:
            found.append([step])
    return found


def _simpler(steps: Sequence[Step]) -> list[list[Step]]:
    """Schedules that could do with fewer switches: a block moved to the one before of the same thread, or left out."""
    parts = blocks(steps)
    found = []
    for i, part in enumerate(parts):
        found.append([s for j, p in enumerate(parts) if j != i for s in p])
        earlier = next((j for j in range(i - 1, -1, -1) if parts[j][0].thread == part[0].thread), None)
        if earlier is not None:
            moved = [*parts[: earlier + 1], part, *parts[earlier + 1 : i], *parts[i + 1 :]]
            found.append([s for p in moved for s in p])
        later = next((j for j in range(i + 1, len(parts)) if parts[j][0].thread == part[0].thread), None)
        if later is not None:
            moved = [*parts[:i], *parts[i + 1 : later], part, *parts[later:]]
            found.append([s for p in moved for s in p])
    return found
