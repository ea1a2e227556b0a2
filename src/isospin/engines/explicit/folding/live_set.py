"""Sorting the live processes of a model that starts processes -> tables in the generated C file.

Reference: `symmetry/folding/births.py`; `runtime/fold/live_set.inc.h` has the algorithm.
Differs: nothing is computed in Python but the tables.
"""

from __future__ import annotations

from ....symmetry.protocol import KEEP_ALL, KEEP_ONE, Folding, LiveSetTables
from ..codegen.templates import include
from ..state.layout import Layout
from .fold import Fold

Lines = list[str]


def fold_of(folding: Folding, layout: Layout) -> Fold | LiveSetFold:
    """What folds the states of a model: a group, or the order of live processes."""
    return Fold(folding, layout) if folding.live is None else LiveSetFold(folding.live, layout)


class LiveSetFold:
    """The tables of one model."""

    def __init__(self, live: LiveSetTables, layout: Layout) -> None:
        self.live, self.layout = live, layout

    def text(self) -> Lines:
        """Sizes, where processes have ended, and the template that uses them."""
        live, templates = self.live, self.layout.facts.templates
        sizes = [self.layout.lane_bits(t) for t in live.movable]
        template, location = live.record
        longest = max(len(t.locations) for t in templates)
        rows = (", ".join(str(int(x in live.ended[t.number])) for x in t.locations) for t in templates)
        return [
            "#define FOLDS 1",
            "#define POINTS SLOTS",
            "#define FOLDED_PIDS SLOTS",
            f"#define LIVE_BASE {live.base}",
            f"#define LIVE_WORDS {max(words for _, words in sizes)}",
            f"#define LIVE_BITS {max(bits for bits, _ in sizes)}",
            f"#define LIVE_KEEPS_ALL {int(live.keep == KEEP_ALL)}",
            f"#define LIVE_KEEPS_ONE {int(live.keep == KEEP_ONE)}",
            f"#define LIVE_RECORD {template}",
            f"#define LIVE_RECORD_PC {templates[template].pc(location) if live.keep else 0}",
            f"static const uint8_t HAS_ENDED[][{longest}] = {{{', '.join(f'{{{row}}}' for row in rows)}}};",
            include("fold/live_set"),
        ]

    def description(self) -> Lines:
        """What the rest of the runtime knows of it."""
        return [".n_images = SLOTS,"]
