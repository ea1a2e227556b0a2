"""A path of the engine, run again on the reference semantics: what exactly went wrong, in its own words."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import InternalError
from ...ir.evaluate import Fault, State
from ...ir.explain import chosen
from ...ir.interp import Interpreter, Taken
from ...trace import Choice
from ..contract import Finding


def findings(interpreter: Interpreter, start: State, path: Sequence[Choice]) -> list[Finding]:
    """The faults of the last step, and what is wrong with the state at the end."""
    state, control, last = start, None, None
    for number, choice in enumerate(path, 1):
        if last is not None:
            if last.state is None:
                raise InternalError(f"the counterexample goes on after a fault, at step {number}")
            state, control = last.state, last.control
        last = take(interpreter, state, control, choice, number)
    faults: tuple[Fault, ...] = last.faults if last is not None else ()
    end = last.state if last is not None else start
    stuck = None if end is None or interpreter.steps(end) else interpreter.stuck(end)
    if stuck is not None:
        faults = (*faults, stuck)
    if not faults:
        raise InternalError("the counterexample ends in a state with nothing wrong")
    return [Finding(f.kind, f.message, f.location, tuple(path)) for f in faults]


def take(interpreter: Interpreter, state: State, control: int | None, choice: Choice, number: int) -> Taken:
    """SOUND: a path that does not replay is a bug of ours, never a finding."""
    found = match(interpreter.steps(state, control), choice)
    if found is None and control is not None:
        if not interpreter.steps(state, control):  # blocked: control is lost
            found = match(interpreter.steps(state), choice)
    if found is None:
        raise InternalError(f"step {number} of the counterexample does not replay: {choice}")
    return found


def match(steps: list[Taken], choice: Choice) -> Taken | None:
    return next((taken for taken in steps if chosen(taken) == choice), None)
