"""The searches by name: one class each, and a contract test over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import Registry

if TYPE_CHECKING:
    from .protocol import Program
    from .search import Search, SearchRequest, SearchResult

SEARCHES: Registry[type[Search]] = Registry(__package__, {
    "dfs": "plain.Plain",
    "persistent": "persistent.Persistent",
    "dpor": "dpor.Dpor",
    "optimal": "graphs.search.GraphSearch",
    "random": "random_walk.RandomWalk",
    "pct": "pct.Pct",
})  # fmt: skip
EXHAUSTIVE = ("dfs", "persistent", "dpor", "optimal")
SYMMETRIC = ("dfs", "persistent", "dpor", "optimal")  # those that can use symmetry


def explore(program: Program, search: str, asked: SearchRequest) -> SearchResult:
    from .graphs.search import Unsuited

    try:
        return _class_for(program, search, asked)(program, asked).run()
    except Unsuited:  # there are no graphs of such programs
        return _class_for(program, "dpor", asked)(program, asked).run()


def _class_for(program: Program, search: str, asked: SearchRequest) -> type[Search]:
    """`dpor` has three classes: with symmetry, for programs that run ahead, and for all others.  It also stands in for
    `optimal` where that cannot do what is asked: graphs know no preemptions, and fold exchanges of two threads only."""
    from .ahead import AheadDpor
    from .symmetric_dpor import SymmetricDpor

    if search == "optimal" and (asked.max_preemptions is not None or any(len(r.threads) != 2 for r in asked.renamings)):
        search = "dpor"
    if search == "dpor" and asked.symmetry != "none":
        return SymmetricDpor
    if search == "dpor" and AheadDpor.suits(program, asked):
        return AheadDpor
    return SEARCHES[search]
