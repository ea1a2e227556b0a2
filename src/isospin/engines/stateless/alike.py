"""Which threads of a program can take each other's place, and what keeps the others from it: in one form for all hosts.

A host looks at the state in which its threads have begun, and fills in a `ThreadSymmetry`.  Its words are those of the
symmetry of models: families, generators, and the lines that are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import factorial

from ...core.errors import NOWHERE, Location
from ...core.records import dataclass
from ...core.verdict import Family, Refusal, Symmetry
from .protocol import Renaming, Thread
from .renamings import products

__all__ = ["Obstacle", "ThreadSymmetry", "exchanged_families", "find_families"]

Finder = Callable[[Thread, Thread], Renaming | None]


@dataclass(frozen=True)
class Obstacle:
    """What tells threads apart: a variable, its value in each of them, and the line that makes use of it."""

    threads: tuple[str, ...]  # in the user's words
    variable: str = ""  # `i`, `job.id`, `cell[0]`; empty: it is none
    values: tuple[str, ...] = ()  # one for each thread, where they are known
    why: str = ""  # what happens at the place, such as "is compared with 0"
    location: Location = NOWHERE

    def __str__(self) -> str:
        who = " and ".join([", ".join(self.threads[:-1]), self.threads[-1]] if self.threads[1:] else self.threads)
        values = f" ({', '.join(self.values)})" if self.values else ""
        what = " ".join(part for part in (f"{self.variable}{values}", self.why) if part)
        return f"{who} are not alike: {what}" if self.threads[1:] else f"{who} is not like the others: {what}"

    def refusal(self) -> Refusal:
        return Refusal(self.location, str(self))


@dataclass(frozen=True)
class ThreadSymmetry:
    """The symmetry of a program where its threads have begun."""

    families: tuple[Family, ...] = ()
    generators: tuple[str, ...] = ()
    order: int = 1
    obstacles: tuple[Obstacle, ...] = ()

    def report(self, strategy: str, justification: str) -> Symmetry:
        """The part of a verdict: one reason for each place, the first that was given."""
        places = {o.location if o.location != NOWHERE else str(o): o.refusal() for o in reversed(self.obstacles)}
        refused = tuple(reversed(places.values()))
        return Symmetry(strategy, group_order=str(self.order), families=self.families, justification=justification,
                        refused=refused)  # fmt: skip


def find_families(kinds: Mapping[Thread, str], find: Finder, obstacles: Sequence[Obstacle] = ()) -> ThreadSymmetry:
    """The families among threads of the same kind (what they run), in the state that `find` is about."""
    families: list[Family] = []
    found: list[Renaming] = []
    order = 1
    for name in dict.fromkeys(kinds.values()):
        for members, generators in _classes([t for t, kind in kinds.items() if kind == name], find):
            exchanges = all(len(r.threads) == 2 for r in generators)
            count = factorial(len(members)) if exchanges else len(products(generators)) + 1
            kind = "cyclic" if count == len(members) else "other"
            families.append(Family(name, len(members), "symmetric" if count == factorial(len(members)) else kind))
            found += generators
            order *= count
    several = {_written(r): r for r in found}
    if any(len({kinds.get(t) for t in r.threads}) > 1 for r in found):  # threads of other families go with them
        order = len(products(list(several.values()))) + 1
    return ThreadSymmetry(tuple(families), tuple(several), order, tuple(obstacles))


def exchanged_families(kinds: Mapping[Thread, str]) -> ThreadSymmetry:
    """The same where any two threads of the same kind can be exchanged, and no others."""
    return find_families(kinds, lambda one, other: Renaming("", {one: other, other: one}))


def _classes(threads: Iterable[Thread], find: Finder) -> list[tuple[list[Thread], list[Renaming]]]:
    """Threads that can take each other's place, with what takes each but the first to the one before it."""
    classes: list[tuple[list[Thread], list[Renaming]]] = []
    for thread in threads:
        for members, generators in classes:
            if any(r.thread(member) == thread for r in generators for member in members):
                members.append(thread)
                break
            if (renaming := find(members[-1], thread) or find(members[0], thread)) is not None:
                members.append(thread)
                generators.append(renaming)
                break
        else:
            classes.append(([thread], []))
    return [c for c in classes if c[1]]


def _written(renaming: Renaming) -> str:
    """As cycles: `(1 2)(3 4)`."""
    left, cycles = dict(renaming.threads), []
    while left:
        at = min(left)
        cycle = []
        while at in left:
            cycle.append(at)
            at = left.pop(at)
        cycles.append(f"({' '.join(map(str, cycle))})")
    return "".join(cycles)
