"""A model checked by the reference interpreter, past its first error, and what was found."""

from __future__ import annotations

from isospin import pipeline
from isospin.core.model import Model
from isospin.core.verdict import Verdict


def check(model: Model, **options: object) -> Verdict:
    return pipeline.check(model, pipeline.options(**{"engine": "interp", "all_errors": True, **options}))


def found(verdict: Verdict) -> set[tuple[str, str]]:
    """What is violated and where; a deadlock is told at the first process that waits, which symmetry may change."""
    return {(v.kind, "" if v.kind == "deadlock" else str(v.location)) for v in verdict.violations}
