"""Claims in the compiled engine against `pan -a`, both without partial orders: CPU time of the search, side by side."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from benchmarks.bench_explicit import EXAMPLES, child_cpu
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore
from isospin.pipeline import load
from isospin.pipeline.models.claims import claim_level
from isospin.transform.optimise import optimise

ROUNDS = 3


def pan_time(place: Path, claim: str, size: tuple[str, ...]) -> float:
    before = child_cpu()
    command = ["./pan", "-a", *size, "-N", claim]
    subprocess.run(command, cwd=place, capture_output=True, check=False, timeout=300)
    return child_cpu() - before


def build_pan(source: Path, place: Path) -> None:
    subprocess.run(["spin", "-a", str(source)], cwd=place, capture_output=True, check=True)
    flags = ["-O2", "-DNOREDUCE", "-DMEMLIM=6000", "-w"]
    subprocess.run(["gcc", *flags, "-o", "pan", "pan.c"], cwd=place, capture_output=True, check=True)


def ours(source: Path, name: str) -> Exploration:
    model = load(source)
    claim = next(c for c in model.claims if c.name == name)
    searched = optimise(model, claim_level(claim, "spin"))
    return explore(searched, Question(search="dfs"), claim=claim)


def compare(source: Path, name: str, size: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        build_pan(source, place)
        times: list[tuple[float, float]] = []
        for _ in range(ROUNDS):
            found = ours(source, name)
            times.append((found.cpu_seconds, pan_time(place, name, size)))
    mine, theirs = min(t for t, _ in times), min(t for _, t in times)
    verdict = "violated" if found.findings else found.incomplete or "holds"
    print(f"{source.name:22} {name:8} {verdict:9} {found.states:9} states  {mine:6.2f} s, pan -a {theirs:6.2f} s: "
          f"{theirs / mine:.1f}x", flush=True)  # fmt: skip


def run() -> None:
    large, medium = ("-m5000000", "-w24"), ("-m100000", "-w18")  # larger tables cost pan time that it does not need
    for name, claim, size in (
        ("mobile1.pml", "ltl_0", medium),
        ("train.pml", "c1", medium),
        *(("leader.pml", f"p{i}", large) for i in range(4)),
    ):
        compare(EXAMPLES / "LTL" / name, claim, size)


if __name__ == "__main__":
    run()
