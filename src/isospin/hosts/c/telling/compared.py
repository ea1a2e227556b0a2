"""Why threads of a C program are not alike: the variable, its value in each, and the line that makes use of it.

Who has compared them is told by others: a search that has the answers already (`told_symmetry`), or a process that is
asked for that (unlike.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from ....core.errors import NOWHERE, Location
from ....engines.stateless.alike import Obstacle, ThreadSymmetry, exchanged_families, find_families
from ....engines.stateless.protocol import Renaming, Thread
from ..constants import REGION_BASE
from ..known import Places, placed, written
from ..wire import AlikeMessage, Difference, FamiliesMessage

if TYPE_CHECKING:
    from .reasons import Reasons
    from .view import ProcessView

Comparison = Callable[[Thread, Thread], tuple[Renaming | None, Difference | None]]


class Untold(Exception):
    """It cannot be said without a look into the program as it runs."""


def told_symmetry(places: Places, families: FamiliesMessage, pairs: Sequence[AlikeMessage]) -> ThreadSymmetry:
    """By what a search says of the state in which threads begin.  SOUND: what it does not say is not guessed."""
    starts = families.starts
    names = {start: places.executable.function(start) for start in starts.values()}
    if not all(names.values()) or len(set(names.values())) < len(names):  # two functions that are called the same
        raise Untold
    kinds = {thread: names[start] for thread, start in starts.items()}
    if families.exchanged:
        return exchanged_families(kinds)
    asked = [pair for pair in combinations(starts, 2) if starts[pair[0]] == starts[pair[1]]]
    answers = dict(zip(asked, pairs, strict=True))

    def compare(one: Thread, other: Thread) -> tuple[Renaming | None, Difference | None]:
        answer = answers[one, other]
        if answer.answer and len(answer.threads) > 2:  # others go with them, perhaps with cells of memory
            raise Untold
        return Renaming("", answer.threads) if answer.answer else None, answer.difference

    return compared(kinds, compare, Teller(places, _nobody_looks))


def _nobody_looks() -> ProcessView:
    raise Untold


def compared(kinds: Mapping[Thread, str], compare: Comparison, teller: Teller) -> ThreadSymmetry:
    """Families, and of each two that are in none together what keeps them from it."""
    found: dict[tuple[Thread, Thread], Renaming | None] = {}
    differences: dict[tuple[Thread, Thread], Difference] = {}

    def find(one: Thread, other: Thread) -> Renaming | None:
        if (one, other) not in found:
            found[one, other], difference = compare(one, other)
            if difference is not None:
                differences[one, other] = difference
        return found[one, other]

    families = find_families(kinds, find)
    for one, other in combinations(kinds, 2):
        if kinds[one] == kinds[other] and not _lead_to(found.values(), one, other):
            find(one, other)
    told = [teller.obstacle((f"{kinds[a]} {a}", f"{kinds[b]} {b}"), d) for (a, b), d in sorted(differences.items())]
    return replace(families, obstacles=tuple(told))


def _lead_to(renamings: Iterable[Renaming | None], one: Thread, other: Thread) -> bool:
    """Can one of them take the other's place, in some steps?"""
    images = [r.threads for r in renamings if r is not None]
    seen = [one]
    for at in seen:  # grows
        seen += {each[at] for each in images if at in each} - set(seen)
    return other in seen


class Teller:
    """Says what keeps threads apart.  What follows from the program's files alone is kept beside them: to read machine
    code and debugging information takes longer than most searches."""

    def __init__(self, places: Places, look: Callable[[], ProcessView]) -> None:
        self.places, self.look = places, look

    @cached_property
    def view(self) -> ProcessView:
        return self.look()

    @cached_property
    def reasons(self) -> Reasons:
        from .reasons import Reasons

        return Reasons(self.places.executable.code, self.view)

    def close(self) -> None:
        if "view" in self.__dict__:
            self.view.close()

    def obstacle(self, threads: tuple[str, str], found: Difference) -> Obstacle:
        variable, why, where = self.reason(found)
        if not why:
            return Obstacle(threads, why=self.difference(found), location=where)
        values = (str(found.one), str(found.other)) if variable and found.one != found.other else ()
        return Obstacle(threads, variable, values, why, where)

    def reason(self, found: Difference) -> tuple[str, str, Location]:
        """What is done with a number, and where."""
        if not found.rule and not found.carrier:
            return "", "", NOWHERE
        key = f"reason {found.rule} {found.carrier} {int(found.one != found.other)}"
        variable, why, where = json.loads(self.places.executable.kept(key, lambda: self.read_reason(found)))
        return variable, why, placed(where)

    def read_reason(self, found: Difference) -> str:
        variable, why, where = self.reasons.reason(found)
        return json.dumps([variable, why, written(where)])

    def difference(self, found: Difference) -> str:
        """What differs, and the variable in which that is seen."""
        name = self.name(found.where) if found.where else ""
        return f"they differ in {found.what}" + (f": {name}" if name else "")

    def name(self, address: int) -> str:
        """Of variables of the file it is always the same; of what is on stacks and in the heap it is not."""
        name = ""
        if address < REGION_BASE:
            name = self.places.executable.kept(f"variable {address}", lambda: self.view.names.variable(address))
        return name or getattr(self.view.names.place(address), "name", "")
