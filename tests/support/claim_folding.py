"""Claims of random models, checked with and without symmetry."""

from __future__ import annotations

from typing import Any

from isospin import pipeline
from isospin.core.verdict import Outcome, Symmetry
from isospin.pipeline.models.claims import plan


def compared(text: str, engine: str, most: int) -> list[Symmetry]:
    """With what symmetry the claim of a model was checked, after comparing the verdicts with those without it, fair
    or not, where no search needs more states.

    Only the claim is checked, and only where something is folded: elsewhere both searches would be the same.
    """
    model = pipeline.load(text)
    (claim,) = model.claims
    if plan(model, claim, pipeline.options(symmetry="exact", por="off")).reduction is None:
        return []
    found = []
    for fair in (False, True):
        asked: dict[str, Any] = {"engine": engine, "fair": fair, "max_states": most, "ltl": claim.name}
        with_, without = (pipeline.options(symmetry=s, **asked) for s in ("exact", "none"))
        folded = pipeline.check(model, with_)
        plain = folded if folded.outcome is Outcome.INCOMPLETE else pipeline.check(model, without)
        if plain.outcome is not Outcome.INCOMPLETE:
            assert plain.outcome == folded.outcome, (fair, text)
            found.append(folded.symmetry)
    return found
