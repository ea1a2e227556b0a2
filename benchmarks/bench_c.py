"""C programs: how fast executions are, and the tables of the Inspect paper for a file scanner and a downloader.

The two programs (examples/c) were written for this purpose in the style of the paper's; their figures are not to be
compared with the paper's one by one, but show the same things: what symmetry saves, and what it costs.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building.build import build, runtime_library
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.known import Places
from isospin.hosts.c.run import CResult
from isospin.hosts.c.run import run as explore

from .bench_peers import measured

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples" / "c"
THREADS = (3, 4, 5, 6)
PATIENCE = 60.0  # seconds for one row
LEAST_RATIO = 25  # executions per CPU second, reset against fork
LEAST_SAVING = {"scanner": 5, "downloader": 2}  # executions, at 4 threads
MEMORY = ("rc11", "tso", "sc")
LARGER = ("ttaslock", "seqlock", "msqueue", "lamport")
BUGS = {"scanner": ("BUGGY_DEADLOCK", "BUGGY_CLOSE"),
        "downloader": ("BUGGY_RACE", "BUGGY_DEADLOCK", "BUGGY_SPLIT")}  # fmt: skip


def explored(
    source: Path, arguments: tuple[str, ...] = (), flags: tuple[str, ...] = (), symmetric: bool = False,
    fork: bool = False, most: int | None = None, memory: str = "", workers: int = 1,
) -> CResult:  # fmt: skip
    program, symmetry = build([source], flags), "discovered" if symmetric else "none"
    asked = SearchRequest(symmetry=symmetry, max_time=PATIENCE, max_executions=most, workers=workers)
    answers = Places(program, runtime_library(find_compiler())) if symmetric or memory else None
    return explore(program, asked, arguments, fork=fork, answers=answers, options={"memory": memory} if memory else {})


# -------------------------------------------------------------------------------------------------- speed


def speed() -> None:
    print("Executions per CPU second, 3 threads x 4 critical sections, no symmetry")
    source = HERE / "critical_sections.c"
    reset, forked = explored(source), explored(source, fork=True, most=1500)
    assert reset.executions == 34650, reset.executions  # 12! / (4! 4! 4!)
    rates = [result.executions / max(result.cpu_seconds, 1e-9) for result in (reset, forked)]
    print(f"  reset in the process {rates[0]:>9,.0f}   (all {reset.executions:,})")
    print(f"  fork per execution   {rates[1]:>9,.0f}   (the first {forked.executions:,})")
    print(f"  ratio                {rates[0] / rates[1]:>9,.1f}   (at least {LEAST_RATIO})")
    assert rates[0] >= LEAST_RATIO * rates[1]


def several_processes() -> None:
    """What two processes cost in CPU time shows on any machine; what they save only where two cores are free."""
    print("\nTwo processes beside one: the same executions; CPU seconds and seconds of each")
    print(f"  {'search':24} {'executions':>11} {'CPU 1':>7} {'CPU 2':>7} {'s 1':>7} {'s 2':>7} {'faster':>7}")
    for name, source, memory in (
        ("schedules", HERE / "critical_sections.c", ""), ("graphs, sc", HERE / "waiting" / "additions.c", "sc"),
        ("graphs, rc11", HERE / "waiting" / "additions.c", "rc11"),
    ):  # fmt: skip
        one, two = (explored(source, memory=memory, workers=workers) for workers in (1, 2))
        assert (one.executions, one.incomplete) == (two.executions, two.incomplete)
        cells = f"{one.cpu_seconds:7.2f} {two.cpu_seconds:7.2f} {one.seconds:7.2f} {two.seconds:7.2f}"
        print(f"  {name:24} {one.executions:>11,} {cells} {one.seconds / two.seconds:7.2f}", flush=True)


# -------------------------------------------------------------------------------------------------- the paper's tables


def workloads(place: Path, most: int = THREADS[-1]) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """A file to scan, or to be fetched in segments."""
    file = place / "a"
    file.write_text("hay needle hay\na needle\n")
    sizes = [threads for threads in THREADS if threads <= most]
    for threads in sizes:
        yield "scanner", threads, (str(threads), "needle", str(file))
    for threads in sizes:
        yield "downloader", threads, (str(threads), str(file), str(place / "target"))


def count(result: CResult, value: int) -> str:
    return f"{value:,}" if not result.incomplete else f"> {value:,}"


def tables(place: Path) -> None:
    print("\nTable 1: dynamic partial-order reduction without and with symmetry (CPU seconds, executions, transitions)")
    line = "{:12} {:>7} {:>9} {:>9} {:>13} {:>11} {:>14} {:>12} {:>7}"
    heads = ("dpor s", "sym s", "dpor exec", "sym exec", "dpor trans", "sym trans", "saves")
    print(line.format("program", "threads", *heads))
    rows = []
    for name, threads, arguments in workloads(place):
        source = EXAMPLES / f"{name}.c"
        plain, symmetric = explored(source, arguments), explored(source, arguments, symmetric=True)
        rows.append((name, threads, symmetric))
        assert not plain.findings
        assert not symmetric.findings
        saving = plain.executions / symmetric.executions
        print(line.format(
            name, threads, f"{plain.cpu_seconds:.1f}", f"{symmetric.cpu_seconds:.1f}", count(plain, plain.executions),
            count(symmetric, symmetric.executions), count(plain, plain.transitions),
            count(symmetric, symmetric.transitions), f"{'' if not plain.incomplete else '> '}{saving:.0f}x",
        ), flush=True)  # fmt: skip
        assert threads != 4 or saving >= LEAST_SAVING[name], f"{name}: {saving:.1f}x"
    print("\nTable 2: what finding the symmetry costs (seconds of the search, and of comparing threads)")
    line = "{:12} {:>7} {:>11} {:>9} {:>9} {:>11} {:>10}"
    print(line.format("program", "threads", "executions", "total s", "compare s", "comparisons", "successes"))
    for name, threads, result in rows:
        print(line.format(name, threads, f"{result.executions:,}", f"{result.seconds:.2f}",
                          f"{result.check_seconds:.2f}", f"{result.checks:,}", f"{result.successes:,}"))  # fmt: skip


def buggy(place: Path) -> None:
    print("\nThe programs with faults put in: executions until it is found, without and with symmetry")
    line = "{:12} {:16} {:>7} {:>10} {:>10}   {}"
    print(line.format("program", "fault", "threads", "dpor", "symmetric", "found"))
    for name, threads, arguments in workloads(place, most=4):
        for bug in BUGS[name]:
            results = [explored(EXAMPLES / f"{name}.c", arguments, (f"-D{bug}",), each) for each in (False, True)]
            kinds = {finding.found.kind for result in results for finding in result.findings}
            cells = [f"{result.executions:,}" for result in results]
            print(line.format(name, bug, threads, *cells, ", ".join(sorted(kinds))), flush=True)
            assert all(result.findings for result in results)
            assert len(kinds) == 1


# -------------------------------------------------------------------------------------------------- memory models


def weak_orders() -> None:
    """Structures without locks, as they are right; GenMC in the same run, where it is on the path."""
    print("\nStructures without locks (examples/c/weak, waiting): executions, and executions a CPU second; no symmetry")
    line = "{:20}" + " {:>22}" * (len(MEMORY) + 1)
    print(line.format("program", *MEMORY, "genmc --rc11" if shutil.which("genmc") else ""))
    for source in [*sorted((EXAMPLES / "weak").glob("*.c")), *(HERE / "waiting" / f"{name}.c" for name in LARGER)]:
        results = [explored(source, memory=model) for model in MEMORY]
        assert not results[0].findings, source  # under rc11, for which they were written
        cells = [f"{count(r, r.executions)}, {r.executions / max(r.cpu_seconds, 1e-9):,.0f}/s" for r in results]
        print(line.format(source.stem, *cells, _genmc(source)), flush=True)


def _genmc(source: Path) -> str:
    """Executions, and executions a CPU second, start-up included."""
    if shutil.which("genmc") is None:
        return ""
    told, seconds = measured(["genmc", "--rc11", str(source)], _complete)
    return f"{told}, {int(told) / max(seconds, 1e-9):,.0f}/s" if told.isdigit() else told


def _complete(text: str) -> str:
    found = re.search(r"complete executions explored: (\d+)", text)
    return found[1] if found else "?"


def run() -> None:
    speed()
    several_processes()
    weak_orders()
    with tempfile.TemporaryDirectory() as place:
        tables(Path(place))
        buggy(Path(place))
