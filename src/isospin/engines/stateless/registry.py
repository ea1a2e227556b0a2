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
    "optimal": "optimal.Optimal",
    "random": "random_walk.RandomWalk",
    "pct": "pct.Pct",
})  # fmt: skip
EXHAUSTIVE = ("dfs", "persistent", "dpor", "optimal")
SYMMETRIC = ("dfs", "persistent", "dpor")  # those that can use symmetry


def explore(program: Program, search: str, asked: SearchRequest) -> SearchResult:
    return _class_for(program, search, asked)(program, asked).run()


def _class_for(program: Program, search: str, asked: SearchRequest) -> type[Search]:
    """`dpor` has three classes: with symmetry, for programs that run ahead, and for all others."""
    from .ahead import AheadDpor
    from .symmetric_dpor import SymmetricDpor

    if search == "dpor" and asked.symmetry != "none":
        return SymmetricDpor
    if search == "dpor" and AheadDpor.suits(program, asked):
        return AheadDpor
    return SEARCHES[search]
