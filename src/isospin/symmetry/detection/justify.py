"""A second opinion: does a permutation keep every fact about the model?

Reference: docs/develop/architecture.md, decision 3: symmetry is earned.
Differs: nothing of the search for symmetries is used here: facts are renamed one by one, brought to a normal form, and
compared as sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..protocol import Name
from .facts import Fact, Ref, Term, TermNode

LARGE = 8


class _Parts:
    """The parts of a large term: their forms when nothing is renamed, and which of them speak of a thing."""

    def __init__(self, parts: list[tuple[int, tuple[Name, ...]]]) -> None:
        self.forms = [form for form, _ in parts]
        self.about: dict[Name, list[int]] = {}
        for number, (_, names) in enumerate(parts):
            for name in names:
                self.about.setdefault(name, []).append(number)


class Normal:
    """Normal forms of terms as numbers; equal numbers mean equal up to the order of unordered parts."""

    def __init__(self) -> None:
        self.known: dict[object, int] = {}
        self.parts: dict[int, _Parts] = {}  # of large terms, by identity
        self.plain: dict[int, tuple[int, tuple[Name, ...]]] = {}  # by identity: the form and the names of such a part

    def form(self, term: Term, rename: Mapping[Name, Name], known: dict[int, int]) -> int:
        """`known`: the forms of terms under this renaming, by identity; an array is a part of many facts."""
        if isinstance(term, Ref):
            return self.known.setdefault(("movable", rename.get(term.name, term.name)), len(self.known))
        if id(term) in known:
            return known[id(term)]
        if len(term.children) >= LARGE:
            parts = self.renamed_parts(term, rename, known)
        else:
            parts = [self.form(child, rename, known) for child in term.children]
        if term.unordered:
            parts.sort()
        found = self.known.setdefault((term.label, term.unordered, tuple(parts)), len(self.known))
        known[id(term)] = found
        return found

    def renamed_parts(self, term: TermNode, rename: Mapping[Name, Name], known: dict[int, int]) -> list[int]:
        """The forms of all parts; those that speak of nothing that is renamed keep theirs."""
        if id(term) not in self.parts:
            self.parts[id(term)] = _Parts(list(map(self.plainly, term.children)))
        one = self.parts[id(term)]
        forms = list(one.forms)
        for number in {number for name in rename for number in one.about.get(name, ())}:
            forms[number] = self.form(term.children[number], rename, known)
        return forms

    def plainly(self, term: Term) -> tuple[int, tuple[Name, ...]]:
        """The form if nothing is renamed, and what the term speaks of."""
        if id(term) not in self.plain:
            self.plain[id(term)] = self.form(term, {}, {}), tuple(dict.fromkeys(names_in(term)))
        return self.plain[id(term)]


class Judge:
    """Says of renamings whether they are symmetries of the model with these facts."""

    def __init__(self, facts: list[Fact]) -> None:
        self.facts, self.normal = facts, Normal()
        known: dict[int, int] = {}
        self.held = {self.normal.form(fact.term, {}, known) for fact in facts}
        self.about: dict[Name, list[int]] = {}  # the facts that speak of a thing
        for number, fact in enumerate(facts):
            for name in dict.fromkeys(names_in(fact.term)):
                self.about.setdefault(name, []).append(number)

    def find_violated(self, rename: Mapping[Name, Name]) -> Fact | None:
        """A fact that the renaming does not map to a fact; None if the renaming is a symmetry."""
        concerned = sorted({number for name in rename for number in self.about.get(name, ())})
        facts = (self.facts[number] for number in concerned)  # the others are mapped to themselves
        known: dict[int, int] = {}
        return next((fact for fact in facts if self.normal.form(fact.term, rename, known) not in self.held), None)


def names_in(term: Term) -> Iterator[Name]:
    """What a term speaks of."""
    todo = [term]
    while todo:
        one = todo.pop()
        if isinstance(one, Ref):
            yield one.name
        else:
            todo += one.children
