"""Heap and process symmetry on models with objects: states without reduction, with either, with both, and by Fig. 5.

After Table 1 of the dSPIN paper; its model texts are not known, so the shape is comparable and the counts are ours.
"""

from __future__ import annotations

import time
from pathlib import Path

from isospin import pipeline
from isospin.errors import UsageError

from .heap_cost import cost

EXAMPLES = Path(__file__).parent.parent / "examples" / "heap"
ROWS = [
    ("ordered_list", ("L=2",)), ("ordered_list", ("L=3",)), ("ordered_list", ("L=4",)), ("ordered_list", ("L=6",)),
    ("stack", ("N=2",)), ("stack", ("N=3", "MOST=1")), ("two_lock_queue", ()),
    ("btree", ("N=2", "K=3", "D=2")), ("btree", ("N=2", "K=4", "D=2")),
]  # fmt: skip
COLUMNS = {
    "none": ("none", "off"), "heap": ("none", "on"), "process": ("exact", "off"), "both": ("exact", "on"),
    "fig5": ("fig5", "on"),
}  # fmt: skip
MOST_SECONDS = 120.0


def cell(name: str, defines: tuple[str, ...], symmetry: str, heap: str) -> str:
    """The number of states; a plus sign: the time was over before all were seen."""
    model = pipeline.load(EXAMPLES / f"{name}.pml", defines)
    options = pipeline.options(symmetry=symmetry, heap_symmetry=heap, max_time=MOST_SECONDS)
    begin = time.process_time()
    try:
        verdict = pipeline.check(model, options)
    except UsageError:
        return "-"
    seconds = time.process_time() - begin
    return f"{verdict.states:,}{'+' if verdict.outcome == 'incomplete' else ''} ({seconds:.1f} s)"


def run() -> None:
    print(f"{'model':28}" + "".join(f"{c:>20}" for c in COLUMNS))
    for name, defines in ROWS:
        print(f"{name + ' ' + ' '.join(defines):28}", end="", flush=True)
        for symmetry, heap in COLUMNS.values():
            print(f"{cell(name, defines, symmetry, heap):>20}", end="", flush=True)
        print(flush=True)
    cost()
