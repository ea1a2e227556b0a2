"""Stateless search of dining philosophers: persistent sets, sleep sets, symmetry of transitions.

Reference: Godefroid, Exploiting symmetry when model-checking software (VeriSoft), Table 1.
Differs: our persistent sets are smallest closures over who may still touch the object of the next operation, so
"SL+PO" and "SL+PO+SYM" may have fewer transitions than in the paper, never more.
"""

from __future__ import annotations

import time
from dataclasses import replace

from .. import pipeline
from ..core.model import Model
from ..hosts.model.program import ModelProgram
from ..symmetry.detection.prepare import prepare
from ..transform.optimise import optimise
from .table import Measure, Measured, Table, TableRun, example, measured

PAPER = "Godefroid: exploiting symmetry when model-checking software (VeriSoft)"
FIGURES: dict[str, dict[int, float | None]] = {
    "State Space": {2: 18, 3: 123, 4: 708, 5: 3765},
    "State Less": {2: 18, 3: 1680, 4: 386816, 5: None},
    "SL+PO": {2: 17, 3: 75, 4: 275, 5: 959},
    "SL+PO+SYM": {2: 9, 3: 37, 4: 133, 5: 461},
}
SEARCHES: dict[str, dict[str, str | None]] = {
    "State Less": {"search": "dfs", "symmetry": "none"},
    "SL+PO": {"search": "persistent", "symmetry": "none"},
    "SL+PO+SYM": {"search": "persistent", "symmetry": "declared", "permutation": "rotate"},
}
LONG = {("State Less", 5)}  # 354940010 transitions
MODEL = "stateless/verisoft.pml"


def _transitions(n: int, options: dict[str, str | None]) -> Measure:
    def run(limit: float) -> Measured:
        model = pipeline.load(example(MODEL), (f"N={n}",))
        asked = pipeline.options(engine="stateless", all_errors=True, max_depth=100_000, max_time=limit, **options)
        verdict = pipeline.check(model, asked)
        return measured(verdict, verdict.transitions)

    return run


def _whole(n: int) -> Measure:
    def run(limit: float) -> Measured:
        begin = time.process_time()
        count = state_space(pipeline.load(example(MODEL), (f"N={n}",)))
        return Measured(count, time.process_time() - begin)

    return run


def state_space(model: Model) -> int:
    """The transitions between the reachable states of a model, by plain enumeration."""
    prepared = prepare(optimise(replace(model, claims=()), "full", por=True), everywhere=True).model
    program = ModelProgram(prepared)
    todo, seen, count = [program.initial], {program.initial}, 0
    while todo:
        for move in program.interpreter.moves(todo.pop()):
            count += 1
            if move.state is not None and move.state not in seen:
                seen.add(move.state)
                todo.append(move.state)
    return count


def _runs() -> tuple[TableRun, ...]:
    return tuple(
        TableRun(str(n), method, figure, None, _transitions(n, SEARCHES[method]) if method in SEARCHES else _whole(n),
            (method, n) in LONG, "?" if figure is None else "")
        for method, figures in FIGURES.items()
        for n, figure in figures.items()
    )  # fmt: skip


TABLES = (
    Table("verisoft", "Dining philosophers (Table 1)", PAPER, "transitions",
          "state space and plain search are equal; with reductions ours has as many or fewer", _runs()),
)  # fmt: skip
