"""The symmetry part of a verdict."""

from __future__ import annotations

from ..core.verdict import Refusal, Symmetry
from .detection.prepare import Prepared
from .detection.symmetries import Symmetries
from .protocol import Strategy


def summary(prepared: Prepared, symmetries: Symmetries, strategy: Strategy) -> Symmetry:
    """What was used, and why it may be."""
    if symmetries.births is not None:
        pids = "nobody sees the pids of processes that are started"
        if symmetries.births.pids is not None:
            pids = "pids of processes that are started are names, and renamed with them"
        notes = [f"{pids}, so that live ones are exchanged at any time"]
        notes += ["those that have ended are left out of states"] if any(symmetries.births.ended) else []
    else:
        notes = [symmetries.justification]
    if prepared.deaths_removed:
        notes.append("processes that have ended stay as records, since nobody can tell")
    if symmetries.population is not None and not symmetries.population.closed and symmetries.order > 1:
        what = f"{_creator(symmetries)} has set everything up" if symmetries.waits else "all processes are started"
        notes.append(f"states before {what} are not folded")
    if symmetries.heap is not None:
        notes.append(
            "objects are named by how they are reached, not by their addresses, and unreachable ones collected"
        )
    if symmetries.cut:
        notes.append(symmetries.cut)
    return Symmetry(
        strategy=strategy.name,
        exactness=strategy.exactness,
        group_order=str(symmetries.order),
        families=symmetries.families,
        justification="; ".join(notes),
        refused=_distinct((*prepared.refused, *symmetries.refused)),
        heap=symmetries.heap is not None,
        started=() if symmetries.births is None else symmetries.births.names,
    )


def _creator(symmetries: Symmetries) -> str:
    population = symmetries.population
    assert population is not None
    assert population.creator is not None
    return symmetries.templates[population.creator]


def _distinct(refused: tuple[Refusal, ...]) -> tuple[Refusal, ...]:
    """One reason for each place, the first that was given."""
    return tuple({r.location: r for r in reversed(refused)}.values())[::-1]
