"""Record SPIN's plain counts for the random models: `python -m tests.support.record.random_models 0 300`."""

import csv
import sys
import tempfile
from pathlib import Path

from tests.support import paths
from tests.support.generators.random_promela import generate
from tests.support.spin import plain_run

RECORDED = paths.RECORDED / "random-models.csv"


def record(first: int, last: int) -> None:
    with tempfile.TemporaryDirectory() as folder, RECORDED.open("w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["seed", "states", "transitions", "errors"])
        for seed in range(first, last):
            path = Path(folder) / f"{seed}.pml"
            path.write_text(generate(seed))
            run = plain_run(path)
            table.writerow([seed, run.states, run.transitions, "yes" if run.errors else "no"])


if __name__ == "__main__":
    record(int(sys.argv[1]), int(sys.argv[2]))
