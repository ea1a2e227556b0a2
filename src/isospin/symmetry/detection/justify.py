"""A second opinion: does a permutation keep every fact about the model?

Reference: docs/develop/architecture.md, decision 3: symmetry is earned.
Differs: nothing of the search for symmetries is used here: facts are renamed one by one, brought to a normal form, and
compared as sets.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..protocol import Name
from .facts import Fact, Ref, Term


class Normal:
    """Normal forms of terms as numbers; equal numbers mean equal up to the order of unordered parts."""

    def __init__(self) -> None:
        self.known: dict[object, int] = {}

    def form(self, term: Term, rename: Mapping[Name, Name]) -> int:
        if isinstance(term, Ref):
            return self.known.setdefault(("movable", rename.get(term.name, term.name)), len(self.known))
        parts = [self.form(child, rename) for child in term.children]
        if term.unordered:
            parts.sort()
        return self.known.setdefault((term.label, term.unordered, tuple(parts)), len(self.known))


def violated(facts: list[Fact], rename: Mapping[Name, Name]) -> Fact | None:
    """A fact that the renaming does not map to a fact; None if the renaming is a symmetry of the model."""
    normal = Normal()
    held = {normal.form(fact.term, {}) for fact in facts}
    return next((fact for fact in facts if normal.form(fact.term, rename) not in held), None)
