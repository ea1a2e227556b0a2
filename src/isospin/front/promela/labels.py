"""Labels: which place of a proctype a name means.

Reference: the symbol table of SPIN 6.5.  A label belongs to the braces (of a block, an atomic sequence, the body of an
inline or of a `for`) in which its name is first mentioned, be it by a jump or by the label itself.  So each call of an
inline has labels of its own, and a block may have a label of the same name as a block beside it.
"""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias

from ...core.records import dataclass

Braces: TypeAlias = tuple[int, ...]  # the open ones, each by its number


@dataclass(frozen=True)
class Label:
    """A name and the braces that it belongs to."""

    name: str
    braces: Braces = ()

    def reaches(self, braces: Braces) -> bool:
        return braces[: len(self.braces)] == self.braces


@dataclass
class Labels:
    """The labels of one proctype."""

    mentioned: list[Label] = field(default_factory=list)
    keys: dict[Label, str] = field(default_factory=dict)  # those that are defined, in order, and what each is called

    def mention(self, name: str, braces: Braces) -> Label:
        known = (m for m in reversed(self.mentioned) if m.name == name and m.reaches(braces))
        label = next(known, None)
        if label is None:
            label = Label(name, braces)
            self.mentioned.append(label)
        return label

    def define(self, label: Label) -> str:
        """The first label of a name is called by it, the others get a number."""
        same = sum(other.name == label.name for other in self.keys)
        self.keys[label] = label.name if not same else f"{label.name}'{same + 1}"
        return self.keys[label]

    def resolve(self, label: Label) -> str | None:
        """Where a jump goes: to the label of its own braces, else of braces around them, else of any."""
        if label in self.keys:
            return self.keys[label]
        same = [other for other in self.keys if other.name == label.name]
        around = [other for other in same if other.reaches(label.braces)]
        found = around[:1] or same[-1:]
        return self.keys[found[0]] if found else None
