"""Which engine is used for safety, and why."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from typing import NamedTuple

from ...core.deadline import stretch
from ...core.model import Model
from ...core.verdict import Verdict
from ...semantics.interp import Interpreter
from ...semantics.start import Starts
from ..settings import Options
from .safety import check_safety, for_model

MANY_STARTS = 20_000  # initial states: more than a search state by state should begin with


class _Choice(NamedTuple):
    """An engine, and why it was chosen, for people."""

    engine: str
    why: str


def _chosen_engine(model: Model, options: Options) -> _Choice:
    """The engine for safety; `auto` decides by what is known before the run."""
    if options.engine != "auto":
        return _Choice(options.engine, "asked for")
    if options.wants_sets:
        return _Choice("symbolic", f"{options.wants_sets} is for the symbolic engine")
    if not options.needs_explicit and find_spec("oxidd") is not None and _has_many_starts(model):
        return _Choice("symbolic", f"the model has more than {MANY_STARTS} initial states, which it holds as one set")
    return _Choice("explicit", "compiled, with states folded one by one, it is the faster one for few initial states")


def _has_many_starts(model: Model) -> bool:
    if not any(v.choices for v in model.globals):
        return False
    with stretch("looking at the initial states"):
        interpreter = Interpreter(model)
        found = Starts(interpreter.model, interpreter.value).combinations(interpreter.first({}))
        return len(list(islice(found, MANY_STARTS + 1))) > MANY_STARTS


def check_by_engine(model: Model, options: Options) -> Verdict:
    """Safety, by the engine that was asked for or chosen."""
    options = for_model(model, options)
    engine, why = _chosen_engine(model, options)
    if engine == "symbolic":
        from ...engines.symbolic import NotEncodable
        from .symbolic import check_symbolic

        try:
            return replace(check_symbolic(model, options), engine_reason=why)
        except NotEncodable:
            if options.engine == "symbolic" or options.wants_sets:
                raise
            why = "the symbolic one, which would be better for many initial states, cannot encode the model"
    verdict = check_safety(model, options)
    return replace(verdict, engine_reason=verdict.engine_reason or why)
