"""The searches by name: one class each, and a contract test over all of them."""

from __future__ import annotations

from .ahead import AheadDpor
from .dpor import Dpor
from .optimal import Optimal
from .pct import Pct
from .persistent import Persistent
from .plain import Plain
from .protocol import Program
from .random_walk import RandomWalk
from .search import Search, SearchRequest, SearchResult
from .symmetric_dpor import SymmetricDpor

SEARCHES: dict[str, type[Search]] = {
    "dfs": Plain,
    "persistent": Persistent,
    "dpor": Dpor,
    "optimal": Optimal,
    "random": RandomWalk,
    "pct": Pct,
}
EXHAUSTIVE = ("dfs", "persistent", "dpor", "optimal")
SYMMETRIC = ("dfs", "persistent", "dpor")  # those that can use symmetry


def explore(program: Program, search: str, asked: SearchRequest) -> SearchResult:
    return _class_for(program, search, asked)(program, asked).run()


def _class_for(program: Program, search: str, asked: SearchRequest) -> type[Search]:
    """`dpor` has three classes: with symmetry, for programs that run ahead, and for all others."""
    if search == "dpor" and asked.symmetry != "none":
        return SymmetricDpor
    if search == "dpor" and AheadDpor.suits(program, asked):
        return AheadDpor
    return SEARCHES[search]
