"""All strategies, by the names of `--symmetry`."""

from __future__ import annotations

from collections.abc import Callable

from ...core.errors import UsageError
from ..detection.detect import Symmetries
from ..protocol import Strategy
from .approx_markers import ApproxMarkers
from .enumerate import Enumerate
from .exact import Exact
from .fig5 import Fig5
from .flattened import Flattened
from .markers import Markers
from .none import HeapOnly, NoFolding
from .segmented import Segmented
from .sorted import Sorted
from .sorted_main import PcSorted, SortedMain

REGISTRY: dict[str, Callable[[Symmetries, str | None], Strategy]] = {
    "none": NoFolding,
    "enumerate": Enumerate,
    "segmented": Segmented,
    "sorted": Sorted,
    "sorted-main": SortedMain,
    "pc-sorted": PcSorted,
    "flattened": Flattened,
    "markers": Markers,
    "approx-markers": ApproxMarkers,
    "exact": Exact,
    "fig5": Fig5,
}
DEFAULT = "exact"


def strategy(name: str, symmetries: Symmetries, main_array: str | None = None) -> Strategy:
    """The strategy with this name for a model; raises UsageError if it does not fit the group of the model."""
    if name == "auto":
        name = DEFAULT
    if name not in REGISTRY:
        raise UsageError(f"no symmetry strategy '{name}'; there are {', '.join(REGISTRY)}")
    if symmetries.order == 1 or name == "none":
        return (NoFolding if symmetries.heap is None else HeapOnly)(symmetries, main_array)
    return REGISTRY[name](symmetries, main_array)
