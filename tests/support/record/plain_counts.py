"""Record what SPIN says about each conformance model in the model's first line, or check it (`--check`).

The expectations must come from SPIN itself and not from us, and must be usable where SPIN is missing.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support import paths
from tests.support.spin import SpinError, SpinRun, plain_run

CORPUS = paths.CORPUS / "promela"
EXPECTATION = re.compile(r"/\* expect: .*\*/")
KINDS = {"invalid end state": "deadlock", "assertion violated": "assertion", "event_trace error": "event-trace"}


def expectation(run: SpinRun) -> str:
    """The first line of a model with this outcome."""
    outcome = " ".join(["violated", *(KINDS[kind] for kind in run.kinds)]) if run.errors else "holds"
    return f"/* expect: {outcome}; states: {run.states}; transitions: {run.transitions} */"


def record(path: Path, check: bool) -> str | None:
    """Bring one model up to date, or only compare; returns what is wrong with it."""
    run = plain_run(path)
    if not run.complete:
        return "SPIN's search is not complete"
    text = path.read_text()
    first, _, rest = text.partition("\n")
    line = expectation(run)
    if first == line:
        return None
    if check:
        return f"recorded {first}\n   spin says {line}"
    path.write_text(f"{line}\n{rest if EXPECTATION.fullmatch(first) else text}")
    print(f"{path.name}: {line}")
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Go on past a failing model, so that one run shows them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="models; all of the corpus by default")
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    options = parser.parse_args(arguments)
    failures = 0
    for path in options.files or sorted(CORPUS.glob("*.pml")):
        try:
            problem = record(path, options.check)
        except SpinError as error:
            problem = str(error)
        if problem is not None:
            failures += 1
            print(f"{path.name}: {problem}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
