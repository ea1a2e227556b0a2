"""The tables of partial-order reduction, as C."""

from __future__ import annotations

from collections.abc import Callable

from ....analysis.ample import Ample, AmpleLocation
from ..constants import AmpleFlag
from ..state.facts import Facts

MOST_BITS = 64
NOWHERE = AmpleLocation(0, None)


def configuration(facts: Facts) -> list[str]:
    """What has to be known before the runtime is included."""
    wants_new = facts.ample is not None and facts.ample.wants_new
    return [f"#define POR {int(facts.ample is not None)}", f"#define WANTS_NEW {int(wants_new)}"]


def tables(facts: Facts) -> list[str]:
    """What every location may still do, and what it conflicts with, as sets of bits."""
    if facts.ample is None:
        return []
    ample = facts.ample
    rows = [[ample.locations[t.number].get(x, NOWHERE) for x in t.locations] for t in facts.templates]
    return [
        f"#define OBSERVED {ample.observed:#x}ULL",
        _rendered("word", "FUTURE", [[f"{x.future:#x}ULL" for x in row] for row in rows]),
        _rendered("word", "CONFLICTS", [[f"{x.conflicts or 0:#x}ULL" for x in row] for row in rows]),
        _rendered("uint8_t", "AMPLE", [[str(_kind(x)) for x in row] for row in rows]),
    ]


def lookups(facts: Facts, read: Callable[[int, int], str]) -> list[str]:
    """What depends on the channels that variables of a process name; `read` gives such a variable of a template."""
    if facts.ample is None:
        return []
    rows = facts.ample.rows
    lines = [_rendered("word", "BY_CHANNEL", [[f"{x:#x}ULL" for x in row] for row in rows])] if rows else []
    return [*lines, _lookup(facts, read, "future_of", "FUTURE"), _lookup(facts, read, "conflicts_of", "CONFLICTS")]


def _lookup(facts: Facts, read: Callable[[int, int], str], name: str, table: str) -> str:
    """A function that adds what depends on the channel that a variable of the process names."""
    assert facts.ample is not None
    lines = [f"ALWAYS_INLINE word {name}(const word *s, unsigned pid, unsigned t, unsigned pc) {{",
             "    (void)s, (void)pid;", f"    word found = {table}[t][pc];"]  # fmt: skip
    for t in facts.templates:
        places = [facts.ample.locations[t.number].get(x, NOWHERE) for x in t.locations]
        found = [dict(x.future_by if table == "FUTURE" else x.conflicts_by) for x in places]
        for slot in sorted({slot for at in found for slot in at}):
            rows = ", ".join(str(at.get(slot, -1)) for at in found)
            last = len(facts.ample.rows[0]) - 1
            lines += [
                f"    if (t == {t.number}) {{",
                f"        static const int16_t row[] = {{{rows}}};",
                "        if (row[pc] >= 0) {",
                f"            const val number = {read(t.number, slot)};",
                f"            found |= BY_CHANNEL[row[pc]][number > {last} ? {last} : number];",
                "        }",
                "    }",
            ]
    return "\n".join([*lines, "    return found;", "}"])


def _kind(where: AmpleLocation) -> int:
    """What partial orders know of a location, as flags."""
    return AmpleFlag.MAY_BE_AMPLE * (where.conflicts is not None) | AmpleFlag.HAS_NO_CHOICE * where.single


def _rendered(kind: str, name: str, rows: list[list[str]]) -> str:
    """Rows of different lengths as one C table."""
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
    rows = tuple(tuple(map(fold, row)) for row in ample.rows)
    return Ample(tables, fold(ample.observed), MOST_BITS, rows)
