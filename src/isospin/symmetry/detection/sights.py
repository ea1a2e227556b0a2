"""Who sees a pid, or the death of a process: what symmetries of processes that end, or are started, must ask.

Reference: docs/develop/traps.md, "Processes and pids".
Differs: all expressions of a model are looked at in one place, and each way to see something has one name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...core.errors import Location
from ...core.model import (
    AtLabel,
    Claim,
    Enabled,
    Expr,
    LastPid,
    LocationOf,
    Model,
    NonProgress,
    Print,
    Priority,
    ProcessCount,
    RemoteRead,
    Self,
    Template,
    Temporal,
    Timeout,
)
from ...semantics.walk import different_steps, expressions
from ...transform.merge import has_next
from .population import claim_expressions, reachable_actions

SIGHTS: dict[type, str] = {
    Self: "_pid is read",
    LastPid: "_last is read",
    RemoteRead: "a process is read from outside",
    AtLabel: "a process is looked at from outside",
    Timeout: "timeout waits for the ends of processes",
    ProcessCount: "_nr_pr counts the processes that are alive",
    Enabled: "enabled() asks about a process by its number",
    LocationOf: "pc_value() asks about a process by its number",
    Priority: "priorities are looked at",
    NonProgress: "np_ looks at all processes",
}


class Look(NamedTuple):
    """An expression, where it stands, and the template whose processes evaluate it."""

    location: Location
    template: Template | None  # None: somebody who looks at all processes from outside
    expression: Expr


def every_look(model: Model) -> Iterator[Look]:
    """All expressions of a model that matter; nobody reads what is printed."""
    for template in model.templates:
        if template.kind not in ("proctype", "init"):
            continue
        seen = set[int]()
        for action in reachable_actions(template):
            for step in different_steps((action,)):
                if not isinstance(step, Print) and id(step) not in seen:
                    seen.add(id(step))
                    yield from (Look(action.location, template, e) for e in expressions(step))
        yield from (Look(v.location, template, e) for v in template.locals for e in v.initial)
        if template.provided is not None:
            yield Look(template.location, template, template.provided)
    for claim in model.claims:
        yield from (Look(claim.location, None, e) for e in claim_expressions(claim))
    for invariant in model.invariants:
        yield from (Look(invariant.location, None, e) for e in (invariant.condition, invariant.defined))


def counts_steps(claim: Claim) -> bool:
    """Does a claim see a step that changes nothing else, such as the death of a process?"""
    return claim.template is not None or (claim.formula is not None and has_next(claim.formula))


def propositions(formula: Temporal) -> Iterator[Temporal]:
    """The largest subformulas without temporal operators."""
    if _is_propositional(formula):
        yield formula
    else:
        for operand in formula.operands:
            yield from propositions(operand)


def _is_propositional(formula: Temporal) -> bool:
    if formula.atom is not None:
        return True
    return formula.op in ("&&", "||", "!", "implies", "equivalent") and all(map(_is_propositional, formula.operands))
