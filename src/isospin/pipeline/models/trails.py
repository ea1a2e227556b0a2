"""Trails that SPIN wrote, as runs of our model.

Our actions have SPIN's numbers, so a line of a trail is a choice; only where SPIN merged statements does one line stand
for several.  So the trail is followed in the model with SPIN's merging (`--optimise spin`) or, if it is one of
`spin -o3`, in the plain one, and is told in the plain one.

Reference: SPIN 6.5.2, `spin -t` (lines `depth:process:statement`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from ...core.depth import room
from ...core.errors import UsageError
from ...core.model import Model
from ...core.trace import Choice, UserRun
from ...semantics.explain import Position, Replayer, explain
from ...semantics.interp import Interpreter, Taken
from ...transform.optimise import optimise, original_path
from .runs import ending

LINE = re.compile(r"(-?\d+):(-?\d+):(-?\d+)")
CLAIM, CYCLE, MARK = -2, -1, -4  # the depths of lines that are no steps
MOST_MERGED = 100


class _TrailLine(NamedTuple):
    """A line of a trail: which process took which of SPIN's transitions."""

    number: int  # in the file
    pid: int
    action: int


class _SpinTrail(NamedTuple):
    """A trail of SPIN: its lines, and before which of them the cycle begins."""

    lines: list[_TrailLine]
    cycle_start: int | None = None  # before which of the lines
    claim: bool = False


class _LostTrail(Exception):
    """No step of this model fits a line of the trail."""

    def __init__(self, line: _TrailLine) -> None:
        self.line = line
        super().__init__(f"line {line.number}: process {line.pid} cannot take step {line.action} there")


def is_spin_trail(text: str) -> bool:
    return LINE.fullmatch(text.lstrip().partition("\n")[0].strip()) is not None


def _read_spin_trail(text: str) -> _SpinTrail:
    """The steps of the processes; those of a claim, which is SPIN's process 0, are left out."""
    lines: list[_TrailLine] = []
    start, claim = None, False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        found = LINE.fullmatch(line.strip())
        if found is None:
            raise ValueError(f"line {number} is no line of a trail of SPIN: {line.strip()[:60]}")
        depth, pid, action = map(int, found.groups())
        if depth == CLAIM:
            claim = True
        elif depth == CYCLE:
            start = len(lines)
        elif depth != MARK and not (claim and pid == 0):
            lines.append(_TrailLine(number, pid - claim, action))
    return _SpinTrail(lines, start, claim)


@room()
def replay_spin_trail(model: Model, text: str) -> UserRun:
    """Step through a trail that SPIN's verifier left."""
    trail = _read_spin_trail(text)
    model = model.unbounded()
    choices, steps_before_cycle = _steps_of_trail(model, trail)
    interpreter = Interpreter(model)
    trace, faults, final = explain(interpreter, _up_to_fault(interpreter, choices))
    if trail.cycle_start is not None or (trail.claim and not faults):
        what = "a cycle that SPIN objects to" if trail.cycle_start is not None else "the end of SPIN's claim"
        return UserRun(replace(trace, cycle_start=steps_before_cycle), f"{what} (it is not evaluated again)", True)
    return UserRun(trace, *ending(interpreter, faults, final))


def _up_to_fault(interpreter: Interpreter, choices: Iterable[Choice]) -> Iterator[Choice]:
    """SPIN tells a step with all that it merged with it, also if the first of that fails."""
    replayer = Replayer(interpreter)
    at = replayer.start()
    for choice in choices:
        taken = replayer.take(at, choice)
        yield choice
        if taken is None or taken.faults or taken.state is None:
            return
        at = replayer.after(at, taken)


def _steps_of_trail(model: Model, trail: _SpinTrail) -> tuple[list[Choice], int | None]:
    """The steps of the plain model, and how many of them come before the cycle."""
    lost: list[_LostTrail] = []
    for level in ("spin", "none"):  # in this order: what SPIN merged with the last line belongs to it
        leveled = optimise(model, level)
        try:
            choices, before = _followed(leveled, trail)
        except _LostTrail as why:
            lost.append(why)
            continue
        start = None if before is None else len(original_path(leveled, choices[:before]))
        return original_path(leveled, choices), start
    furthest = max(lost, key=lambda why: why.line.number)
    raise UsageError(f"the trail is not a run of {model.file}: {furthest}; was the model changed?")


def _followed(model: Model, trail: _SpinTrail) -> tuple[list[Choice], int | None]:
    """The choices along SPIN's lines, in a model that is merged as SPIN's was; raises where none fits."""
    replayer = Replayer(Interpreter(model))
    at, choices, i, before = replayer.start(), list[Choice](), 0, None
    while i < len(trail.lines):
        if i == trail.cycle_start:
            before = len(choices)
        for taken in _steps_to(replayer, at, trail.lines[i : i + 2]):
            choices.append(replayer.choice(at, taken))
            if taken.state is None:
                return choices, before
            at = replayer.after(at, taken)
        i += 1 if taken.partner is None else 2
    return choices, len(choices) if trail.cycle_start == len(trail.lines) else before


def _steps_to(replayer: Replayer, at: Position, lines: list[_TrailLine]) -> Iterator[Taken]:
    """The step that is told next, and before it what SPIN merged beyond what our merging does: the only way on."""
    for _ in range(MOST_MERGED):
        options = replayer.options(at)
        if (found := next((t for t in options if fits(t, lines)), None)) is not None:
            yield found
            return
        mover = lines[0].pid if at.control is None else at.control
        ways = [t for t in options if t.pid == mover]
        if len(ways) != 1 or ways[0].partner is not None or ways[0].state is None:
            break
        yield ways[0]
        at = replayer.after(at, ways[0])
    raise _LostTrail(lines[0])


def fits(taken: Taken, lines: list[_TrailLine]) -> bool:
    """Is it the step that is told next?  A rendezvous has two lines, the sender's first."""
    if (taken.pid, taken.action.id) != lines[0][1:]:
        return False
    if taken.partner is None or taken.partner_action is None:
        return True
    return len(lines) == 2 and (taken.partner, taken.partner_action.id) == lines[1][1:]
