"""Steps that call functions and return from them.

Reference: shallow binding, as old Lisp systems did it: a variable has one place, and a call saves what was there.
Differs: nothing.  So all that is known about local variables holds inside functions too, and only recursion costs
state.
"""

from __future__ import annotations

from collections.abc import Callable

from ..core.model import Action, Call, Chain, Return, Target, Variable
from .evaluate import Evaluator
from .state import Effect, Ready, Value, World, WritableWorld


def starts_call(action: Action) -> bool:
    step = action.step.actions[0].step if isinstance(action.step, Chain) else action.step
    return isinstance(step, Call)


def slots_of(variables: tuple[Variable, ...]) -> list[int]:
    return [v.base + i for v in variables for i in range(v.size)]


def call(evaluator: Evaluator, step: Call) -> Effect:
    """Save the variables of the function on the stack, clear them, and set the parameters."""
    values = [evaluator.value(v) for v in step.values]
    slots, forgotten = slots_of(step.variables), set(slots_of(step.forgets))

    def effect(w: WritableWorld) -> None:
        given = [p.type.wrap(value(w)) for p, value in zip(step.parameters, values, strict=True)]
        process = w.processes[w.pid]
        frame = list(process.frame)
        for slot in slots:
            frame[slot] = 0
        for parameter, value in zip(step.parameters, given, strict=True):
            frame[parameter.base] = value
        saved = (step.site, *(0 if slot in forgotten else process.frame[slot] for slot in slots))
        w.processes[w.pid] = process._replace(frame=tuple(frame), stack=(*process.stack, saved))

    return effect


def returns(evaluator: Evaluator, step: Return, assign: Callable[[Target, Value], Effect]) -> tuple[Ready, Effect]:
    """Back to the site of the call: the saved variables return, and the result goes where the call wants it."""
    value, slots = evaluator.value(step.value), slots_of(step.variables)
    result: list[int] = [0]
    keep = None if step.into is None else assign(step.into, lambda _: result[0])

    def ready(w: World) -> bool:
        stack = w.processes[w.pid].stack
        return bool(stack) and stack[-1][0] == step.site

    def effect(w: WritableWorld) -> None:
        result[0] = value(w)
        process = w.processes[w.pid]
        frame = list(process.frame)
        for slot, saved in zip(slots, process.stack[-1][1:], strict=True):
            frame[slot] = saved
        w.processes[w.pid] = process._replace(frame=tuple(frame), stack=process.stack[:-1])
        if keep is not None:
            keep(w)

    return ready, effect
