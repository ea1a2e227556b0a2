"""The state graph of a model, for other programs to read: nodes are states or orbits, edges are moves."""

from __future__ import annotations

from typing import Any, NamedTuple

from .records import dataclass


class GraphNode(NamedTuple):
    """A stored state: what can be seen of it, how many states it stands for, and what is wrong there."""

    values: tuple[tuple[str, Any], ...]
    orbit: int | None = None  # None: not known
    wrong: tuple[str, ...] = ()  # kinds of violations, of the state or of a step from it
    is_start: bool = False


class GraphEdge(NamedTuple):
    """A move, in the numbers of the processes of its source; `permutation` leads from those to the target's."""

    source: int
    target: int
    label: str
    permutation: tuple[int, ...] | None = None


@dataclass(frozen=True)
class ModelGraph:
    """All states that a search stored, and all moves between them."""

    name: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    incomplete: str = ""  # why there may be more

    @property
    def starts(self) -> tuple[int, ...]:
        return tuple(i for i, node in enumerate(self.nodes) if node.is_start)
