"""A swarm of ours against one of SPIN's, on models with a bug that lies deep: who finds it, and in how much CPU time.

SPIN's swarm is a script of bit-state searches that differ in order, hash function, size and depth (Holzmann, Joshi,
Groce): so is this one.  Compiling counts on both sides.  Both have one processor and the same CPU time.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

MODELS = sorted((Path(__file__).parent / "planted").glob("*.pml"))
SECONDS = 40  # of CPU time, each
KINDS = ("", "-DREVERSE", "-DT_REVERSE", "-DT_RAND -DP_RAND", "-DP_RAND", "-DREVERSE -DT_REVERSE", "-DT_RAND")
SIZES, DEPTHS = (26, 24, 28, 22, 27), (10_000, 1_000_000, 1_000, 100_000)  # bits, and steps


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _timed(search: Callable[[Path], bool], model: Path) -> tuple[bool, float]:
    """Did it find something, and in how much time?"""
    before = _children()
    return search(model), _children() - before


def _run(command: str, place: str, left: float) -> str:
    limited = f"ulimit -t {max(int(left), 1)}; exec {command}"
    return subprocess.run(["sh", "-c", limited], cwd=place, capture_output=True, text=True, check=False).stdout


def _spin(model: Path) -> bool:
    """Searches one after the other, until one of them finds something or the time is over."""
    before = _children()
    with TemporaryDirectory() as place:
        subprocess.run(["spin", "-a", str(model)], cwd=place, capture_output=True, check=True)
        for kind, size, depth, seed in _searches():
            if (left := SECONDS - (_children() - before)) <= 0:
                return False
            name = f"pan{KINDS.index(kind)}"
            if not (Path(place) / name).exists():
                flags = f"-O2 -w -DBITSTATE -DSAFETY {kind}"
                subprocess.run(f"gcc {flags} -o {name} pan.c", shell=True, cwd=place, check=True, capture_output=True)
            seeded = f"-RS{seed}" if "RAND" in kind else ""
            said = _run(f"./{name} -m{depth} -w{size} -k{1 + seed % 4} -h{seed % 100} {seeded}", place, left)
            if "errors: 0" not in said and "errors:" in said:
                return True
    return False


def _searches() -> Iterator[tuple[str, int, int, int]]:
    for i in count(1):
        yield KINDS[i % len(KINDS)], SIZES[i % len(SIZES)], DEPTHS[i % len(DEPTHS)], i


def _ours(model: Path) -> bool:
    """Not for ever where the processor is shared: what counts is CPU time."""
    asked = ["--workers", "1", "--time", str(SECONDS), "--quiet"]
    command = [sys.executable, "-m", "isospin", "swarm", str(model), *asked]
    return subprocess.run(command, capture_output=True, check=False).returncode == 1


def run() -> None:
    if shutil.which("spin") is None:
        print("SPIN is not installed")
        return
    for model in MODELS:
        (mine, my_seconds), (its, its_seconds) = _timed(_ours, model), _timed(_spin, model)
        told = [f"{'found' if found else 'nothing':8} {cpu:6.1f} s CPU"
                for found, cpu in ((mine, my_seconds), (its, its_seconds))]  # fmt: skip
        print(f"  {model.stem:8} isospin {told[0]}   SPIN {told[1]}", flush=True)
