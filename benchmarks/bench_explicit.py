"""The explicit engine against SPIN's verifier: same states, CPU time of the search, side by side in one run."""

from __future__ import annotations

import csv
import math
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from isospin.core.model import Model
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore
from isospin.experiments.peterson import peterson
from isospin.front.promela.load import load, load_text
from isospin.transform.optimise import optimise

EXAMPLES = Path("/usr/share/doc/spin/examples/Examples")
RECORDED = Path(__file__).parent.parent / "tests" / "data" / "recorded" / "spin-examples.csv"
SHORT, REPEAT = 5.0, 4  # seconds; how often a shorter run is repeated
LARGE = 50_000  # states: smaller examples say nothing about speed
SMALL_MODEL = "byte x; active [2] proctype p() { do :: x < 9 -> x++ :: x > 0 -> x-- od }"


@dataclass
class Pan:
    states: int
    transitions: int
    cpu: float
    memory: float  # bytes
    collapsed: float = 0.0  # bytes with -DCOLLAPSE


def child_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def pan(source: Path, place: Path, options: tuple[str, ...] = (), seconds: int = 120) -> Pan | None:
    """SPIN's verifier without partial-order reduction; None if it does not finish."""
    done = subprocess.run(["spin", *options, "-a", str(source)], cwd=place, capture_output=True, check=False)
    if done.returncode or not compiled(place, "pan"):
        return None
    # A deeper stack costs pan time before it starts, so it gets the smallest that is enough.
    for limit in (10_000, 100_000, 3_000_000, 40_000_000):
        if limit < 40_000_000 and too_deep(place, limit):
            continue
        before = child_cpu()
        command = ["./pan", f"-m{limit}", "-c0"]
        try:
            run = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return None
        if "depth too small" not in run.stdout:
            found = report(run.stdout, best_of(command, place, child_cpu() - before))
            return found and replace(found, collapsed=collapsed(place, limit, seconds))
    return None


def compiled(place: Path, name: str, *more: str) -> bool:
    flags = ["-O2", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DMEMLIM=6000", *more, "-w", "-o", name]
    return subprocess.run(["gcc", *flags, "pan.c"], cwd=place, capture_output=True, check=False).returncode == 0


def collapsed(place: Path, limit: int, seconds: int) -> float:
    """The memory for states of SPIN's own compression; 0 if that does not finish."""
    if not compiled(place, "collapsed", "-DCOLLAPSE"):
        return 0.0
    command = ["./collapsed", f"-m{limit}", "-c0"]
    try:
        run = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=3 * seconds, check=False)
    except subprocess.TimeoutExpired:
        return 0.0
    found = report(run.stdout, 0.0)
    return found.memory if found else 0.0


def best_of(command: list[str], place: Path, cpu: float) -> float:
    """Short runs are noisy: both sides get the best of several."""
    for _ in range(REPEAT if cpu < SHORT else 0):
        before = child_cpu()
        subprocess.run(command, cwd=place, capture_output=True, check=False)
        cpu = min(cpu, child_cpu() - before)
    return cpu


def too_deep(place: Path, limit: int) -> bool:
    """Does pan reach this depth?  With -b it says so at once."""
    probe = subprocess.run(["./pan", f"-m{limit}", "-b"], cwd=place, capture_output=True, text=True, check=False)
    return "depth limit reached" in probe.stdout or "depth too small" in probe.stdout


def report(text: str, cpu: float) -> Pan | None:
    stored = re.search(r"(\d+) states, stored", text)
    moves = re.search(r"(\S+) transitions \(=", text)
    memory = re.search(r"([\d.]+)\s+actual memory usage for states", text)
    if stored is None or moves is None:
        return None
    return Pan(int(stored[1]), round(float(moves[1])), cpu, float(memory[1]) * 2**20 if memory else 0.0)


