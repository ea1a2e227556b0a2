"""Explicit-state search with symmetry: Peterson's protocol and the e-mail system, by every strategy.

Reference: Bosnacki, Donaldson, Leuschel, Massart, Efficient approximate verification of Promela models via symmetry
markers, figures 4, 8 and 9; a Pentium at 1.7 GHz.  Fig. 8 prints 4.48e4 for six processes, a misprint of 4.48e7.
Differs: counts of Peterson's protocol are reproduced with SPIN's own transformations (`--optimise spin`); the text of
the e-mail system is not in the paper, so ours has its shape and other counts.
"""

from __future__ import annotations

from collections.abc import Callable

from .peterson import peterson
from .table import EQUAL, Source, Table, TableRun, example, states

PAPER = "Bosnacki, Donaldson, Leuschel, Massart: symmetry markers (TopSPIN, SymmSPIN)"
Figures = dict[int, tuple[float | None, float | None]]  # size -> states, seconds

# Strategy of the paper, ours, more options, figures.
PETERSON: tuple[tuple[str, dict[str, str], Figures], ...] = (
    ("unreduced", {"symmetry": "none"},
     {3: (2636, 0.4), 4: (60577, 0.6), 5: (1.56e6, 11), 6: (4.48e7, 2666)}),
    ("segmented", {"symmetry": "segmented"},
     {3: (494, 0.3), 4: (3106, 0.4), 5: (17321, 1), 6: (89850, 7), 7: (442481, 85), 8: (2.09e6, 1166),
      9: (9.62e6, 16673)}),
    ("SymmSPIN sorted", {"symmetry": "sorted-main", "main_array": "flag", "search": "dfs"},
     {3: (907, 0.4), 4: (9373, 0.4), 5: (95303, 2), 6: (885399, 18), 7: (7.94e6, 383)}),
    ("TopSPIN sorted", {"symmetry": "sorted"},
     {3: (494, 0.4), 4: (3106, 0.4), 5: (17321, 1), 6: (89850, 7), 7: (442481, 56), 8: (2.09e6, 412),
      9: (9.62e6, 3034)}),
    ("flattened", {"symmetry": "flattened"},
     {3: (251, 0.1), 4: (1177, 0.1), 5: (5148, 0.3), 6: (21752, 2), 7: (89969, 10), 8: (366424, 63), 9: (1.47e6, 393)}),
    ("markers", {"symmetry": "markers"},
     {3: (494, 0.3), 4: (3106, 0.4), 5: (17321, 1), 6: (89850, 3), 7: (442481, 24), 8: (2.09e6, 175),
      9: (9.62e6, 1333)}),
    ("exact (ours)", {"symmetry": "exact"}, dict.fromkeys(range(3, 10), (None, None))),
)  # fmt: skip
EMAIL: tuple[tuple[str, dict[str, str], Figures], ...] = (
    ("unreduced", {"symmetry": "none"}, {2: (938, 0.5), 3: (37793, 0.5), 4: (1.33e6, 11), 5: (None, None)}),
    ("segmented", {"symmetry": "segmented"},
     {2: (471, 0.3), 3: (6335, 0.4), 4: (56631, 4), 5: (399534, 64), 6: (2.42e6, 1415)}),
    ("sorted", {"symmetry": "sorted"},
     {2: (471, 0.3), 3: (6361, 0.5), 4: (60566, 2), 5: (481964, 30), 6: (3.40e6, 366)}),
    ("exact markers", {"symmetry": "markers"},
     {2: (471, 0.3), 3: (6337, 0.4), 4: (57398, 1), 5: (430212, 12), 6: (3.05e6, 131)}),
    ("approx markers", {"symmetry": "approx-markers"},
     {2: (470, 0.4), 3: (6316, 0.4), 4: (55711, 1), 5: (380040, 9), 6: (2.21e6, 82), 7: (1.17e7, 766)}),
    ("exact (ours)", {"symmetry": "exact"}, dict.fromkeys(range(2, 8), (None, None))),
)  # fmt: skip
# From which size on a row takes long.
LONG = {"segmented": 8, "SymmSPIN sorted": 7, "TopSPIN sorted": 9, "flattened": 9, "markers": 9, "unreduced": 6,
        "exact (ours)": 9}  # fmt: skip
COUNTED = {"optimise": "spin", "por": "off"}


def _runs(strategies: tuple[tuple[str, dict[str, str], Figures], ...], model: Callable[[int], Source],
         long: Callable[[str, int], bool], rule: str = "") -> tuple[TableRun, ...]:  # fmt: skip
    return tuple(
        TableRun(str(n), method, count, seconds, states(model(n), {**options, **COUNTED}), long(method, n), rule=rule)
        for method, options, figures in strategies
        for n, (count, seconds) in figures.items()
    )


def _peterson_of(n: int) -> Source:
    return lambda: peterson(n)


def _email_of(n: int) -> Source:
    return lambda: f"#define N {n}\n{example('symmetry/mail.pml').read_text()}"


TABLES = (
    Table("peterson", "Peterson's protocol (figures 4 and 8)", PAPER, "states",
          "the counts are equal; large ones are rounded in the paper",
          _runs(PETERSON, _peterson_of, lambda method, n: n >= LONG[method], EQUAL)),
    Table("email", "The e-mail system (figure 9)", PAPER, "states",
          "the paper's model is not known: compare the shape (approx markers <= segmented <= exact markers)",
          _runs(EMAIL, _email_of, lambda method, n: n > 5)),
)  # fmt: skip
