"""The symbolic engine on the six benchmarks of the pointer paper: how it grows, and what its reductions are worth.

CPU seconds of `explore`, from the model to the answer, all in one run; the factor to the row above; states, and the
most nodes that were in the table.  To find symmetries comes on top.  Figures of different runs cannot be compared.

`BENCH_SYMBOLIC_MOST=6` stops at six processes, `BENCH_SYMBOLIC_SECONDS=60` gives each search so long.
`BENCH_SYMBOLIC_MODELS=leader,cycle` measures only these, `BENCH_SYMBOLIC_STRATEGIES=gasr,none` only so,
`BENCH_SYMBOLIC_LEAST=8` begins with eight processes, and `BENCH_SYMBOLIC_TIMES=5` tells the best of five times.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from isospin import pipeline
from isospin.engines.contract import Exploration, Question
from isospin.engines.symbolic import Method, explore
from isospin.symmetry.folding.exchange import exchanges
from isospin.symmetry.protocol import Exchange
from isospin.symmetry.reduction import reduce
from isospin.transform.optimise import optimise

EXAMPLES = Path(__file__).parent.parent / "examples" / "pointer"
LARGEST = {"mcs": 7, "leader": 13, "cycle": 13, "bounded_buffer": 13, "readers_writers": 13, "critical_region": 4}
STRATEGIES = os.environ.get("BENCH_SYMBOLIC_STRATEGIES", "bdd-sorted,gasr,none").split(",")
LEAST = int(os.environ.get("BENCH_SYMBOLIC_LEAST", "3"))
TIMES = int(os.environ.get("BENCH_SYMBOLIC_TIMES", "1"))


def measured(name: str, processes: int, strategy: str, seconds: float) -> tuple[float, Exploration]:
    """CPU seconds, and what was found."""
    model = optimise(pipeline.load(EXAMPLES / f"{name}.ptr", processes=processes), "full")
    pairs: tuple[Exchange, ...] = ()
    if strategy != "none":
        reduction = reduce(model, "auto")
        model, pairs = reduction.model, exchanges(reduction.symmetries)
    begin = time.process_time()
    found = explore(model, Question(deadlock=False, max_time=seconds), Method("forward", strategy, pairs))
    spent = time.process_time() - begin
    if found.findings or found.notes:
        raise AssertionError(f"{name} with {processes} processes: {found.findings or found.notes}")
    return spent, found


def cell(spent: float, before: float | None, found: Exploration) -> str:
    if found.incomplete:
        return f"{'> ' + format(spent, '.1f'):>8}{'':>25}"
    growth = f"{spent / before:.2f}x" if before else ""
    return f"{spent:>8.2f}{growth:>7}{found.states:>9}{found.nodes or 0:>9}"


def table(name: str, most: int, seconds: float) -> None:
    print(f"\n{name}\n{'N':>2}" + "".join(f" |{s:>8}{'':>7}{'states':>9}{'nodes':>9}" for s in STRATEGIES))
    before: dict[str, float | None] = dict.fromkeys(STRATEGIES)
    slow: set[str] = set()
    for processes in range(LEAST, min(most, LARGEST[name]) + 1):
        cells = []
        for strategy in STRATEGIES:
            if strategy in slow:
                cells.append(f"{'-':>8}{'':>25}")
                continue
            tries = [measured(name, processes, strategy, seconds) for _ in range(TIMES)]
            spent, found = min(tries, key=lambda one: one[0])
            cells.append(cell(spent, before[strategy], found))
            before[strategy] = spent
            slow |= {strategy} if found.incomplete else set()
        print(f"{processes:>2} |" + " |".join(cells), flush=True)


def run() -> None:
    most, seconds = (
        int(os.environ.get("BENCH_SYMBOLIC_MOST", "13")),
        float(os.environ.get("BENCH_SYMBOLIC_SECONDS", "120")),
    )
    for name in os.environ.get("BENCH_SYMBOLIC_MODELS", ",".join(LARGEST)).split(","):
        table(name, most, seconds)


if __name__ == "__main__":
    run()
