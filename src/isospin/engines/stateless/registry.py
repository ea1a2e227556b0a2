"""The searches by name: one class each, and a contract test over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...core.partition import Partition
from ...core.registry import Registry

if TYPE_CHECKING:
    from .protocol import Program, Renaming, Thread
    from .search import Search, SearchRequest, SearchResult

SEARCHES: Registry[type[Search]] = Registry(__package__, {
    "dfs": "classical.plain.Plain",
    "persistent": "classical.persistent.Persistent",
    "dpor": "dpor.Dpor",
    "optimal": "graphs.search.GraphSearch",
    "random": "sampling.random_walk.RandomWalk",
    "pct": "sampling.pct.Pct",
    "pos": "sampling.pos.PartialOrderSampling",
})  # fmt: skip
EXHAUSTIVE = ("dfs", "persistent", "dpor", "optimal")
SYMMETRIC = ("dfs", "persistent", "dpor", "optimal")  # those that can use symmetry
WHY_UNFOLDED = "most executions differed only in orders of writes that nobody reads, which have none over graphs"


def may_change(search: str, symmetry: str) -> bool:
    """Does a user who asks for this leave it to us how to search?"""
    return search == "auto" and symmetry in ("auto", "none")


def explore(program: Program, search: str, asked: SearchRequest) -> SearchResult:
    """Search a program by name; what a search cannot do is done by one that can."""
    from .graphs.search import Unsuited
    from .graphs.worth import NobodyAlike, run_or_change
    from .search import LOST

    kind = _class_for(program, search, asked)
    try:
        change = asked.may_change and search == "dpor" and asked.max_preemptions is None
        result = run_or_change(kind, program, asked) if change else kind(program, asked).run()
    except NobodyAlike:
        return explore(program, search, replace(asked, symmetry="none", may_change=False))
    except Unsuited:  # there are no graphs of such programs
        result = _class_for(program, "dpor", asked)(program, asked).run()
    if result.incomplete == LOST:  # what was found elsewhere was not believed: one process finds it, too
        return explore(program, search, replace(asked, workers=1))
    return result


def _class_for(program: Program, search: str, asked: SearchRequest) -> type[Search]:
    """`dpor` has three classes: with symmetry, for programs that run ahead, and for all others.  It also stands in for
    `optimal` where that cannot do what is asked: graphs know no preemptions, and fold exchanges of two threads only."""
    from .ahead import AheadDpor
    from .symmetric_dpor import SymmetricDpor

    if search == "optimal" and (asked.max_preemptions is not None or not _are_exchanges(asked.renamings)):
        search = "dpor"
    if search == "dpor" and asked.symmetry != "none":
        return SymmetricDpor
    if search == "dpor" and AheadDpor.suits(program, asked):
        return AheadDpor
    return SEARCHES[search]


def _are_exchanges(renamings: Sequence[Renaming]) -> bool:
    """Does exchanging two threads after the other do all that these permutations do to threads?"""
    parts: Partition[Thread] = Partition()
    for renaming in renamings:
        if len(renaming.threads) == 2:
            parts.join(*renaming.threads)
    return all(parts.find(a) == parts.find(b) for r in renamings for a, b in r.threads.items())
