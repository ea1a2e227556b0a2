"""Steps that work on objects: storing into a field, `new`, `delete`, and what they lose."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..core.model import Action, Allocate, Chain, Delete, Field, Target
from .evaluate import Evaluator
from .heap import HeapMap
from .state import FREE, Cell, Effect, Fault, Value, World, WritableWorld


def allocation(action: Action) -> Allocate | None:
    """The `new` that an action starts with; nothing else in it can be one."""
    step = action.step.actions[0].step if isinstance(action.step, Chain) else action.step
    return step if isinstance(step, Allocate) else None


def store(evaluator: Evaluator, field: Field, value: Value) -> Effect:
    slot, offset, wrap = evaluator.slot(field), evaluator.offset(field), field.variable.type.wrap

    def effect(w: WritableWorld) -> None:
        result = wrap(value(w))
        w.set_field(slot(w), offset(w), result)

    return effect


def allocate(evaluator: Evaluator, into: Target, blank: Cell, assign: Callable[[Target, Value], Effect]) -> Effect:
    """A new object in the slot that was chosen, and its address where it is wanted."""
    find = evaluator.slot(into) if isinstance(into, Field) else None
    keep = assign(into, lambda w: w.slot + 1)

    def effect(w: WritableWorld) -> None:
        if find is not None:
            find(w)  # a dangling pointer does not become good by the new object itself
        w.set_cell(w.slot, blank)
        keep(w)

    return effect


def delete(evaluator: Evaluator, step: Delete) -> Effect:
    pointer = evaluator.value(step.pointer)

    def effect(w: WritableWorld) -> None:
        value = pointer(w)
        if value > len(w.heap) or (value and not w.heap[value - 1].type):
            raise Fault("double-delete", f"{step.text} points to an object that was deleted already")
        if value:  # as in C, there is nothing to delete behind null
            w.set_cell(value - 1, FREE)

    return effect


def leaks(heap: HeapMap, before: World, after: World, action: Action) -> Iterator[Fault]:
    """What could be reached before the step and cannot be reached any more.  Judged before anything is collected."""
    lost = heap.lost(after)
    new = lost - heap.lost(before) if lost else lost
    if new:
        names = " and ".join(f"a {heap.model.objects[after.heap[i].type - 1].name}" for i in sorted(new))
        message = f"{names} cannot be reached any more and {'was' if len(new) == 1 else 'were'} not deleted"
        yield Fault("leak", message, action.location)
