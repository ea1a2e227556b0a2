"""Table 1 of the dSPIN paper: standard partial orders, symmetric independence (SI), symmetry (SR), both; and a column
without any reduction.

States stored; the paper's model texts are not known, so the shape is comparable and the counts are ours.  As in the
paper, SR comes with standard partial orders.
"""

from __future__ import annotations

from pathlib import Path

from isospin import pipeline

EXAMPLES = Path(__file__).parent.parent / "examples" / "heap"
ROWS = [
    *(("ordered_list", (f"L={n}",)) for n in (2, 3, 4)), *(("locked_list", (f"L={n}",)) for n in (2, 3)),
    ("btree", ("N=2", "K=3", "D=2")), ("btree", ("N=2", "K=4", "D=2")), ("btree", ("N=3", "K=3", "D=2")),
    ("btree_star", ("N=2", "K=4", "D=3")),
]  # fmt: skip
COLUMNS = {  # symmetry, heap symmetry, partial orders
    "no reduction": ("none", "off", "off"), "standard": ("none", "off", "standard"), "SI": ("none", "off", "on"),
    "SR": ("exact", "on", "standard"), "SI+SR": ("exact", "on", "on"),
}  # fmt: skip
MOST_SECONDS = 120.0


def cell(name: str, defines: tuple[str, ...], symmetry: str, heap: str, por: str) -> tuple[int, bool, float]:
    """The number of states, whether all were seen, and CPU seconds."""
    model = pipeline.load(EXAMPLES / f"{name}.pml", defines)
    options = pipeline.options(symmetry=symmetry, heap_symmetry=heap, por=por, max_time=MOST_SECONDS)
    verdict = pipeline.check(model, options)
    assert verdict.outcome in ("holds", "incomplete"), verdict.outcome
    return verdict.states, verdict.outcome == "holds", verdict.statistics.cpu_seconds


def run() -> None:
    print(f"{'model':28}" + "".join(f"{c:>20}" for c in COLUMNS))
    for name, defines in ROWS:
        print(f"{name + ' ' + ' '.join(defines):28}", end="", flush=True)
        complete = []
        for chosen in COLUMNS.values():
            states, all_seen, seconds = cell(name, defines, *chosen)
            complete += [states] if all_seen else []
            print(f"{f'{states:,}' + ('' if all_seen else '+') + f' ({seconds:.1f} s)':>20}", end="", flush=True)
        print("" if all_seen and states == min(complete) else "  SI+SR is not the best", flush=True)
