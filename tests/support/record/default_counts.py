"""Record what SPIN says by default (statement merging, dead variables) about each conformance model, or check it.

The counts go to `data/recorded/promela-default-counts.csv`; SPIN explores every state, past errors, without its
partial-order reduction and without claims.
"""

import argparse
import csv
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support import paths, spin
from tests.support.spin import SpinError, SpinRun

CORPUS = paths.CORPUS / "promela"
COUNTS = paths.RECORDED / "promela-default-counts.csv"


def default_run(path: Path, flags: Sequence[str] = (), timeout: float = 120.0) -> SpinRun:
    """One exhaustive run with SPIN's default optimisations, or with `flags` such as `-o1`."""
    with tempfile.TemporaryDirectory(prefix="spin-") as folder:
        work = Path(folder)
        spin._run(["spin", *flags, "-a", str(path.resolve())], work, timeout)
        compiler = ["gcc", "-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-o", "pan", "pan.c"]
        spin._run(compiler, work, timeout)
        return spin.parse_report(spin._run([str(work / "pan"), "-c0", "-m100000"], work, timeout))


def recorded() -> dict[str, tuple[int, int]]:
    """The recorded states and transitions by model name."""
    with COUNTS.open(newline="") as file:
        return {row["model"]: (int(row["states"]), int(row["transitions"])) for row in csv.DictReader(file)}


def measure(path: Path) -> tuple[int, int] | None:
    try:
        run = default_run(path)
    except SpinError as error:
        print(f"{path.name}: {error}", file=sys.stderr)
        return None
    return (run.states, run.transitions) if run.complete else None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    options = parser.parse_args(arguments)
    counts = {p.stem: found for p in sorted(CORPUS.glob("*.pml")) if (found := measure(p)) is not None}
    if options.check:
        before = recorded()
        different = {n for n in before.keys() | counts.keys() if before.get(n) != counts.get(n)}
        print("\n".join(sorted(different)))
        return 1 if different else 0
    with COUNTS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("model", "states", "transitions"))
        writer.writerows((name, *found) for name, found in sorted(counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
