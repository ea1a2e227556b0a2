"""A second opinion: does a permutation keep every fact about the model?

Reference: docs/develop/architecture.md, decision 3: symmetry is earned.
Differs: nothing of the search for symmetries is used here: facts are renamed one by one, brought to a normal form, and
compared as sets.  A part that many facts share is renamed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..protocol import Name
from .facts import Fact, Ref, Term

NONE = -1  # the form of what no term is


class Forms:
    """Normal forms of terms as numbers; equal numbers mean equal up to the order of unordered parts.

    The numbers of parts are less than those of what they are in.
    """

    def __init__(self) -> None:
        self.known: dict[object, int] = {}
        self.keys: list[tuple[tuple[str | int | bool, ...], bool, tuple[int, ...]]] = []  # by form: label, order, parts
        self.around: list[list[int]] = []  # by form: what it is a part of
        self.movables: dict[Name, int] = {}
        self.written: dict[int, int] = {}  # by identity of a term, as an array is a part of many facts

    def form(self, term: Term) -> int:
        if isinstance(term, Ref):
            found = self.movables.get(term.name)
            if found is None:
                found = self.movables[term.name] = self.new(("movable",), False, ())
            return found
        found = self.written.get(id(term))
        if found is None:
            parts = list(map(self.form, term.children))
            if term.unordered:
                parts.sort()
            key = (term.label, term.unordered, tuple(parts))
            found = self.known.get(key)
            if found is None:
                found = self.known[key] = self.new(*key)
            self.written[id(term)] = found
        return found

    def new(self, label: tuple[str | int | bool, ...], unordered: bool, parts: tuple[int, ...]) -> int:
        number = len(self.keys)
        self.keys.append((label, unordered, parts))
        self.around.append([])
        for part in parts:
            self.around[part].append(number)
        return number

    def images(self, rename: Mapping[Name, Name]) -> dict[int, int]:
        """What becomes of forms that speak of what is renamed; the others stay as they are."""
        known = ((self.movables[name], image) for name, image in rename.items() if name in self.movables)
        moved = {form: self.movables.get(image, NONE) for form, image in known}
        for number in self.above(moved):
            label, unordered, parts = self.keys[number]
            images = [moved.get(part, part) for part in parts]
            if unordered:
                images.sort()
            moved[number] = self.known.get((label, unordered, tuple(images)), NONE)
        return moved

    def above(self, forms: Iterable[int]) -> list[int]:
        """What some forms are in, parts before wholes."""
        found, todo = set[int](), list(forms)
        while todo:
            new = set(self.around[todo.pop()]) - found
            found |= new
            todo += new
        return sorted(found)


class Judge:
    """Says of renamings whether they are symmetries of the model with these facts."""

    def __init__(self, facts: list[Fact]) -> None:
        self.facts, self.forms = facts, Forms()
        self.of_fact = [self.forms.form(fact.term) for fact in facts]
        self.held = set(self.of_fact)

    def find_violated(self, rename: Mapping[Name, Name]) -> Fact | None:
        """A fact that the renaming does not map to a fact; None if the renaming is a symmetry."""
        images = self.forms.images(rename)
        lost = {form for form in self.held if images.get(form, form) not in self.held}
        return next((fact for fact, form in zip(self.facts, self.of_fact, strict=True) if form in lost), None)


def names_in(term: Term) -> Iterator[Name]:
    """What a term speaks of."""
    todo = [term]
    while todo:
        one = todo.pop()
        if isinstance(one, Ref):
            yield one.name
        else:
            todo += one.children
