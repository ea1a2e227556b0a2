"""Sorting the live processes of a model that starts processes -> tables in the generated C file.

Reference: `symmetry/folding/births.py`; `runtime/fold/live_set.inc.h` and `live_names.inc.h` have the algorithms.
Differs: nothing is computed in Python but the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....symmetry.protocol import KEEP_ALL, KEEP_ONE, Folding, LiveNamesTables, LiveSetTables, LiveVariable
from ..codegen.tables import table, table2
from ..codegen.templates import include
from ..state.layout import Layout
from ..state.packing import BitBlock
from .fold import Fold

Lines = list[str]


def fold_of(folding: Folding, layout: Layout) -> Fold | LiveSetFold:
    """What folds the states of a model: a group, or the order of live processes."""
    return Fold(folding, layout) if folding.live is None else LiveSetFold(folding.live, layout)


class LiveSetFold:
    """The tables of one model."""

    def __init__(self, live: LiveSetTables, layout: Layout) -> None:
        self.live, self.layout, self.facts = live, layout, layout.facts

    def text(self) -> Lines:
        """Sizes, where processes have ended, and the template that uses them."""
        live, templates = self.live, self.facts.templates
        sizes = [self.layout.lane_bits(t) for t in live.movable]
        template, location = live.record
        return [
            "#define FOLDS 1",
            f"#define POINTS {self.points}",
            "#define FOLDED_PIDS SLOTS",
            *(["#define MOVES_POINTS 1"] if self.facts.fair else []),  # fairness follows each process
            f"#define LIVE_BASE {live.base}",
            f"#define LIVE_WORDS {max(words for _, words in sizes)}",
            f"#define LIVE_BITS {max(bits for bits, _ in sizes)}",
            f"#define LIVE_KEEPS_ALL {int(live.keep == KEEP_ALL)}",
            f"#define LIVE_KEEPS_ONE {int(live.keep == KEEP_ONE)}",
            f"#define LIVE_RECORD {template}",
            f"#define LIVE_RECORD_PC {templates[template].pc(location) if live.keep else 0}",
            f"#define LIVE_NAMES {int(live.names is not None)}",
            self.by_location("HAS_ENDED", live.ended),
            *(self.names(live.names) if live.names is not None else []),
            include("fold/live_set"),
        ]

    @property
    def points(self) -> str:
        """Where pids are data, one image more says that something was folded."""
        return "SLOTS" if self.live.names is None else "(SLOTS + 1)"

    def description(self) -> Lines:
        """What the rest of the runtime knows of it."""
        return [f".n_images = {self.points},"]

    def by_location(self, name: str, places: tuple[frozenset[int], ...]) -> str:
        """A table that says of which locations of each template something is true."""
        templates = self.facts.templates
        longest = max(len(t.locations) for t in templates)
        rows = (", ".join(str(int(x in places[t.number])) for x in t.locations) for t in templates)
        return f"static const uint8_t {name}[][{longest}] = {{{', '.join(f'{{{row}}}' for row in rows)}}};"

    # ---------------------------------------------------------------- pids as data

    def names(self, names: LiveNamesTables) -> Lines:
        """Where they are."""
        globals_ = list(self.cells(names.globals, self.layout.globals, 0))
        locals_, first = list[str](), [0]
        for t in self.facts.templates:
            blocks = self.layout.locals[t.number]
            locals_ += self.cells(names.locals[t.number], blocks, (t.number + 1) << 16)
            first.append(len(locals_))
        carriers = [c for c, fields in enumerate(names.fields) if any(fields) and self.is_buffered(c)]
        fields = ("{" + ", ".join(map(str, names.fields[c])) + "}" for c in carriers)
        longest = max((len(names.fields[c]) for c in carriers), default=1)
        return [
            '#include "fold/live_cell.h"',
            f"#define LIVE_BOUNDED {int(names.bounded)}",
            f"#define LIVE_CAUTIOUS {int(names.cautious)}",
            f"#define N_GLOBAL_CELLS {len(globals_)}u",
            f"#define N_CARRIERS {len(carriers)}u",
            self.by_location("MAY_START", names.starts),
            f"static const struct live_cell GLOBAL_CELL[] = {{{', '.join(globals_) or '{0}'}}};",
            f"static const struct live_cell LOCAL_CELL[] = {{{', '.join(locals_) or '{0}'}}};",
            f"static const uint32_t LOCAL_FIRST[] = {{{', '.join(map(str, first))}}};",
            f"static const uint8_t CARRIER[] = {{{', '.join(map(str, carriers)) or '0'}}};",
            f"static const uint8_t FIELD_HOLDS[][{longest}] = {{{', '.join(fields) or '{0}'}}};",
            *self.own_channels(names),
        ]

    def own_channels(self, names: LiveNamesTables) -> Lines:
        """The channels of processes that move: by template their number, types, and what their messages hold."""
        types = self.facts.channel_types
        own = names.own or tuple(() for _ in self.facts.templates)
        kinds = [[types.index(c.type) for c in t.template.channels[: len(own[t.number])]] for t in self.facts.templates]
        most = max(1, *map(len, own))
        widest = max([1, *(len(fields) for channels in own for fields in channels)])
        holds = (", ".join(_braces(map(str, fields)) for fields in channels) for channels in own)
        return [
            f"#define OWN_CHANNELS {int(bool(names.own))}",
            f"#define FIXED_CHANNELS {names.fixed}",
            table("uint8_t", "N_OWN", list(map(len, own))),
            table2("uint8_t", "OWN_TYPE", kinds),
            f"static const uint8_t OWN_HOLDS[][{most}][{widest}] = {_braces(_braces([h or '{0}']) for h in holds)};",
        ]

    def is_buffered(self, channel: int) -> bool:
        """SOUND: in a rendezvous channel is nothing when a state is stored."""
        return self.layout.lengths[channel].word < self.layout.key_words

    def cells(self, places: tuple[LiveVariable, ...], blocks: dict[int, BitBlock], label: int) -> Iterator[str]:
        """The elements of variables, but for those that are constant."""
        for place in places:
            block = blocks.get(place.base)
            for i in range(place.size) if block is not None else ():
                assert block is not None
                word, shift = block.place(i)
                assert label or word < self.layout.key_words  # SOUND: what is not stored is not renamed
                (a, b), (p, q) = (*place.strides, 0, 0)[:2], (*place.pids[i], 0, 0)[:2]
                where = f"{word}, {{{a}, {b}}}, {shift}, {block.bits}, {int(block.signed)}"
                what = f"{place.values}, {len(place.pids[i])}, {{{p}, {q}}}"
                yield f"{{{place.default}, {label + place.labels[i]}, {where}, {what}}}"


def _braces(parts: Iterable[str]) -> str:
    return "{" + ", ".join(parts) + "}"
