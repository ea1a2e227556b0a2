"""Objects: an ordered list and a B-tree, with partial orders, heap and process symmetry.

Reference: Iosif, Symmetry reduction criteria for software model checking (dSPIN), Table 1.
Differs: the texts of the models are not in the paper, so ours have its shape and other counts.  As there, SR comes with
standard partial orders, and "-" is standard partial orders alone; a column without any reduction is ours.  The paper's
tool folds objects only, so two columns have that, too; SI and SR are the best that we have.
"""

from __future__ import annotations

from .table import Measure, Table, TableRun, example, states

PAPER = "Iosif: symmetry reduction criteria for software model checking (dSPIN)"
COLUMNS: dict[str, dict[str, str]] = {
    "SI+SR": {"symmetry": "exact", "heap_symmetry": "on", "por": "on"},
    "SR": {"symmetry": "exact", "heap_symmetry": "on", "por": "standard"},
    "SI+SR, objects only": {"symmetry": "none", "heap_symmetry": "on", "por": "on"},
    "SR, objects only": {"symmetry": "none", "heap_symmetry": "on", "por": "standard"},
    "SI": {"symmetry": "none", "heap_symmetry": "off", "por": "on"},
    "-": {"symmetry": "none", "heap_symmetry": "off", "por": "standard"},
    "no reduction (ours)": {"symmetry": "none", "heap_symmetry": "off", "por": "off"},
}
Row = tuple[str, tuple[str, ...], dict[str, float], dict[str, str], tuple[str, ...]]
# Size, definitions, the paper's figures, its bounds, columns that take long here.
UNFOLDED = ("SI", "-", "no reduction (ours)")
LIST: tuple[Row, ...] = (
    *((str(n), (f"L={n}",), {}, {}, ()) for n in (2, 4)),
    ("6", ("L=6",), {"SI+SR": 24075, "SR": 24075, "SI": 1.31133e6, "-": 1.31133e6}, {}, UNFOLDED),
    ("7", ("L=7",), {"SI+SR": 42338, "SR": 42338}, {"SI": "> 2e6", "-": "> 2e6"}, UNFOLDED),
)
BTREE: tuple[Row, ...] = (
    ("3,4,2", ("N=3", "K=4", "D=2"), {}, {}, UNFOLDED),
    ("2,4,2", ("N=2", "K=4", "D=2"), {}, {}, ("-", "no reduction (ours)")),
    ("2,4,3", ("N=2", "K=4", "D=3"), {"SI+SR": 3027, "SR": 18773, "SI": 3027, "-": 766842}, {}, UNFOLDED),
    ("2,4,4", ("N=2", "K=4", "D=4"), {"SI+SR": 32998, "SR": 142371}, {"SI": "> 1e6", "-": "> 1e6"}, tuple(COLUMNS)),
)
PLAIN: tuple[Row, ...] = tuple((size, defines, {}, {}, long) for size, defines, long in (
    ("3,3,2", ("N=3", "K=3", "D=2"), ()), ("2,4,2", ("N=2", "K=4", "D=2"), ()),
    ("2,4,3", ("N=2", "K=4", "D=3"), UNFOLDED), ("2,4,4", ("N=2", "K=4", "D=4"), tuple(COLUMNS)),
))  # fmt: skip


def _measure(model: str, defines: tuple[str, ...], column: str) -> Measure:
    return states(lambda: example(model), COLUMNS[column], defines)


def _runs(model: str, rows: tuple[Row, ...]) -> tuple[TableRun, ...]:
    return tuple(
        TableRun(size, column, figures.get(column), None, _measure(model, defines, column), column in long,
            bounds.get(column, ""))
        for size, defines, figures, bounds, long in rows
        for column in COLUMNS
    )  # fmt: skip


NOTE = "the paper's model is not known: compare the shape"
LIST_NOTE = NOTE + "; SI saves states here, since what locks protect is local and allocations are what is left"
TREE_NOTE = NOTE + "; without SR ours has more, since its updaters go on for ever"
PLAIN_NOTE = "SI saves little: nodes are allocated only where a node is split, under its lock and that of its parent"
TABLES = (
    Table("list", "Ordered list with a lock in each node, L = longest list (Table 1, i)", PAPER, "states", LIST_NOTE,
          _runs("heap/locked_list.pml", LIST)),
    Table("btree", "B*-tree; N, K, D = updaters, order, depth (Table 1, ii)", PAPER, "states", TREE_NOTE,
          _runs("heap/btree_star.pml", BTREE)),
    Table("btree-plain", "A B-tree with keys in all nodes", "not in the paper", "states", PLAIN_NOTE,
          _runs("heap/btree.pml", PLAIN)),
)  # fmt: skip
