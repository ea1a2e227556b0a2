"""Stateless search: VeriSoft's Table 1 and the numbers of Mazurkiewicz traces, what is known beside ours.

Everything runs on the model host (examples/stateless); the figures are counts, and CPU seconds where they matter.
"""

from __future__ import annotations

from tests.support.stateless_tables import TRACES, VERISOFT, state_space
from tests.support.stateless_tables import run as search

PATIENCE = 6000  # traces of a row that is run with all three searches


def verisoft() -> None:
    print("VeriSoft's Table 1, transitions: the paper's / ours (philosophers of Figure 2)")
    line = "{:>2} {:>13} {:>19} {:>19} {:>19}"
    print(line.format("N", "state space", "stateless", "persistent, sleep", "with rotations"))
    for n, (space, plain, (persistent, _), (symmetric, _)) in VERISOFT.items():
        ours = search("verisoft", n, "dfs").transitions if plain else "-"
        cells = [
            f"{space} / {state_space('verisoft', n)}", f"{plain or '?'} / {ours}",
            f"{persistent} / {search('verisoft', n, 'persistent').transitions}",
            f"{symmetric} / {search('verisoft', n, 'persistent', 'declared', 'rotate').transitions}",
        ]  # fmt: skip
        print(line.format(n, *cells), flush=True)


def all_traces() -> None:
    print("\nExecutions: known traces, ours; known bound up to symmetry, ours (executions per CPU second)")
    line = "{:22} {:>7} {:>9} {:>16} {:>9} {:>12} {:>8}"
    print(line.format("program", "traces", "optimal", "dpor + blocked", "symmetric", "with symm.", "per s"))
    for name, sizes in TRACES.items():
        for n, (traces, orbits) in sizes.items():
            symmetric = search(name, n, "dpor", "discovered").statistics
            if traces > PATIENCE:
                print(
                    line.format(f"{name} {n}", traces, "-", "-", orbits or "", symmetric.executions or 0, ""),
                    flush=True,
                )
                continue
            optimal, dpor = search(name, n, "optimal").statistics, search(name, n, "dpor").statistics
            assert (optimal.executions or 0) <= traces == dpor.executions, name
            rate = f"{(optimal.executions or 0) / max(optimal.cpu_seconds, 1e-6):.0f}"
            both = f"{dpor.executions} + {dpor.blocked}"
            cells = (traces, optimal.executions, both, orbits or "", symmetric.executions, rate)
            print(line.format(f"{name} {n}", *cells), flush=True)


def run() -> None:
    verisoft()
    all_traces()
