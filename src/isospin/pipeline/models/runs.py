"""Single runs: simulated, or replayed from a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import TypeAlias

from ...core import deadline
from ...core.depth import room
from ...core.errors import InternalError, UsageError
from ...core.model import Model
from ...core.trace import Choice, Snapshot, Start, Trace, TraceStep, UserRun
from ...semantics.explain import Namer, Position, Replayer, explain
from ...semantics.interp import Interpreter, Taken
from ...semantics.snapshot import snapshots as paint
from ...semantics.start import start_of
from ...semantics.state import Fault, State

MOST_STARTS = 1000  # initial states that a simulation chooses from
Chooser: TypeAlias = Callable[[Interpreter, Position, list[Taken]], Taken | None]


@room()
def simulate(
    model: Model, seed: int, steps: int, choose: Chooser | None = None, say: Callable[[str], None] | None = None
) -> UserRun:
    """A run of at most `steps` steps; random from the seed, unless `choose` picks each step."""
    random = Random(seed)
    interpreter = Interpreter(model.unbounded())
    replayer = Replayer(interpreter)
    begin = random.choice(list(islice(interpreter.initial_states(), MOST_STARTS)))
    start, at = start_of(interpreter.model, begin), Position(begin)
    choices: list[Choice] = []

    def run(ending: str, violation: bool) -> UserRun:
        return UserRun(explain(interpreter, choices, start=start).trace, ending, violation)

    for number in range(steps):
        if deadline.is_over():
            return run(deadline.reason("simulating"), False)
        if say is not None and choose is None and number % 1000 == 999:
            say(f"step {number + 1:,} of {steps:,}")
        if (broken := next(interpreter.broken(at.state), None)) is not None:
            return run(f"{broken.kind}: {broken.message}", True)
        options = replayer.options(at)
        if not options:
            stuck = interpreter.stuck(at.state)
            return run(f"{stuck.kind}: {stuck.message}" if stuck else "the run ends in a valid end state", bool(stuck))
        taken = random.choice(options) if choose is None else choose(interpreter, at, options)
        if taken is None:
            return run("stopped", False)
        choices.append(replayer.choice(at, taken))
        if taken.faults:
            return run(f"{taken.faults[0].kind}: {taken.faults[0].message}", True)
        at = replayer.after(at, taken)
    return run(f"stopped after {steps} steps", False)


@room()
def replay(
    model: Model, choices: list[Choice], statements: list[str], cycle_start: int | None = None, said: str = "",
    start: dict[str, int] | None = None,
) -> UserRun:  # fmt: skip
    """Step through a saved trace; it must be one of this model.  Of a claim, what was `said` is repeated."""
    interpreter = Interpreter(model.unbounded())
    try:
        with deadline.stretch("replaying the trace"):
            trace, faults, final = explain(interpreter, choices, start=named_start(model, start or {}))
    except InternalError:
        raise UsageError(f"the trace is not a run of {model.file}; was the model changed?") from None
    if [s.statement for s in trace.steps] != statements:
        raise UsageError(f"the statements of the trace are not those of {model.file}; was the model changed?")
    if said:
        return UserRun(replace(trace, cycle_start=cycle_start), f"{said} (the claim is not evaluated again)", True)
    return UserRun(trace, *ending(interpreter, faults, final))


def ending(interpreter: Interpreter, faults: Sequence[Fault], final: State | None) -> tuple[str, bool]:
    """What is wrong at the end of a run, and whether anything is."""
    if not faults and final is not None:
        faults = tuple(interpreter.wrong_at(final))
    text = "; ".join(f"{f.kind}: {f.message}" for f in faults)
    return text or "nothing is violated at the end of this trace", bool(faults)


def named_start(model: Model, values: dict[str, int]) -> Start:
    """Where a saved trace starts."""
    slots = {v.element(i): v.base + i for v in model.globals for i in range(v.size)}
    if unknown := [name for name in values if name not in slots]:
        raise UsageError(f"the trace starts with {unknown[0]}, which {model.file} does not have; was it changed?")
    return tuple((slots[name], value) for name, value in values.items())


@room()
def snapshots(model: Model, trace: Trace, most: int | None = None) -> list[Snapshot]:
    """All that can be seen of a run of the model, state by state; of a long one, of the last steps."""
    return paint(model.unbounded(), trace.choices, named_start(model, dict(trace.start)), most)


@room()
def preview(interpreter: Interpreter, at: Position, options: list[Taken]) -> list[TraceStep]:
    """What each possible step would do, for people who choose one."""
    namer = Namer(interpreter)
    return [namer.step(at, taken) for taken in options]
