"""The tables of partial-order reduction, as C."""

from __future__ import annotations

from ...ir.ample import Ample, Location
from .facts import Facts

MOST_BITS = 64
NOWHERE = Location(0, None)


def configuration(facts: Facts) -> list[str]:
    """What has to be known before the runtime is included."""
    return [f"#define POR {int(facts.ample is not None)}"]


def tables(facts: Facts) -> list[str]:
    if facts.ample is None:
        return []
    ample = facts.ample
    rows = [[ample.locations[t.number].get(x, NOWHERE) for x in t.locations] for t in facts.templates]
    return [
        f"#define OBSERVED {ample.observed:#x}ULL",
        rendered("word", "FUTURE", [[f"{x.future:#x}ULL" for x in row] for row in rows]),
        rendered("word", "CONFLICTS", [[f"{x.conflicts or 0:#x}ULL" for x in row] for row in rows]),
        rendered("uint8_t", "ALONE", [[str(kind(x)) for x in row] for row in rows]),
    ]


def kind(where: Location) -> int:
    """Bits as in alone.h."""
    return int(where.conflicts is not None) + 2 * int(where.single)


def rendered(kind: str, name: str, rows: list[list[str]]) -> str:
    width = max([1, *map(len, rows)])
    body = ", ".join("{" + ", ".join(row or ["0"]) + "}" for row in rows)
    return f"static const {kind} {name}[][{width}] MAYBE_UNUSED = {{{body}}};"


def narrowed(ample: Ample | None) -> Ample | None:
    """SOUND: sets that share bits only conflict more often."""
    if ample is None or ample.bits <= MOST_BITS:
        return ample

    def fold(bits: int) -> int:
        result = 0
        while bits:
            result |= bits & ((1 << MOST_BITS) - 1)
            bits >>= MOST_BITS
        return result

    tables = tuple(
        {n: x._replace(future=fold(x.future), conflicts=None if x.conflicts is None else fold(x.conflicts))
         for n, x in table.items()}
        for table in ample.locations
    )  # fmt: skip
    return Ample(tables, fold(ample.observed), MOST_BITS)
