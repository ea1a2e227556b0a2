"""What fixes a failure of a program with atomics: which stronger orders of its accesses make it disappear.

Reference: none; each answer was tried, by a whole search over the program with these orders instead of its own.
Differs: only orders are changed; a fence that is not there cannot be tried.

SOUND: what is told is that a complete search of all executions found nothing any more, not that the program is right.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

from ...core import deadline
from ...core.records import dataclass
from ...engines.stateless.search import SearchRequest
from .binary.dwarf import Debug, is_system
from .constants import AccessKind
from .run import CResult
from .weak import ORDERS
from .wire import OrderMessage

RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST = 0, 2, 3, 4, 5
# What each kind of access can be, the weakest first, and what each is worth: a change is the better the less it adds.
LADDERS = {
    AccessKind.LOAD: (RELAXED, ACQUIRE, SEQ_CST),
    AccessKind.STORE: (RELAXED, RELEASE, SEQ_CST),
    AccessKind.UPDATE: (RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST),
    AccessKind.FENCE: (ACQUIRE, RELEASE, ACQ_REL, SEQ_CST),
}
WORTH = {RELAXED: 0, 1: 1, ACQUIRE: 1, RELEASE: 1, ACQ_REL: 2, SEQ_CST: 4}
MOST_TOGETHER = 2  # accesses that are changed
SECONDS, SECONDS_OF_TRY = 6.0, 2.0
ATOMIC = b"__tsan_atomic"  # in the names of functions that a program with atomic accesses calls
Explore = Callable[[SearchRequest, Mapping[str, str | int]], CResult]


@dataclass(frozen=True)
class StrongerOrder:
    """An access, and the order that it gets."""

    access: OrderMessage
    order: int

    @property
    def worth(self) -> int:
        return WORTH[self.order] - WORTH[self.access.order]


Change = tuple[StrongerOrder, ...]


def find_fixes(explore: Explore, asked: SearchRequest, executable: Path) -> tuple[str, ...]:
    """The smallest changes of orders with which nothing goes wrong, in words; none: none was found in the time."""
    plain = replace(asked, all_errors=False, symmetry="none", renamings=(), max_time=SECONDS_OF_TRY, progress=None,
                    found=None)  # fmt: skip
    if ATOMIC not in executable.read_bytes() or not _weaker(explore, plain):
        return ()
    debug = Debug(executable)
    accesses = _weaker(explore, replace(plain, all_errors=True))  # also those of executions behind the first failure
    own = [access for access in accesses if not is_system(debug.place(access.pc - 1))]
    lines = []
    for number, change in enumerate(_Trial(explore, plain, own).smallest()):
        first = "or " if number else ""
        lines += [("and " if at else first) + _words(part, debug) for at, part in enumerate(change)]
    return tuple(lines)


def _weaker(explore: Explore, asked: SearchRequest) -> list[OrderMessage]:
    """The accesses of a failing program that could be stronger."""
    with deadline.within(SECONDS_OF_TRY):
        seen = explore(asked, {"note_orders": 1})
    return [access for access in seen.orders if access.order != SEQ_CST] if seen.findings else []


class _Trial:
    """Changes are tried, one after the other, until the time is over."""

    def __init__(self, explore: Explore, asked: SearchRequest, accesses: Sequence[OrderMessage]) -> None:
        self.explore, self.asked, self.accesses = explore, asked, accesses
        self.until = time.monotonic() + min(SECONDS, (deadline.remaining() or 4 * SECONDS) / 4)

    def is_late(self) -> bool:
        return time.monotonic() > self.until

    def helps(self, change: Change) -> bool:
        """SOUND: a search that was cut short is no proof."""
        orders = ",".join(f"{part.access.pc}:{part.order}" for part in change)
        with deadline.within(SECONDS_OF_TRY):
            tried = self.explore(self.asked, {"orders": orders})
        return not tried.findings and not tried.incomplete

    def smallest(self) -> list[Change]:
        """Changes that help: all of the smallest size, if that is one access or two; else one that cannot be made
        smaller."""
        strongest = tuple(StrongerOrder(access, SEQ_CST) for access in self.accesses)
        if not strongest or not self.helps(strongest):
            return []
        small = self.shrunk(strongest)
        if self.is_late():
            return []
        best: list[Change] = []
        for change in candidates(self.accesses):
            if _rank(change) > _rank(best[0] if best else small) or self.is_late():
                break
            if self.helps(change):
                best.append(change)
        return best or [small]

    def shrunk(self, change: Change) -> Change:
        """Each access as weak as it can be, if the others stay as they are."""
        for part in change:
            others = tuple(other for other in change if other is not part)
            weaker = [(*others, StrongerOrder(part.access, order)) for order in _above(part.access)]
            for less in (others, *weaker):
                if _rank(less) < _rank(change) and not self.is_late() and self.helps(less):
                    change = less
                    break
        return tuple(sorted(change, key=lambda part: part.access.pc))


def _above(access: OrderMessage) -> list[int]:
    """The orders that are stronger than that of an access."""
    return [order for order in LADDERS[access.access] if WORTH[order] > WORTH[access.order]]


def candidates(accesses: Sequence[OrderMessage]) -> Iterator[Change]:
    """All changes, the smallest first."""
    stronger = [[StrongerOrder(access, order) for order in _above(access)] for access in accesses]
    changes = [
        change
        for count in range(1, MOST_TOGETHER + 1)
        for chosen in combinations(stronger, count)
        for change in product(*chosen)
    ]
    yield from sorted(changes, key=_rank)


def _rank(change: Change) -> tuple[int, int]:
    return len(change), sum(part.worth for part in change)


def _words(part: StrongerOrder, debug: Debug) -> str:
    place = debug.place(part.access.pc - 1)
    before, after = ORDERS[part.access.order], ORDERS[part.order]
    return f"{part.access.access.name.lower()} at {place.file}:{place.line}: {before} -> {after}"
