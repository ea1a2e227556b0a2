"""Partial-order reduction: states stored, ours beside SPIN's, on SPIN's own examples.

SPIN's figures are the recorded ones (`states_por` of spin-examples.csv: its default build).  Ours are those of the
default level, without symmetry.  The verdicts with and without the reduction are compared on the way.
"""

from __future__ import annotations

import math
from dataclasses import replace

from isospin.engine.contract import Exploration, Question
from isospin.engine.explicit import explore
from isospin.front.promela.load import load
from isospin.ir.ample import ample
from isospin.ir.optimise import optimise
from isospin.model import Model
from tests.examples import ROWS, SHIPPED, folder

SECONDS = 60.0
FORMAT = "{:38} {:>9} {:>9} {:>9} {:>9} {:>6}"


def run() -> None:
    if not SHIPPED.is_dir():
        print("SPIN's examples are not installed: nothing to compare with")
        return
    print(FORMAT.format("states", "SPIN", "SPIN por", "ours", "ours por", "ratio"))
    ratios = []
    for row in ROWS:
        if row["por_status"] != "complete" or row["claims"]:
            continue
        model = replace(load(folder() / row["file"]), claims=())
        whole = search(optimise(model, "full"), False)
        reduced = search(optimise(model, "full", por=True), True)
        if whole.incomplete or reduced.incomplete:
            print(f"{row['file']:38} not complete in {SECONDS:g} s")
            continue
        assert kinds(whole) == kinds(reduced), row["file"]
        ratio = reduced.states / int(row["states_por"])
        ratios.append(ratio)
        counts = (row["states_noreduce"], row["states_por"], whole.states, reduced.states)
        print(FORMAT.format(row["file"], *counts, f"{ratio:.2f}"), flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean of ours over SPIN's, {len(ratios)} examples: {mean:.2f} (wanted: at most 1)")


def search(model: Model, por: bool) -> Exploration:
    return explore(model, Question(all_errors=True, max_time=SECONDS), ample=ample(model) if por else None)


def kinds(found: Exploration) -> set[tuple[str, str]]:
    return {(f.kind, str(f.location)) for f in found.findings}
