"""Stateless search of dining philosophers: persistent sets, sleep sets, symmetry of transitions.

Reference: Godefroid, Exploiting symmetry when model-checking software (VeriSoft), Table 1.
Differs: our persistent sets are smallest closures over who may still touch the object of the next operation, so
"SL+PO" and "SL+PO+SYM" may have fewer transitions than in the paper, never more.
"""

from __future__ import annotations

import platform
import time
from dataclasses import replace

from .. import pipeline
from ..core.errors import UsageError
from ..core.model import Model
from ..hosts.model.program import ModelProgram
from ..pipeline.programs.c import check_files
from ..pipeline.settings import CProgramOptions
from ..symmetry.detection.prepare import prepare
from ..transform.optimise import optimise
from .table import AT_MOST, EQUAL, Measure, Measured, Table, TableRun, example, measured

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
PROGRAM = "c/philosophers_fork.c"  # Fig. 2: processes that fork and share semaphores
LONG_PROGRAM = {("State Less", 4), ("State Less", 5)}  # every run is a run of real processes
RULES = {"State Space": EQUAL, "State Less": EQUAL}  # with reductions ours must not need more
FEWER = "smallest persistent sets: fewer than the paper's"


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
            (method, n) in LONG, "?" if figure is None else "", RULES.get(method, AT_MOST),
            remark="" if method in RULES or n == 2 else FEWER)
        for method, figures in FIGURES.items()
        for n, figure in figures.items()
    )  # fmt: skip


def _program_transitions(n: int, options: dict[str, str | None]) -> Measure:
    """The same, counted on the program."""

    def run(limit: float) -> Measured:
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            raise UsageError("C programs need x86-64 Linux")
        asked = CProgramOptions(
            search=options["search"] or "auto", permutation=options.get("permutation"), cflags=(f"-DN={n}",),
            all_errors=True, max_time=limit,
        )  # fmt: skip
        verdict = check_files([example(PROGRAM)], asked)
        return measured(verdict, verdict.transitions)

    return run


def _program_runs() -> tuple[TableRun, ...]:
    return tuple(
        TableRun(str(n), method, figure, None, _program_transitions(n, SEARCHES[method]), (method, n) in LONG_PROGRAM,
            "?" if figure is None else "", RULES.get(method, AT_MOST),
            remark="" if method in RULES or n == 2 else FEWER)
        for method, figures in FIGURES.items() if method in SEARCHES
        for n, figure in figures.items()
    )  # fmt: skip


TABLES = (
    Table("verisoft", "Dining philosophers (Table 1)", PAPER, "transitions",
          "state space and plain search are equal; with reductions ours has as many or fewer", _runs()),
    Table("verisoft-c", "Dining philosophers as processes in C (Fig. 2, Table 1)", PAPER, "transitions",
          "the program really runs; a state space cannot be counted there", _program_runs()),
)  # fmt: skip
