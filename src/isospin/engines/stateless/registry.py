"""The searches by name: one class each, and a contract test over all of them."""

from __future__ import annotations

from .dfs import Plain
from .dpor import Dpor
from .optimal import Optimal
from .pct import Pct
from .persistent import Persistent
from .protocol import Program
from .random_walk import RandomWalk
from .search import Search, SearchRequest, SearchResult
from .straight import Straight

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
    kind = Straight if search == "dpor" and Straight.suits(program, asked) else SEARCHES[search]
    return kind(program, asked).run()
