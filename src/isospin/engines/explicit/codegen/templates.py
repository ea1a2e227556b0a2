"""The templates of the runtime, and their order.

A template (`*.inc.h`) is C that does not stand for itself: it uses macros, tables and functions of the generated file,
which includes it behind them.  Headers that stand for themselves (`*.h`) may be included anywhere.  This is the order
in which the generated file opens templates, also those that other templates include; a model has some of them.
"""

from __future__ import annotations

TEMPLATES = (
    # behind the sizes of a state (KEY_WORDS, SLOTS, ...) and the tables of its layout
    "core/channels", "core/model", "heap/calls", "heap/heap",
    # behind MOVABLES and POINTS; then behind the tables of the symmetry; without a group: fold_heap,
    # or live_set
    "fold/movables", "fold/fold", "fold/fold_heap", "fold/live_set", "fold/live_names",
    "fold/own_channels",
    "fold/canon", "fold/markers", "fold/elements", "fold/name_places", "fold/chains", "fold/heap_edges",
    # behind the tables of partial orders, and before the step functions, which call it and are called by it
    "search/search", "search/stack", "table/lookup", "table/table", "table/tree", "table/tries",
    "cluster/scatter", "search/ample",
    # behind the step functions and what claim.py makes of the claim: one of three searches, and the product for all
    "liveness/cycles", "liveness/together", "liveness/way", "liveness/fair", "liveness/product", "liveness/finder",
    "liveness/settle",
)  # fmt: skip


def include(template: str) -> str:
    """The line that includes a template."""
    if template not in TEMPLATES:
        raise AssertionError(template)
    return f'#include "{template}.inc.h"'
