"""Several processes and several threads against one, in one run: CPU time a state, wall time, bytes a state.

CPU time is that of all ranks together, from when MPI has started them; what a rank sleeps does not count.  Wall times
mean something only where as many processors are free as there are ranks.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isospin import pipeline
from isospin.core.errors import UsageError
from isospin.core.verdict import Verdict
from isospin.experiments.peterson import peterson

REPETITIONS = 3  # the least CPU time counts
WAYS: dict[str, dict[str, Any]] = {
    "one process": {"por": "static"}, "--threads 2": {"por": "static", "threads": 2}, "--mpi 1": {"mpi": "1"},
    "--mpi 2": {"mpi": "2"}, "--mpi 2, saved": {"mpi": "2", "saved": True},
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A model, and how it is folded."""

    name: str
    processes: int
    symmetry: str


CASES = (
    Case("Peterson-6, unreduced", 6, "none"),
    Case("Peterson-8, folded", 8, "auto"),
    Case("Peterson-9, folded", 9, "auto"),
)


def _check(case: Case, way: dict[str, Any]) -> Verdict:
    from tempfile import TemporaryDirectory

    asked = {k: v for k, v in way.items() if k != "saved"}
    with TemporaryDirectory() as place:
        if way.get("saved"):
            asked["checkpoint"] = place
        options = pipeline.options(engine="explicit", symmetry=case.symmetry, **asked)
        return pipeline.check(pipeline.load(peterson(case.processes)), options)


def _row(case: Case, name: str, way: dict[str, Any], base: float | None) -> float:
    """Print one way to search; its CPU time."""
    runs = [_check(case, way) for _ in range(REPETITIONS)]
    best = min((r.statistics for r in runs), key=lambda s: s.cpu_seconds)
    cpu, wall = best.cpu_seconds, min(r.statistics.seconds - r.statistics.compile_seconds for r in runs)
    ratio = "" if base is None else f"{cpu / base:5.2f}x"
    size = best.bytes_per_state or 0.0
    print(
        f"  {name:15} {best.states:>11,} states {cpu:7.2f} s CPU {1e9 * cpu / best.states:7.0f} ns a state {ratio:6} "
        f"{wall:7.2f} s wall {size:6.1f} bytes a state",
        flush=True,
    )
    return cpu


def run(rows: Sequence[str] = ()) -> None:
    for case in (c for c in CASES if not rows or any(row in c.name for row in rows)):
        print(f"{case.name}; load {os.getloadavg()[0]:.1f}")
        base: float | None = None
        for name, way in WAYS.items():
            try:
                cpu = _row(case, name, way, base)
            except UsageError as problem:
                print(f"  {name}: {problem}")
                continue
            base = base or cpu
