"""Partial-order reduction: states stored, ours beside SPIN's, on SPIN's own examples.

SPIN's figures are the recorded ones (`states_por` of spin-examples.csv: its default build).  Ours are those of the
default level, without symmetry; SPIN stops a product at the first violation, and so do we.  The verdicts with and
without the reduction are compared on the way, where the search without it comes to an end.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from isospin.analysis.ample import ample
from isospin.core.errors import InternalError
from isospin.core.model import Claim, Model
from isospin.core.verdict import Outcome
from isospin.engines.contract import Question
from isospin.engines.explicit import explore
from isospin.front.promela.load import load
from isospin.pipeline import check, options
from isospin.transform.optimise import optimise
from tests.support.spin_examples import ROWS, SHIPPED, folder

SECONDS = 60.0
FORMAT = "{:38} {:>9} {:>9} {:>9} {:>9} {:>6}"


def run() -> None:
    if not SHIPPED.is_dir():
        print("SPIN's examples are not installed: nothing to compare with")
        return
    print(FORMAT.format("states", "SPIN", "SPIN por", "ours", "ours por", "ratio"))
    ratios: dict[str, float] = {}
    for row in ROWS:
        if row["por_status"] == "complete" and (ratio := compare(row)) is not None:
            ratios[row["file"]] = ratio
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    worst = sorted(ratios, key=lambda file: -ratios[file])[:10]
    print("the worst ones: " + ", ".join(f"{file} {ratios[file]:.2f}" for file in worst))
    print(f"geometric mean of ours over SPIN's, {len(ratios)} examples: {mean:.2f} (wanted: at most 0.45)")


def compare(row: dict[str, str]) -> float | None:
    """The states of one example with and without the reduction, in the product with its first claim if it has any."""
    model = load(folder() / row["file"])
    claim = next(iter(model.claims), None) if row["claims"] else None
    search = searched if claim is None else product
    try:
        whole, reduced = search(model, claim, False), search(model, claim, True)
    except InternalError as error:  # a bug, but not of what is compared here
        print(f"{row['file']:38} {error}", flush=True)
        return None
    if reduced is None:
        print(f"{row['file']:38} not complete in {SECONDS:g} s", flush=True)
        return None
    assert whole is None or whole.found == reduced.found, row["file"]
    ratio = reduced.states / int(row["states_por"])
    unreduced = "too many" if whole is None else whole.states
    counts = (row["states_noreduce"], row["states_por"], unreduced, reduced.states)
    print(FORMAT.format(row["file"], *counts, f"{ratio:.2f}"), flush=True)
    return ratio


class Count(NamedTuple):
    states: int
    found: object


def searched(model: Model, _: Claim | None, por: bool) -> Count | None:
    model = optimise(replace(model, claims=()), "full", por=por)
    order = ample(model, layered=True) if por else None
    result = explore(model, Question(all_errors=True, max_time=SECONDS), ample=order)
    return None if result.incomplete else Count(result.states, {(f.kind, str(f.location)) for f in result.findings})


def product(model: Model, claim: Claim | None, por: bool) -> Count | None:
    assert claim is not None
    how = options(engine="explicit", symmetry="none", por="on" if por else "off", ltl=claim.name, max_time=SECONDS)
    verdict = check(model, how)
    return None if verdict.outcome is Outcome.INCOMPLETE else Count(verdict.states, verdict.outcome)
