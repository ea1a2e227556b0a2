"""The six benchmarks of the pointer paper (its Tables 2 to 7), our engines beside the paper's figures.

Reference: Wang, Schmidt, Yu, Huang, Wang, TSE 2004, section 7; a Pentium 4 at 2.1 GHz with 256 MB.  Red ran with its
symmetry reduction (-fSp), Murphi and SMC each with their best one; CPU seconds.  Ours are CPU seconds of the search
itself; to find the symmetries and to compile the model comes on top, and is shown for the largest size.  The figures
of one machine can be compared with each other, those of different machines cannot.

`BENCH_POINTER_MOST=6` stops at six processes.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import NamedTuple

from isospin import pipeline
from isospin.core.errors import UsageError
from isospin.core.verdict import Verdict

EXAMPLES = Path(__file__).parent.parent / "examples" / "pointer"
MOST_SECONDS = 900.0
MOST_SYMBOLIC_SECONDS = 40.0


class Table(NamedTuple):
    """One table of the paper: seconds for N = 3, 4, ...; None where a tool gave up."""

    title: str
    name: str
    red: list[float]
    murphi: list[float | None]
    smc: list[float | None]


GAVE_UP: list[float | None] = []
TABLES = [
    Table("Table 2: MCS lock", "mcs", [0.30, 2.14, 11.41, 64.43, 461.71, 2933.40, 15137.08, 71676.51],
          [2.77, 25.30], [596.4]),
    Table("Table 3: leader election", "leader", [0.01, 0.01, 0.02, 0.01, 0.02, 0.02, 0.04, 0.05],
          [2.68, 2.37, 2.49, 3.57, 41.86], [0.2, 0.2, 0.3, 0.7, 4.8, 62.7, 591.0]),
    Table("Table 4: doubly linked cycle", "cycle", [0.03, 0.11, 0.30, 0.66, 1.42, 2.80, 5.20, 9.23],
          [2.53, 2.60, 2.37, 2.37, 3.22, 11.97], GAVE_UP),
    Table("Table 5: bounded buffer", "bounded_buffer",
          [1.84, 6.93, 26.48, 65.62, 254.07, 417.63, 1059.98, 1538.85, 3151.59, 4321.84, 7777.07],
          [3.09, 3.00, 3.32, 5.53, 20.02, 140.57], [0, 2, 18, 201]),
    Table("Table 6: readers and writers", "readers_writers",
          [1.25, 2.90, 23.73, 42.71, 276.57, 440.48, 1898.16, 2547.08, 7696.00, 9732.03, 23941.32],
          [3.20, 2.96, 3.57, 5.17, 42.17, 274.04], [0, 1, 26, 219]),
    Table("Table 7: conditional critical region", "critical_region", [40.14, 751.14, 5428.41, 23197.71, 75229.25],
          [3.97, 6.75, 46.00], GAVE_UP),
]  # fmt: skip


def run() -> None:
    most = int(os.environ.get("BENCH_POINTER_MOST", "99"))
    for table in TABLES:
        print(f"\n{table.title}")
        head = ("N", "Red", "Murphi", "SMC", "explicit", "orbits", "states", "symbolic")
        print("".join(f"{text:>{width}}" for text, width in zip(head, WIDTHS, strict=True)))
        for i, red in enumerate(table.red[: max(most - 2, 0)]):
            print(row(table, i, red), flush=True)


WIDTHS = (3, 10, 9, 9, 10, 10, 20, 12)


def row(table: Table, i: int, red: float) -> str:
    explicit, spent = checked(table.name, i + 3, engine="explicit", max_time=MOST_SECONDS)
    cells = [str(i + 3), f"{red:.2f}", known(table.murphi, i), known(table.smc, i)]
    if explicit is None or explicit.outcome != "holds":
        cells += [f"> {MOST_SECONDS:.0f}", "-", "-"]
    else:
        cells += [f"{explicit.statistics.cpu_seconds:.3f}", f"{explicit.states}", str(explicit.orbit_sum)]
    cells.append(symbolic(table.name, i + 3))
    text = "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))
    return f"{text}   (whole run {spent:.1f} s)" if i + 1 == len(table.red) else text


def known(figures: list[float | None], i: int) -> str:
    figure = figures[i] if i < len(figures) else None
    return "-" if figure is None else f"{figure:.2f}"


def checked(name: str, processes: int, **options: object) -> tuple[Verdict | None, float]:
    """The verdict, and the CPU time of everything, the compiler included."""
    begin = spent()
    model = pipeline.load(EXAMPLES / f"{name}.ptr", processes=processes)
    try:
        return pipeline.check(model, pipeline.options(**options)), spent() - begin
    except UsageError:
        return None, spent() - begin


def spent() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


slow: dict[str, int] = {}  # from how many processes on the symbolic engine takes too long


def symbolic(name: str, processes: int) -> str:
    """CPU seconds of the symbolic engine, where there is one."""
    if processes >= slow.get(name, 99):
        return "-"
    verdict, seconds = checked(name, processes, engine="symbolic", max_time=MOST_SYMBOLIC_SECONDS)
    if verdict is None or verdict.outcome != "holds":
        slow[name] = processes
        return f"> {MOST_SYMBOLIC_SECONDS:.0f}"
    return f"{verdict.statistics.cpu_seconds or seconds:.2f}"
