"""The symbolic engine on the MCS lock: the paper's folding against sorting, oxidd against CUDD.

CPU seconds of `explore`, from the model to the answer, side by side in one run.  On the right all start with one table,
large enough for all of them; the first columns are with tables as the engine chooses them.

`BENCH_SYMBOLIC_MOST=6` stops at six processes.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from isospin import pipeline
from isospin.engine.contract import Exploration, Question
from isospin.engine.symbolic import Method, explore
from isospin.ir.optimise import optimise
from isospin.symmetry.exchange import exchanges
from isospin.symmetry.reduction import reduce

MCS = Path(__file__).parent.parent / "examples" / "pointer" / "mcs.ptr"
TABLE = 1 << 22


def measured(processes: int, strategy: str, nodes: int = 0, backend: str = "oxidd") -> tuple[float, Exploration]:
    """CPU seconds, and what was found."""
    model = optimise(pipeline.load(MCS, processes=processes), "full")
    reduction = reduce(model, "auto")
    method = Method("forward", strategy, exchanges(reduction.symmetries), backend, nodes)
    begin = time.process_time()
    found = explore(reduction.model, Question(deadlock=False), method)
    spent = time.process_time() - begin
    if found.incomplete or found.findings:
        raise AssertionError(f"MCS with {processes} processes: {found.incomplete or found.findings}")
    return spent, found


def run() -> None:
    most = int(os.environ.get("BENCH_SYMBOLIC_MOST", "7"))
    print(f"{'N':>2}{'gasr':>9}{'sorted':>9}{'ratio':>8}  | one table:{'gasr':>8}{'sorted':>9}{'ratio':>8}"
          f"{'cudd sorted':>13}{'states gasr':>13}{'sorted':>9}")  # fmt: skip
    for processes in range(4, most + 1):
        paper, counted = measured(processes, "gasr")
        ours, sorted_ = measured(processes, "bdd-sorted")
        paper_same, _ = measured(processes, "gasr", TABLE)
        ours_same, _ = measured(processes, "bdd-sorted", TABLE)
        cudd, _ = measured(processes, "bdd-sorted", backend="cudd")
        print(f"{processes:>2}{paper:>9.2f}{ours:>9.2f}{paper / ours:>7.1f}x  |           {paper_same:>8.2f}"
              f"{ours_same:>9.2f}{paper_same / ours_same:>7.1f}x{cudd:>13.2f}{counted.states:>13}{sorted_.states:>9}",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    run()
