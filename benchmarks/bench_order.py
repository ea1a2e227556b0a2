"""Partial-order reduction: states stored, ours beside SPIN's, on SPIN's own examples.

SPIN's figures are the recorded ones (`states_por` of spin-examples.csv: its default build, and the first claim if
there are any).  Ours are those of the default level, without symmetry; SPIN stops a product at the first violation, and
so do we.  What is found with and without the reduction is compared on the way, for errors and for every claim, where
the search without it comes to an end.
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

SECONDS = 120.0
FORMAT = "{:38} {:>9} {:>9} {:>9} {:>9} {:>6}"


def run() -> None:
    if not SHIPPED.is_dir():
        print("SPIN's examples are not installed: nothing to compare with")
        return
    print(FORMAT.format("states", "SPIN", "SPIN por", "ours", "ours por", "ratio"))
    ratios: dict[str, float] = {}
    compared = searches = 0
    for row in ROWS:
        if row["por_status"] == "complete" and (pairs := compare(row)):
            ratios[row["file"]] = pairs[0].reduced.states / int(row["states_por"])
            searches += len(pairs)
            compared += sum(pair.whole is not None for pair in pairs)
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    worst = sorted(ratios, key=lambda file: -ratios[file])[:10]
    print("the worst ones: " + ", ".join(f"{file} {ratios[file]:.2f}" for file in worst))
    print(f"geometric mean of ours over SPIN's, {len(ratios)} examples: {mean:.3f} (wanted: at most 0.45)")
    print(f"the same is found with and without it in {compared} of {searches} searches; the others end only with it")


def compare(row: dict[str, str]) -> list[Pair]:
    """One example with and without the reduction: its errors, or its claims one by one, that of SPIN's figure first."""
    model = load(folder() / row["file"])
    claims: list[Claim | None] = list(model.claims) if row["claims"] else []
    pairs: list[Pair] = []
    try:
        for claim in claims or [None]:
            search = searched if claim is None else product
            whole, reduced = search(model, claim, False), search(model, claim, True)
            if reduced is None:
                print(f"{row['file']:38} not complete in {SECONDS:g} s", flush=True)
                return []
            assert whole is None or whole.found == reduced.found, (row["file"], claim and claim.name)
            pairs.append(Pair(whole, reduced))
    except InternalError as error:  # a bug, but not of what is compared here
        print(f"{row['file']:38} {error}", flush=True)
        return []
    whole, reduced = pairs[0]
    unreduced = "too many" if whole is None else whole.states
    counts = (row["states_noreduce"], row["states_por"], unreduced, reduced.states)
    print(FORMAT.format(row["file"], *counts, f"{reduced.states / int(row['states_por']):.2f}"), flush=True)
    return pairs


class Count(NamedTuple):
    states: int
    found: object


class Pair(NamedTuple):
    """The same search without the reduction, None if that takes too long, and with it."""

    whole: Count | None
    reduced: Count


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
