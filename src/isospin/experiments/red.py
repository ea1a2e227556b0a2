"""Processes linked by pointers: sizes of the six benchmarks, and CPU time for each number of processes.

Reference: Wang, Schmidt, Yu, Huang, Wang, BDD-based safety-analysis of concurrent software with pointer data structures
using graph automorphism symmetry reduction, TSE 2004, Tables 1 to 7; a Pentium 4 at 2.1 GHz.
Differs: the texts of the models are not in the paper (the figure of the MCS lock is missing, too); ours are written
after its description.  Times of different machines cannot be compared, only how they grow.  Murphi is an explicit
search with symmetry, so it stands beside our explicit engine; Red (with -fSp) beside our symbolic one.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from .. import pipeline
from ..front.pointer.lexer import tokenize
from ..front.pointer.parser import Parser
from ..front.pointer.syntax import PointerAutomaton, VariableRule
from .table import EQUAL, Measure, Measured, Table, TableRun, example, measured

PAPER = "Wang, Schmidt, Yu, Huang, Wang: BDD-based safety analysis with pointers (Red)"
FIRST = 3  # processes

# Benchmark -> modes, transitions, global pointers, global discrete, local pointers, local discrete (Table 1).
SIZES: dict[str, tuple[int, ...]] = {
    "mcs": (10, 15, 1, 0, 2, 1), "leader": (2, 3, 1, 0, 1, 0), "cycle": (2, 5, 1, 0, 2, 0),
    "bounded_buffer": (10, 26, 6, 4, 2, 1), "readers_writers": (14, 36, 4, 3, 2, 1),
    "critical_region": (19, 47, 6, 5, 2, 1),
}  # fmt: skip


def _of(variables: list[VariableRule], local: bool, pointer: bool) -> int:
    return sum(v.is_local == local and (v.bounds is None) == pointer for v in variables)


COUNTS: dict[str, Callable[[PointerAutomaton], int]] = {
    "modes": lambda a: sum(len(p.modes) for p in a.processes),
    "transitions": lambda a: sum(len(m.rules) for p in a.processes for m in p.modes),
    "global pointers": lambda a: _of(a.variables, False, True),
    "global discrete": lambda a: _of(a.variables, False, False),
    "local pointers": lambda a: _of(a.variables, True, True),
    "local discrete": lambda a: _of(a.variables, True, False),
}


def _size(name: str, what: str) -> Measure:
    def run(limit: float) -> Measured:
        path = example(f"pointer/{name}.ptr")
        automaton = Parser(tokenize(path.read_text(), str(path)), str(path)).parse()
        return Measured(COUNTS[what](automaton), None)

    return run


def _size_runs() -> tuple[TableRun, ...]:
    return tuple(
        TableRun(name, what, figure, None, _size(name, what), rule=EQUAL)
        for name, figures in SIZES.items()
        for what, figure in zip(COUNTS, figures, strict=True)
    )


# Tables 2 to 7, CPU seconds for 3, 4, ... processes: Red with -fSp, Murphi and SMC each with their best option.
TIMES: dict[str, tuple[str, list[float], list[float], list[float]]] = {
    "mcs": ("MCS lock (Table 2)", [0.30, 2.14, 11.41, 64.43, 461.71, 2933.40, 15137.08, 71676.51],
            [2.77, 25.30], [596.4]),
    "leader": ("Leader election (Table 3)", [0.01, 0.01, 0.02, 0.01, 0.02, 0.02, 0.04, 0.05],
               [2.68, 2.37, 2.49, 3.57, 41.86], [0.2, 0.2, 0.3, 0.7, 4.8, 62.7, 591.0]),
    "cycle": ("Doubly linked cycle (Table 4)", [0.03, 0.11, 0.30, 0.66, 1.42, 2.80, 5.20, 9.23],
              [2.53, 2.60, 2.37, 2.37, 3.22, 11.97], []),
    "bounded_buffer": ("Bounded buffer (Table 5)",
                       [1.84, 6.93, 26.48, 65.62, 254.07, 417.63, 1059.98, 1538.85, 3151.59, 4321.84, 7777.07],
                       [3.09, 3.00, 3.32, 5.53, 20.02, 140.57], [0, 2, 18, 201]),
    "readers_writers": ("Readers and writers (Table 6)",
                        [1.25, 2.90, 23.73, 42.71, 276.57, 440.48, 1898.16, 2547.08, 7696.00, 9732.03, 23941.32],
                        [3.20, 2.96, 3.57, 5.17, 42.17, 274.04], [0, 1, 26, 219]),
    "critical_region": ("Conditional critical region (Table 7)", [40.14, 751.14, 5428.41, 23197.71, 75229.25],
                        [3.97, 6.75, 46.00], []),
}  # fmt: skip
# Red with -f, without symmetry and without elimination of inactive variables: seconds until it ran out of memory.
PLAIN: dict[str, list[float]] = {
    "mcs": [3.37, 47.77, 1095.77, 16393.27], "leader": [0.04, 0.06, 0.22, 1.20, 10.11, 94.60, 1055.34],
    "cycle": [0.07, 0.26, 0.91, 5.00, 56.79],
    "bounded_buffer": [4.22, 31.15, 246.43, 1451.21, 5622.91, 19924.80, 68785.24],
    "readers_writers": [3.99, 15.11, 250.41, 1034.94, 8187.32, 21179.90, 106175.88],
    "critical_region": [142.34, 4640.21, 66400.22],
}  # fmt: skip
# Kilobytes: Red with -fSp, and with -f (none in two of the tables).
MEMORY: dict[str, tuple[list[float], list[float]]] = {
    "mcs": ([25, 68, 168, 460, 1311, 3894, 11107, 31226], [121, 504, 3937, 28995]),
    "leader": ([7, 13, 23, 36, 54, 77, 108, 145], [15, 51, 192, 803, 4022, 20785, 110974]),
    "cycle": ([66, 200, 471, 953, 1746, 2983, 4861, 7634], [51, 213, 948, 4996, 30712]),
    "bounded_buffer": ([121, 210, 391, 622, 1018, 1195, 1750, 1939, 2688, 2918, 3884], []),
    "readers_writers": ([220, 244, 321, 415, 896, 996, 2000, 2119, 3898, 4037, 6962], []),
    "critical_region": ([10224, 11065, 11941, 12833, 15618], [10224, 11065, 63655]),
}  # fmt: skip
# From how many processes on a search takes long here: explicit, symbolic.
LONG: dict[str, tuple[int, int]] = {
    "mcs": (9, 7), "leader": (99, 99), "cycle": (10, 99), "bounded_buffer": (9, 7), "readers_writers": (9, 8),
    "critical_region": (6, 4),
}  # fmt: skip

MOST_PLAIN = 5  # processes without any reduction


def _engine(name: str, processes: int, chosen: str, **options: str) -> Measure:
    def run(limit: float) -> Measured:
        if chosen == "symbolic" and find_spec("oxidd") is None:
            return Measured(None, None, False, "needs pip install 'isospin[symbolic]'")
        model = pipeline.load(example(f"pointer/{name}.ptr"), processes=processes)
        verdict = pipeline.check(model, pipeline.options(engine=chosen, max_time=limit, **options))
        return measured(verdict, verdict.states)

    return run


def _at(figures: list[float], i: int) -> float | None:
    return figures[i] if i < len(figures) else None


def _gave_up(figures: list[float], i: int) -> str:
    return "" if i < len(figures) else "gave up"


def _time_runs(name: str) -> tuple[TableRun, ...]:
    """The rows of one benchmark: for each number of processes every tool that the paper has."""
    _, red, murphi, smc = TIMES[name]
    explicit, symbolic = LONG[name]
    folded, plain = MEMORY[name]
    found = []
    for i, seconds in enumerate(red):
        n = FIRST + i
        whole = _engine(name, n, "symbolic", symmetry="none", optimise="none")
        gasr = _engine(name, n, "symbolic", symmetry="gasr")
        symbols = {
            "symbolic / Red -fSp": (_engine(name, n, "symbolic"), seconds, n >= symbolic, folded),
            "symbolic, gasr / Red -fSp": (gasr, seconds, n >= symbolic, folded),
            "symbolic, no reduction / Red -f": (whole, _at(PLAIN[name], i), n >= min(symbolic, MOST_PLAIN), plain),
        }
        found.append(TableRun(str(n), "explicit / Murphi", None, _at(murphi, i), _engine(name, n, "explicit"),
                              n >= explicit, _gave_up(murphi, i)))  # fmt: skip
        found += [TableRun(str(n), method, None, spent, measure, long, "" if spent is not None else "out of memory",
                           paper_memory=_at(memory, i))
                  for method, (measure, spent, long, memory) in symbols.items()]  # fmt: skip
        if i < len(smc):
            found.append(TableRun(str(n), "- / SMC", None, smc[i]))
    return tuple(found)


NOTE = (
    "seconds of different machines: compare how they grow; the states are ours (symbolic: not canonical); the paper's "
    "memory is that of the diagrams, ours all that the search used; SMC and Murphi each with its best option"
)
TABLES = (
    Table("red-sizes", "Sizes of the six benchmarks (Table 1)", PAPER, "number",
          "our models are written after the paper's description", _size_runs()),
    *(Table(f"red-{name.replace('_', '-')}", title, PAPER, "states", NOTE, _time_runs(name))
      for name, (title, *_) in TIMES.items()),
)  # fmt: skip
