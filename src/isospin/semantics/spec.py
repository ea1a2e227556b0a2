"""When is a model well formed?  Executable: every front end's output is checked, in tests and before each run.

A broken model is a bug of the front end that made it, so the answer is a list of complaints for us, not for users.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.model import (
    Action,
    Allocate,
    AtLabel,
    Chain,
    Deterministic,
    End,
    Expr,
    Field,
    Model,
    Place,
    RemoteRead,
    Run,
    Template,
    Variable,
)
from .walk import expressions, subexpressions


def problems(model: Model) -> list[str]:
    """Everything that is wrong with the model; empty if it is well formed."""
    return list(_model(model))


def _model(model: Model) -> Iterator[str]:
    """What is wrong with a model, in words."""
    names = [t.name for t in model.templates]
    if len(set(names)) != len(names):
        yield "two templates have the same name"
    yield from _frame("globals", model.globals, is_local=False)
    for new in model.channels:
        yield from _channel_slot("globals", model.globals, new.offset)
    for instance in model.instances:
        if instance.template not in names:
            yield f"an instance of the unknown template {instance.template}"
        elif len(instance.values) != sum(v.size for v in model.template(instance.template).parameters):
            yield f"an instance of {instance.template} has the wrong number of values"
    for kind in model.objects:
        yield from _frame(kind.name, kind.fields, is_local=False)
    for template in model.templates:
        yield from _template(model, template)
    for variable in model.globals:
        if variable.owned and variable.shape != (len(model.instances),):
            yield f"globals: {variable.name} does not have one element for each process"
    for invariant in model.invariants:
        for outer in (invariant.condition, invariant.defined):
            for e in subexpressions(outer):
                yield from _expression(model, model.templates[0], e, f"invariant {invariant.name}")


def _frame(where: str, variables: tuple[Variable, ...], is_local: bool) -> Iterator[str]:
    offset = 0
    for variable in variables:
        if variable.base != offset:
            yield f"{where}: {variable.name} is at {variable.base}, not at {offset}"
        if variable.is_local != is_local:
            yield f"{where}: {variable.name} is in the wrong frame"
        if len(variable.dims) != len(variable.parts) or sum(variable.dims) != len(variable.shape):
            yield f"{where}: {variable.name} has dimensions that do not fit its name"
        if len(variable.initial) > max(variable.size, 1):
            yield f"{where}: {variable.name} has too many initial values"
        offset = variable.base + variable.size


def _channel_slot(where: str, variables: tuple[Variable, ...], slot: int) -> Iterator[str]:
    if not any(v.base <= slot < v.base + v.size and v.type.name == "chan" for v in variables):
        yield f"{where}: a channel is stored at {slot}, where no chan variable is"


def _template(model: Model, template: Template) -> Iterator[str]:
    where = template.name
    yield from _frame(where, template.locals, is_local=True)
    if template.locals[: len(template.parameters)] != template.parameters:
        yield f"{where}: the parameters are not the first locals"
    for new in template.channels:
        yield from _channel_slot(where, template.locals, new.offset)
    sources = {a.source for a in template.actions}
    if template.entry not in sources:
        yield f"{where}: nothing leaves the entry {template.entry}"
    ends = {a.source for a in template.actions if isinstance(a.step, End)}
    if not ends <= template.end_locations:
        yield f"{where}: a process may end where it is not a valid end"
    for action in template.actions:
        yield from _action(model, template, action, sources)


def _action(model: Model, template: Template, action: Action, sources: set[int]) -> Iterator[str]:
    """What is wrong with an action."""
    where = f"{template.name}, action {action.id} at {action.location}"
    step = action.step
    if not isinstance(step, End) and action.target not in sources:
        yield f"{where}: leads to {action.target}, which nothing leaves"
    if isinstance(step, Deterministic) and step.entry not in step.inside:
        yield f"{where}: the d_step does not contain its entry"
    if isinstance(step, Chain) and len(step.actions) < 2:
        yield f"{where}: a chain of one"
    if isinstance(step, Run) and len(step.values) != sum(v.size for v in model.template(step.template).parameters):
        yield f"{where}: run with the wrong number of values"
    if isinstance(step, Allocate) and step.type not in {o.name for o in model.objects}:
        yield f"{where}: allocates the unknown type {step.type}"
    if isinstance(step, Chain) and any(isinstance(a.step, Allocate) for a in step.actions[1:]):
        yield f"{where}: an allocation inside a chain"
    inside = {i for a in template.actions if isinstance(a.step, Deterministic) for i in a.step.inside}
    if isinstance(step, Allocate) and action.source in inside:
        yield f"{where}: an allocation inside a d_step"
    for outer in expressions(step):
        for e in subexpressions(outer):
            yield from _expression(model, template, e, where)


def _expression(model: Model, template: Template, e: Expr, where: str) -> Iterator[str]:
    if isinstance(e, Place):
        frame = template.locals if e.variable.is_local else model.globals
        if not any(v.base == e.variable.base and v.name == e.variable.name for v in frame):
            if not _is_remote(model, e):
                yield f"{where}: {e.variable.name} is in no frame"
        if len(e.indices) != len(e.variable.shape):
            yield f"{where}: {e.variable.name} has {len(e.indices)} indices"
    if isinstance(e, Field):
        if not any(e.variable in o.fields for o in model.objects):
            yield f"{where}: {e.variable.name} is a field of nothing"
        if len(e.indices) != len(e.variable.shape):
            yield f"{where}: {e.variable.name} has {len(e.indices)} indices"
    if isinstance(e, AtLabel | RemoteRead) and e.template not in {t.name for t in model.templates}:
        yield f"{where}: refers to the unknown template {e.template}"
    if isinstance(e, AtLabel) and model.template(e.template).label(e.label) is None:
        yield f"{where}: refers to the unknown label {e.label}"


def _is_remote(model: Model, e: Place) -> bool:
    return any(v.base == e.variable.base and v.name == e.variable.name for t in model.templates for v in t.locals)
