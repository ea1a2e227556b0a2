"""Processes that have come to their end stay there, where nobody can tell.

Reference: `analysis/births.py`, which says when that is.
Differs: a process that could leave at any time makes as many states as there are times to leave; one that stays makes
none.

SOUND: a run of the model without ends is one of the model itself, in which nobody leaves.  A run of the model, without
the steps in which processes leave, is one of the model without ends, but for numbers.  So they have the same errors; a
deadlock is one for the model itself as soon as all have left who can (`confirm` lets them).  More than 255 processes
are an error in both: as long as nobody leaves, they are all there.
"""

from __future__ import annotations

from dataclasses import replace

from ..analysis.births import numbers_are_unseen
from ..core.model import End, Model, Template


def linger(model: Model) -> Model:
    """The model in which nobody leaves, if that cannot be seen."""
    # SOUND: what only a process that leaves could reach is lost then, so who watches leaks can tell.
    if model.watch_leaks or not numbers_are_unseen(model):
        return model
    return replace(model, templates=tuple(map(_endless, model.templates)))


def _endless(template: Template) -> Template:
    ends = frozenset(a.source for a in template.actions if isinstance(a.step, End))
    if template.entry in ends:
        return template  # it would have no actions at all
    kept = tuple(a for a in template.actions if not isinstance(a.step, End))
    return replace(template, actions=kept, end_locations=template.end_locations | ends)
