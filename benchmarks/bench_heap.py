"""Heap and process symmetry on models with objects: states without reduction, with either, with both, and by Fig. 5;
the same with partial orders; what folding costs for each stored state.

After Table 1 of the dSPIN paper; its model texts are not known, so the shape is comparable and the counts are ours.
"""

from __future__ import annotations

from pathlib import Path

from isospin import pipeline
from isospin.core.errors import UsageError
from isospin.core.verdict import Outcome, Verdict

from .heap_cost import cost

EXAMPLES = Path(__file__).parent.parent / "examples" / "heap"
ROWS = [
    *(("ordered_list", (f"L={n}",)) for n in range(1, 7)),
    ("stack", ("N=2",)), ("stack", ("N=3", "MOST=1")), ("two_lock_queue", ()),
    ("btree", ("N=2", "K=3", "D=2")), ("btree", ("N=2", "K=4", "D=2")), ("btree", ("N=2", "K=4", "D=3")),
    ("btree", ("N=3", "K=3", "D=2")),
]  # fmt: skip
COLUMNS = {
    "none": ("none", "off"), "heap": ("none", "on"), "process": ("exact", "off"), "both": ("exact", "on"),
    "fig5": ("fig5", "on"),
}  # fmt: skip
MOST_SECONDS = {"fig5": 15.0}  # it runs on the interpreter
ELSE = 90.0


def check(name: str, defines: tuple[str, ...], column: str, **more: object) -> Verdict | None:
    symmetry, heap = COLUMNS[column]
    model = pipeline.load(EXAMPLES / f"{name}.pml", defines)
    options = {"symmetry": symmetry, "heap_symmetry": heap, "max_time": MOST_SECONDS.get(column, ELSE), **more}
    try:
        return pipeline.check(model, pipeline.options(**options))
    except UsageError:
        return None


def cell(verdict: Verdict | None) -> str:
    """The number of states and CPU seconds; a plus sign: the time was over before all were seen."""
    if verdict is None:
        return "-"
    more = "+" if verdict.outcome is Outcome.INCOMPLETE else ""
    return f"{verdict.states:,}{more} ({verdict.statistics.cpu_seconds:.2f} s)"


def table(title: str, por: str, columns: tuple[str, ...]) -> None:
    print(f"{title:28}" + "".join(f"{c:>22}" for c in columns))
    for name, defines in ROWS:
        print(f"{name + ' ' + ' '.join(defines):28}", end="", flush=True)
        for column in columns:
            print(f"{cell(check(name, defines, column, por=por)):>22}", end="", flush=True)
        print(flush=True)


def run() -> None:
    table("states", "off", tuple(COLUMNS))
    print()
    table("with partial orders", "on", ("none", "heap", "process", "both"))
    print()
    cost()