def ours(model: Model, search: str, threads: int = 1) -> Exploration:
    question = Question(search=search, threads=threads, all_errors=True)
    explore(model, Question(max_states=1))  # compiled before the clock starts, as pan is
    best = explore(model, question)
    for _ in range(REPEAT if best.cpu_seconds < SHORT else 0):
        best = min(best, explore(model, question), key=lambda e: e.cpu_seconds)
    return best


def compare(name: str, model: Model, other: Pan | None) -> float | None:
    """One line of the table; the ratio for breadth-first search."""
    bfs, dfs = ours(model, "bfs"), ours(model, "dfs")
    size = f"{bfs.bytes_per_state:6.1f}" if bfs.bytes_per_state else "     -"
    line = f"{name:32} {bfs.states:>11} {bfs.transitions:>12} {bfs.cpu_seconds:8.2f} {dfs.cpu_seconds:8.2f} {size}"
    if other is None:
        print(f"{line}   pan did not finish")
        return None
    # pan rounds large counts of transitions: 2.6877257e+08
    same = other.states == bfs.states and math.isclose(other.transitions, bfs.transitions, rel_tol=1e-6)
    ratios = other.cpu / max(bfs.cpu_seconds, 1e-3), other.cpu / max(dfs.cpu_seconds, 1e-3)
    note = "" if same else f"   pan: {other.states} states, {other.transitions} transitions"
    plain, packed = other.memory / max(other.states, 1), other.collapsed / max(other.states, 1)
    sizes = f"{plain:6.1f} {packed:8.1f}"
    print(f"{line} {other.cpu:8.2f} {sizes} {ratios[0]:6.1f}x {ratios[1]:6.1f}x{note}", flush=True)
    return ratios[0] if same else None


def heading() -> None:
    print(f"{'model':32} {'states':>11} {'transitions':>12} {'bfs s':>8} {'dfs s':>8} {'B/st':>6}", end="")
    print(f" {'pan s':>8} {'B/st':>6} {'COLLAPSE':>8} {'bfs':>7} {'dfs':>7}")


def small_model(place: Path) -> None:
    """From the command to the verdict."""
    source = place / "small.pml"
    source.write_text(SMALL_MODEL + f"\n/* {time.time()} */\n")
    begin = time.perf_counter()
    pan(source, place)
    middle = time.perf_counter()
    explore(load_text(SMALL_MODEL.replace("x", f"x{time.time_ns()}"), "small"), Question())
    end = time.perf_counter()
    print(f"small model, command to verdict: ours {end - middle:.2f} s, spin + gcc + pan {middle - begin:.2f} s")


def run(rows: Sequence[str] = ()) -> None:
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        print("spin or gcc is not here")
        return
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        if not rows:
            small_model(place)
        heading()
        for n in (n for n in (4, 5, 6) if wanted(f"Peterson-{n}", rows)):
            source = place / "peterson.pml"
            source.write_text(peterson(n))
            other = pan(source, place, seconds=600)
            compare(f"Peterson-{n}, level spin", optimise(load(source), "spin"), other)
        large = [r["file"] for r in csv.DictReader(RECORDED.open()) if is_large(r)]
        sources = [EXAMPLES / file for file in large if wanted(file, rows)]
        ratios = [r for source in sources if source.exists() and (r := example(source, place)) is not None]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"geometric mean over {len(ratios)} examples with more than {LARGE} states, by BFS: {mean:.1f}x")


def wanted(name: str, rows: Sequence[str]) -> bool:
    return not rows or any(row in name for row in rows)


def is_large(row: dict[str, str]) -> bool:
    return row["plain_status"] == "complete" and int(row["states_plain_noclaim"]) > LARGE


def example(source: Path, place: Path) -> float | None:
    """One of SPIN's examples at level none, if pan finishes it."""
    other = pan(source, place, ("-o1", "-o2", "-o3"), seconds=60)
    if other is None:
        return None
    return compare(f"{source.parent.name}/{source.name}", load(source), other)
