"""All strategies, by the names of `--symmetry`; one file each.

In goes a state, out comes the one that stands for its orbit (`protocol.Strategy`).  `REGISTRY` below has their names
and where they are; `base` is what they share.  A new one is a file and a line here, and the laws in `tests/laws` run
over it.  Start with `exact`, the default, or with `sorted`, the simplest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ...core.errors import UsageError
from ...core.registry import Registry

if TYPE_CHECKING:
    from ..detection.symmetries import Symmetries
    from ..protocol import Strategy

__all__ = ["DEFAULT", "REGISTRY", "base", "births", "none", "strategy"]

Maker: TypeAlias = "Callable[[Symmetries, str | None], Strategy]"

REGISTRY: Registry[Maker] = Registry(__name__, {
    "none": "none.NoFolding",
    "enumerate": "enumerate.Enumerate",
    "segmented": "segmented.Segmented",
    "sorted": "sorted.Sorted",
    "sorted-main": "sorted_main.SortedMain",
    "pc-sorted": "sorted_main.PcSorted",
    "flattened": "flattened.Flattened",
    "markers": "markers.Markers",
    "approx-markers": "approx_markers.ApproxMarkers",
    "exact": "exact.Exact",
    "fig5": "fig5.Fig5",
})  # fmt: skip
DEFAULT = "exact"


def strategy(name: str, symmetries: Symmetries, main_array: str | None = None) -> Strategy:
    """The strategy with this name for a model; raises UsageError if it does not fit the group of the model."""
    if name == "auto":
        name = DEFAULT
    if name not in REGISTRY:
        raise UsageError(f"no symmetry strategy '{name}'; there are {', '.join(REGISTRY)}")
    if symmetries.births is not None and name != "none":
        from .births import LiveSet

        return LiveSet(symmetries)
    if symmetries.order == 1 or name == "none":
        from .none import HeapOnly, NoFolding

        return (NoFolding if symmetries.heap is None else HeapOnly)(symmetries, main_array)
    return REGISTRY[name](symmetries, main_array)
