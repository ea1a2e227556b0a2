"""Single runs: simulated, or replayed from a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from ..errors import InternalError, UsageError
from ..ir.explain import Namer, Position, Replayer, explain
from ..ir.interp import Interpreter, Taken
from ..model import Model
from ..trace import Choice, Trace, TraceStep
from .safety import unbounded

Chooser: TypeAlias = Callable[[Interpreter, Position, list[Taken]], Taken | None]


@dataclass(frozen=True)
class Run:
    """One run, and how it ended."""

    trace: Trace
    ending: str
    violation: bool


def simulate(model: Model, seed: int, steps: int, choose: Chooser | None = None) -> Run:
    """A run of at most `steps` steps; random from the seed, unless `choose` picks each step."""
    random = Random(seed)
    interpreter = Interpreter(unbounded(model))
    replayer = Replayer(interpreter)
    at = replayer.start()
    choices: list[Choice] = []
    for _ in range(steps):
        options = replayer.options(at)
        if not options:
            stuck = interpreter.stuck(at.state)
            ending = f"{stuck.kind}: {stuck.message}" if stuck else "the run ends in a valid end state"
            return Run(explain(interpreter, choices).trace, ending, stuck is not None)
        taken = random.choice(options) if choose is None else choose(interpreter, at, options)
        if taken is None:
            return Run(explain(interpreter, choices).trace, "stopped", False)
        choices.append(replayer.choice(at, taken))
        if taken.faults:
            fault = taken.faults[0]
            return Run(explain(interpreter, choices).trace, f"{fault.kind}: {fault.message}", True)
        at = replayer.after(at, taken)
    return Run(explain(interpreter, choices).trace, f"stopped after {steps} steps", False)


def replay(
    model: Model, choices: list[Choice], statements: list[str], cycle_start: int | None = None, said: str = ""
) -> Run:
    """Step through a saved trace; it must be one of this model.  Of a claim, what was `said` is repeated."""
    interpreter = Interpreter(unbounded(model))
    try:
        trace, faults, final = explain(interpreter, choices)
    except InternalError:
        raise UsageError(f"the trace is not a run of {model.file}; was the model changed?") from None
    if [s.statement for s in trace.steps] != statements:
        raise UsageError(f"the statements of the trace are not those of {model.file}; was the model changed?")
    if said:
        return Run(replace(trace, cycle_start=cycle_start), f"{said} (the claim is not evaluated again)", True)
    if not faults and final is not None and not interpreter.steps(final) and (stuck := interpreter.stuck(final)):
        faults = (stuck,)
    ending = "; ".join(f"{f.kind}: {f.message}" for f in faults) or "nothing is violated at the end of this trace"
    return Run(trace, ending, bool(faults))


def preview(interpreter: Interpreter, at: Position, options: list[Taken]) -> list[TraceStep]:
    """What each possible step would do, for people who choose one."""
    namer = Namer(interpreter)
    return [namer.step(at, taken) for taken in options]
