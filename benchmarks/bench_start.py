"""From the command to the verdict: what people wait for when they edit and check, and edit and check again.

Each command is a process of its own.  CPU is that of the process and of all that it started and waited for.  `edited`
is the first check of a text in a cache that has the runtime and nothing of that text; `warm` is the same check again.
Beside it what SPIN needs: `spin -a`, the C compiler, and the verifier.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
EXAMPLES, CORPUS = ROOT / "examples", ROOT / "tests" / "data" / "corpus"
SPIN = Path("/usr/share/doc/spin/examples/Examples")
RECORDED = ROOT / "tests" / "data" / "recorded" / "spin-examples.csv"
DEMO = (EXAMPLES / "symmetry" / "families.pml", EXAMPLES / "philosophers.pml")
OF_CORPUS = 50
SMALL = 2_000  # states: larger examples of SPIN's are no small ones
SIX = """import threading

done = []

def work(name):
    done.append(name)

threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "bb", "ccc")]
for t in threads: t.start()
for t in threads: t.join()
assert len(done) == 3 or done[0] == "a"
"""
LARGE = "byte x, y; active [2] proctype P() { do :: x < 99 -> x++ :: y < 99 -> y++ :: else -> break od }"
HUNDRED = """
import isospin

TEXT = "byte x; active [2] proctype P() {{ do :: x < {0} -> x = x + {1} :: else -> break od; assert(x >= {0}) }}"
for most in range(11, 21):
    for step in range(1, 11):
        assert isospin.check(TEXT.format(most, step))
"""


class Spent(NamedTuple):
    """Seconds."""

    cpu: float
    wall: float


class Row(NamedTuple):
    """What one model took, edited and warm, and what it takes with SPIN."""

    name: str
    edited: Spent
    warm: Spent
    spin: Spent | None


def spend(command: Iterable[str], surroundings: Mapping[str, str], place: Path | None = None) -> Spent:
    """Run a command to its end."""
    begin = time.perf_counter()
    nowhere = subprocess.DEVNULL
    child = subprocess.Popen([*command], env=surroundings, cwd=place, stdout=nowhere, stderr=nowhere)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in (0, 1, 3), (command, child.returncode)
    return Spent(usage.ru_utime + usage.ru_stime, time.perf_counter() - begin)


def check(file: Path, surroundings: Mapping[str, str]) -> Spent:
    return spend((sys.executable, "-m", "isospin", "check", str(file)), surroundings)


def models() -> list[Path]:
    """The two of `make demo`, some of the corpus, and the small examples of SPIN, if they are here."""
    corpus = [p for p in sorted(CORPUS.rglob("*.pml")) if "options:" not in p.read_text(encoding="utf-8")]
    every = max(len(corpus) // OF_CORPUS, 1)
    return [*DEMO, *corpus[::every][:OF_CORPUS], *_spins_examples()]


def _spins_examples() -> list[Path]:
    with RECORDED.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["plain_status"] == "complete"]
    small = [SPIN / row["file"] for row in rows if int(row["states_noreduce"] or SMALL + 1) <= SMALL]
    return [path for path in small if path.is_file()]


def by_spin(file: Path, surroundings: Mapping[str, str]) -> Spent | None:
    """`spin -a`, the compiler as SPIN's manual has it, and the verifier; None if one of them refuses."""
    with tempfile.TemporaryDirectory() as place:
        steps = (("spin", "-a", str(file)), ("gcc", "-O2", "-w", "-o", "pan", "pan.c"), ("./pan", "-m100000"))
        spent = []
        for step in steps:
            try:
                spent.append(spend(step, surroundings, Path(place)))
            except (AssertionError, OSError):
                return None
        return Spent(sum(s.cpu for s in spent), sum(s.wall for s in spent))


def measured(file: Path, surroundings: Mapping[str, str]) -> Row:
    edited = check(file, surroundings)
    warm = min(check(file, surroundings) for _ in range(2))
    spin = by_spin(file, surroundings) if shutil.which("spin") else None
    return Row(file.name, edited, warm, spin)


# -------------------------------------------------------------------------------------------------- programs


def compiling(log: Path) -> float:
    """The CPU time of the C compiler, which noted it itself."""
    spent = sum(map(float, log.read_text().split())) if log.is_file() else 0.0
    log.unlink(missing_ok=True)
    return spent


def programs(place: Path, surroundings: dict[str, str]) -> None:
    """A Python program, and a C program before and after an edit, with the compiler's own time apart."""
    python = place / "six.py"
    python.write_text(SIX)
    best = min(check(python, surroundings) for _ in range(3))
    print(f"a Python program with six executions: {best.cpu:.2f} s CPU, {best.wall:.2f} s (at most 0.25)")
    log, compiler = place / "times", place / "gcc"
    timed = f'TIMEFORMAT="%3U %3S"\n{{ time {shutil.which("gcc")} "$@" 2>&3; }} 3>&2 2>>{log}\n'
    compiler.write_text(f"#!/bin/bash\n{timed}")
    compiler.chmod(0o755)
    noted = {**surroundings, "PATH": f"{place}:{surroundings['PATH']}"}
    source = place / "bank.c"
    source.write_text((EXAMPLES / "c" / "bank.c").read_text())
    first = check(source, surroundings)
    print(f"a C program, the first one on a machine: {first.cpu:.2f} s CPU, {first.wall:.2f} s")
    warm = min(check(source, surroundings) for _ in range(3))
    print(f"a C program, warm: {warm.cpu:.2f} s CPU, {warm.wall:.2f} s (at most 0.25)")
    source.write_text(source.read_text() + "int edited;\n")
    edited = check(source, noted)
    own = compiling(log)
    beyond = edited.cpu - own
    print(f"the same, edited: {edited.cpu:.2f} s CPU, of these {own:.2f} the compiler's: {beyond:.2f} (at most 0.4)")


def in_one_process(surroundings: Mapping[str, str]) -> None:
    """A hundred small models, none like the other."""
    spent = spend((sys.executable, "-c", HUNDRED), surroundings)
    print(f"a hundred small models in one process: {spent.cpu:.2f} s CPU, {spent.wall:.2f} s (at most 3)")


def told(rows: list[Row]) -> None:
    print(f"{'':34} {'edited':>14} {'warm':>14} {'SPIN':>14}   (CPU and wall seconds)")
    for row in rows:
        figures = ("" if s is None else f"{s.cpu:6.2f} {s.wall:7.2f}" for s in (row.edited, row.warm, row.spin))
        print(f"{row.name:34} {' '.join(f'{figure:>14}' for figure in figures)}")
    _tell_median("edited (at most 0.5)", [row.edited for row in rows])
    _tell_median("warm (at most 0.25)", [row.warm for row in rows])
    _tell_median("SPIN", [row.spin for row in rows if row.spin is not None])


def _tell_median(name: str, spent: list[Spent]) -> None:
    if spent:
        cpu, wall = median(s.cpu for s in spent), median(s.wall for s in spent)
        print(f"median {name}: {cpu:.2f} s CPU, {wall:.2f} s; {len(spent)} models, the slowest {max(spent).cpu:.2f}")


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        surroundings = {**os.environ, "XDG_CACHE_HOME": str(place / "cache"), "PYTHONDONTWRITEBYTECODE": ""}
        large = place / "large.pml"
        large.write_text(LARGE)
        check(large, surroundings)  # the runtime is compiled, as it is on a machine that is in use
        told([measured(file, surroundings) for file in models()])
        programs(place, surroundings)
        in_one_process(surroundings)
