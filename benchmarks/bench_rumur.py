"""Rumur, the successor of Murphi, beside our explicit engine: the same model written for both, CPU time of the search.

Both have Peterson's protocol with the same atomic steps, so both must store the same states (ours has one more: the
initial state before the processes are started).  Rumur folds scalarsets by its default heuristic.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

from isospin import pipeline

MURPHI = """const N: {n};
type
  pid: scalarset(N);
  place: enum {{ start, raise, take, wait, leave, rest }};
var
  pc: array[pid] of place;
  flag: array[pid] of 0 .. N;
  turn: array[1 .. N] of pid;
  k: array[pid] of 0 .. N;
  inside: 0 .. N;
startstate begin
  for p: pid do pc[p] := start; flag[p] := 0; k[p] := 0; end;
  inside := 0;
end;
ruleset p: pid do
  rule pc[p] = start ==> begin k[p] := 1; pc[p] := raise; end;
  rule pc[p] = raise & k[p] < N ==> begin flag[p] := k[p]; pc[p] := take; end;
  rule pc[p] = raise & k[p] = N ==> begin inside := inside + 1; assert inside = 1; k[p] := 0; pc[p] := leave; end;
  rule pc[p] = take ==> begin turn[k[p]] := p; pc[p] := wait; end;
  rule pc[p] = wait & (turn[k[p]] != p | forall q: pid do q = p | flag[q] < k[p] end) ==>
  begin k[p] := k[p] + 1; pc[p] := raise; end;
  rule pc[p] = leave ==> begin inside := inside - 1; pc[p] := rest; end;
  rule pc[p] = rest ==> begin flag[p] := 0; pc[p] := start; end;
end;
"""
PROMELA = """byte flag[{size}]; pid turn[{size}]; byte inside;
proctype user() {{
    byte k;
    do
    :: k = 1;
       do
       :: atomic {{ k < {n} -> flag[_pid] = k }};
          turn[k] = _pid;
          atomic {{ (turn[k] != _pid || ({free})) -> k++ }}
       :: atomic {{ k == {n} -> inside++; assert(inside == 1); k = 0 }}; break
       od;
       inside--;
       flag[_pid] = 0
    od
}}
init {{ atomic {{ {runs} }} }}
"""
COMPILE = ("-O3", "-march=native", "-mcx16", "-w", "-pthread")
MOST_SECONDS = 120


def promela(n: int) -> str:
    free = " && ".join(f"(_pid == {i} || flag[{i}] < k)" for i in range(1, n + 1))
    return PROMELA.format(n=n, size=n + 1, free=free, runs=" ".join(["run user();"] * n))


def spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def rumur(n: int, symmetry: str) -> tuple[int, float] | None:
    """States and CPU seconds; None if it takes too long."""
    with tempfile.TemporaryDirectory() as place:
        Path(place, "model.m").write_text(MURPHI.format(n=n))
        make = ["rumur", f"--symmetry-reduction={symmetry}", "--threads", "1", "-o", "model.c", "model.m"]
        subprocess.run(make, cwd=place, check=True, capture_output=True)
        subprocess.run(["gcc", *COMPILE, "model.c", "-o", "model", "-latomic"], cwd=place, check=True)
        begin = spent()
        try:
            done = subprocess.run(["./model"], cwd=place, capture_output=True, text=True, timeout=MOST_SECONDS,
                                  check=True)  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
        found = re.search(r"(\d+) states, \d+ rules fired", done.stdout)
        assert found is not None
        return int(found[1]), spent() - begin


def ours(n: int, symmetry: str) -> tuple[int, float]:
    chosen = pipeline.options(symmetry=symmetry, por="off", optimise="spin")
    verdict = pipeline.check(pipeline.load(promela(n)), chosen)
    assert verdict.outcome == "holds"
    return verdict.states - 1, verdict.statistics.cpu_seconds


def run() -> None:
    if shutil.which("rumur") is None:
        print("rumur is not installed (apt-get install rumur)")
        return
    for n, theirs, strategy in ((5, "off", "none"), (5, "heuristic", "exact"), (6, "heuristic", "exact"),
                                (7, "heuristic", "exact"), (8, "heuristic", "exact")):  # fmt: skip
        states, seconds = ours(n, strategy)
        other = rumur(n, theirs)
        if other is None:
            their = f"not done after {MOST_SECONDS} s"
        else:
            assert other[0] == states, (other, states)
            their = f"{other[1]:.2f} s, {other[1] / seconds:.0f}x"
        print(f"Peterson-{n} {strategy:6} {states:>8} states: ours {seconds:.3f} s, rumur {their}", flush=True)
