"""Real C programs with threads: dynamic partial orders without and with symmetric threads.

Reference: Yang, Chen, Gopalakrishnan, Wang, Automatic discovery of transition symmetry in multithreaded programs using
dynamic analysis (Inspect), Tables 1 and 2; a Pentium D at 2.8 GHz.
Differs: the paper's aget and pfscan are not ours to ship; `examples/c/downloader.c` and `scanner.c` are written in
their style (a scanner with its producer beside the workers and one small file, a downloader whose workers have a
segment each), so the shape may be compared and not the digits.  The paper's search is
unsound (see `engines/stateless/dpor.py`); ours is not, so it may need more executions.  A buggy program is searched up
to its first violation.
"""

from __future__ import annotations

import platform
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ..core.errors import UsageError
from ..core.verdict import Verdict
from ..pipeline.programs.c import check_files
from ..pipeline.settings import CProgramOptions
from .table import Measure, Measured, Table, TableRun, example, measured

PAPER = "Yang, Chen, Gopalakrishnan, Wang: transition symmetry in multithreaded programs (Inspect)"
FILE = "a.txt"
Figures = tuple[float | None, float | None, float | None]  # seconds, executions, transitions

# Program, its flags, threads -> DPOR, SymDPOR (Table 1; None: more than a day).
ROWS: tuple[tuple[str, str, int, Figures, Figures], ...] = (
    ("downloader buggy", "-DBUGGY_DEADLOCK", 4, (29107, 1009010, 30233023), (16, 420, 19084)),
    ("downloader buggy", "-DBUGGY_DEADLOCK", 5, (None, None, None), (37, 926, 32485)),
    ("downloader", "", 4, (None, None, None), (18, 462, 16263)),
    ("downloader", "", 5, (None, None, None), (258, 6006, 211256)),
    ("downloader", "", 6, (None, None, None), (2579, 87516, 3117152)),
    ("scanner buggy", "-DBUGGY_DEADLOCK", 3, (2, 120, 1980), (1, 71, 1206)),
    ("scanner buggy", "-DBUGGY_DEADLOCK", 4, (389, 28079, 428410), (50, 3148, 50296)),
    ("scanner", "", 3, (21, 1096, 18006), (3, 136, 2334)),
    ("scanner", "", 4, (64067, 4184546, 64465088), (155, 7111, 85074)),
    ("scanner", "", 5, (None, None, None), (5147, 322695, 5373766)),
)
# Table 2: calls of SYMMETRIC, and how many said yes; seconds in all, for probing, for residual code and bijections.
CHECKS: dict[tuple[str, int], tuple[int, int]] = {
    ("scanner buggy", 3): (103, 29), ("scanner buggy", 4): (2613, 230), ("scanner", 3): (207, 51),
    ("scanner", 4): (11326, 3275), ("scanner", 5): (1685733, 544816),
}  # fmt: skip
SPENT: dict[tuple[str, int], tuple[float, float, float]] = {
    ("scanner buggy", 3): (1, 0.05, 0.01), ("scanner buggy", 4): (50, 0.35, 0.04), ("scanner", 3): (3.18, 0.04, 0.02),
    ("scanner", 4): (155.3, 1.92, 0.48), ("scanner", 5): (5147, 81.41, 20.03),
}  # fmt: skip
NOT_TIMED = "ours compares while it searches: its time is part of the row above"
LONG = {  # threads, from which on a row takes long
    ("scanner", "DPOR"): 4, ("scanner", "SymDPOR"): 5, ("downloader", "DPOR"): 5, ("downloader", "SymDPOR"): 5,
}  # fmt: skip


@cache
def _verdict(program: str, flags: str, threads: int, symmetry: str, seconds: float) -> Verdict:
    """One search; several tables ask for the same."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise UsageError("C programs need x86-64 Linux")
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, FILE)
        file.write_text("hay needle hay\n" * 4)  # the same for each worker, be they 3, 4, 5 or 6
        given = ["needle", str(file)] if program.startswith("scanner") else [str(file), str(Path(place, "target"))]
        options = CProgramOptions(
            symmetry=symmetry, max_time=seconds, cflags=(flags,) if flags else (),
            arguments=(str(threads), *given),
        )  # fmt: skip
        return check_files([example(f"c/{program.split()[0]}.c")], options)


def _counted(program: str, flags: str, threads: int, symmetry: str, count: Callable[[Verdict], int]) -> Measure:
    def run(limit: float) -> Measured:
        found = _verdict(program, flags, threads, symmetry, limit)
        return measured(found, count(found))

    return run


def _executions(found: Verdict) -> int:
    return found.statistics.executions or 0


def _comparisons(found: Verdict) -> tuple[int, int]:
    """How often two threads were compared, and how often they were alike: the justification says so."""
    said = re.search(r"([\d,]+) of ([\d,]+) comparisons", found.symmetry.justification)
    return (int(said[2].replace(",", "")), int(said[1].replace(",", ""))) if said else (0, 0)


def _compared(found: Verdict) -> int:
    return _comparisons(found)[0]


def _alike(found: Verdict) -> int:
    return _comparisons(found)[1]


def _table1(position: int, count: Callable[[Verdict], int]) -> tuple[TableRun, ...]:
    """`position`: where the paper's figures have what is counted."""
    found = []
    for program, flags, threads, plain, symmetric in ROWS:
        for method, symmetry, figures in (("DPOR", "none", plain), ("SymDPOR", "discovered", symmetric)):
            gave_up = "" if figures[position] is not None else "> 1 day"
            measure = _counted(program, flags, threads, symmetry, count)
            long = threads >= LONG[program.split()[0], method]
            size = f"{program} {threads}"
            found.append(TableRun(size, method, figures[position], figures[0], measure, long, gave_up))
    return tuple(found)


def _table2() -> tuple[TableRun, ...]:
    """How often threads were compared, and the paper's times for that."""
    found = []
    for program, flags, threads, *_ in ROWS:
        if (program, threads) in CHECKS:
            size, (total, *parts) = f"{program} {threads}", SPENT[program, threads]
            for position, method in enumerate(("compared", "alike")):
                measure = _counted(program, flags, threads, "discovered", _compared if position == 0 else _alike)
                found.append(TableRun(size, method, CHECKS[program, threads][position], total, measure,
                                      threads >= LONG[program.split()[0], "SymDPOR"]))  # fmt: skip
            for method, spent in zip(("- / probing", "- / residual code, bijection"), parts, strict=True):
                found.append(TableRun(size, method, None, spent, remark=NOT_TIMED))
    return tuple(found)


NOTE = (
    "programs in the style of the paper's: compare the shape; size: number of workers; the paper's own, where you have "
    "them: isospin check pfscan --build 'make pfscan' -- ARGUMENTS"
)
TABLES = (
    Table("inspect-executions", "C programs: executions (Table 1)", PAPER, "executions", NOTE, _table1(1, _executions)),
    Table("inspect-transitions", "C programs: transitions (Table 1)", PAPER, "transitions", NOTE,
          _table1(2, lambda found: found.transitions)),
    Table("inspect-symmetry", "C programs: symmetric threads (Table 2)", PAPER, "comparisons", NOTE, _table2()),
)  # fmt: skip
