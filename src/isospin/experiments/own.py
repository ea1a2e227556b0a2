"""What the papers do not have, and this project's texts quote: executions of programs, and SPIN beside us.

Known numbers of Mazurkiewicz traces stand where the other tables have the paper's figure; `spin` runs SPIN's verifier
on the same model on this machine, if it is installed.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from .. import pipeline
from ..core.usage import seconds_spent
from .peterson import peterson
from .table import AT_MOST, EQUAL, Measure, Measured, Table, TableRun, example, measured, states

# Program -> size -> traces, and how many are needed at most up to symmetry (None: there is none).
TRACES: dict[str, dict[int, tuple[int, int | None]]] = {
    "lockers": {2: (2, 1), 3: (6, 1), 4: (24, 1), 5: (120, 1), 6: (720, 1)},
    "counter": {2: (4, 2), 3: (36, 6), 4: (576, 24)},
    "readers": {2: (4, 3), 4: (16, 5), 6: (64, 7), 8: (256, 9)},
    "lastzero": {3: (12, None), 5: (64, None), 7: (320, None)},
    "indexer": {11: (1, None), 12: (8, None), 13: (64, None), 14: (512, None)},
    "filesystem": {13: (1, None), 14: (2, None), 16: (8, None), 18: (32, None)},
}
LONG = {("lockers", 6), ("readers", 8), ("indexer", 14)}


def _executions(name: str, n: int, search: str, symmetry: str) -> Measure:
    def run(limit: float) -> Measured:
        model = pipeline.load(example(f"stateless/{name}.pml"), (f"N={n}",))
        asked = pipeline.options(engine="stateless", search=search, symmetry=symmetry, all_errors=True,
                                 max_depth=100_000, max_time=limit)  # fmt: skip
        verdict = pipeline.check(model, asked)
        return measured(verdict, verdict.statistics.executions or 0)

    return run


def _trace_runs() -> tuple[TableRun, ...]:
    found = []
    for name, sizes in TRACES.items():
        for n, (traces, orbits) in sizes.items():
            long = (name, n) in LONG
            for search, rule in (("dpor", EQUAL), ("optimal", AT_MOST)):
                plain = _executions(name, n, search, "none")
                found.append(TableRun(f"{name} {n}", search, traces, None, plain, long, rule=rule))
            if orbits is not None:
                symmetric = _executions(name, n, "dpor", "discovered")
                found.append(TableRun(f"{name} {n}", "with symmetry", orbits, None, symmetric, rule=AT_MOST))
    return tuple(found)


# -------------------------------------------------------------------------------------------------- SPIN

PAN = ("-O2", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=6000", "-w")
Text = Callable[[], str]


def _pan(text: Text, flags: tuple[str, ...]) -> Measure:
    """SPIN's verifier, compiled with optimisation; its CPU time is that of the search alone."""

    def run(limit: float) -> Measured:
        if shutil.which("spin") is None or shutil.which("gcc") is None:
            return Measured(None, None, False, "SPIN and gcc are needed")
        with tempfile.TemporaryDirectory() as place:
            Path(place, "model.pml").write_text(text())
            for command in (["spin", "-a", "model.pml"], ["gcc", *PAN, *flags, "-o", "pan", "pan.c"]):
                subprocess.run(command, cwd=place, capture_output=True, check=True)
            begin = seconds_spent(resource.RUSAGE_CHILDREN)
            try:
                done = subprocess.run(["./pan", "-m1000000", "-c0"], cwd=place, capture_output=True, text=True,
                                      timeout=limit, check=False)  # fmt: skip
            except subprocess.TimeoutExpired:
                return Measured(None, None, False, f"stopped after {limit:.0f} s")
            return pan_report(done.stdout, seconds_spent(resource.RUSAGE_CHILDREN) - begin)

    return run


def pan_report(text: str, seconds: float) -> Measured:
    found = re.search(r"(\d+) states, stored", text)
    cut = "depth too small" in text or "out of memory" in text or found is None
    return Measured(int(found[1]) if found else None, seconds, not cut, "not completed" if cut else "")


COMPARED: tuple[tuple[str, Text, dict[str, str], bool], ...] = (
    ("Peterson 4", lambda: peterson(4), {"optimise": "spin"}, False),
    ("Peterson 5", lambda: peterson(5), {"optimise": "spin"}, False),
    ("Peterson 6", lambda: peterson(6), {"optimise": "spin"}, True),
)


def _spin_runs() -> tuple[TableRun, ...]:
    plain = {"symmetry": "none", "por": "off"}
    found = []
    for name, text, options, long in COMPARED:
        found += [
            TableRun(name, "SPIN (pan, DFS)", None, None, _pan(text, ()), long),
            TableRun(name, "isospin, DFS, no reduction", None, None,
                states(text, {**plain, **options, "search": "dfs"}), long),
            TableRun(name, "isospin, BFS, no reduction", None, None, states(text, {**plain, **options}), long),
            TableRun(name, "isospin, default", None, None, states(text, {})),
        ]  # fmt: skip
    return tuple(found)


TABLES = (
    Table("traces", "Executions of a stateless search, known traces beside", "brute force; orbits of traces",
          "executions", "dpor: equal to the number of traces; optimal, and with symmetry: or fewer",
          _trace_runs()),
    Table("spin", "SPIN's verifier beside our engine, on this machine", "SPIN, where it is installed", "states",
          "CPU seconds of the search; without reductions both store the same states", _spin_runs(), alone=True),
)  # fmt: skip
