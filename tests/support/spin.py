"""Run SPIN, the reference that our own reading of Promela is compared with.

SPIN is asked for the *plain* semantics: no statement merging, no dead-variable reset, no partial-order
reduction, every state, past every error.  Its `pan` exits with 0 even after an error, so everything is
read from its report.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PLAIN = ("-o1", "-o2", "-o3", "-a")
_MAX_DEPTH = 100000
_UNFINISHED = ("max search depth too small", "Search not completed", "out of memory")


class SpinError(Exception):
    """SPIN, the C compiler or the verifier failed; the message carries what it said."""


class CutOff(SpinError):
    """The verifier stopped at its depth limit."""


@dataclass(frozen=True)
class SpinRun:
    """What one exhaustive run of `pan` reported."""

    states: int
    transitions: int
    errors: int
    kinds: tuple[str, ...]
    complete: bool


def available() -> bool:
    """Tests that need SPIN skip themselves on machines without it or without a compiler."""
    return shutil.which("spin") is not None and shutil.which("gcc") is not None


def plain_run(
    path: Path, claim: bool = False, defines: Sequence[str] = (), timeout: float = 120.0
) -> SpinRun:
    """Explore the model without any reduction; the never claim takes part only if `claim` says so.

    `defines` are preprocessor definitions such as `N=3`.  The verifier is compiled without optimisation,
    since compiling takes longer than running a small model.
    """
    with tempfile.TemporaryDirectory(prefix="spin-") as folder:
        work = Path(folder)
        options = [f"-D{define}" for define in defines]
        _run(["spin", *options, *_PLAIN, str(path.resolve())], work, timeout)
        claims = [] if claim else ["-DNOCLAIM"]
        compiler = ["gcc", "-O0", "-w", "-DSAFETY", "-DNOREDUCE", *claims, "-o", "pan", "pan.c"]
        _run(compiler, work, timeout)
        return parse_report(_run([str(work / "pan"), "-c0", f"-m{_MAX_DEPTH}"], work, timeout))


def violates(path: Path, fair: bool = False, non_progress: bool = False, timeout: float = 120.0) -> bool:
    """Does SPIN find that the claim or the accept labels of the model are violated, or a non-progress cycle?

    The verifiers are compiled once for each model, and kept in the folder of the model.
    """
    program = path.parent / (path.stem + ("-np" if non_progress else "-a"))
    if not program.exists():
        with tempfile.TemporaryDirectory(prefix="spin-") as folder:
            work = Path(folder)
            _run(["spin", *_PLAIN, str(path.resolve())], work, timeout)
            mode = ["-DNP"] if non_progress else []
            _run(["gcc", "-O0", "-w", "-DNOREDUCE", *mode, "-o", str(program.resolve()), "pan.c"], work, timeout)
    arguments = ["-l" if non_progress else "-a", *(["-f"] if fair else []), f"-m{_MAX_DEPTH}"]
    with tempfile.TemporaryDirectory(prefix="spin-") as folder:
        report = _run([str(program.resolve()), *arguments], Path(folder), timeout)
    if "max search depth too small" in report:
        raise CutOff("the search was cut off")
    return _number(r"errors: (\d+)", report) > 0


def parse_report(report: str) -> SpinRun:
    """Read the counts from a report; a report without them is a failure, never a count of zero."""
    return SpinRun(
        states=_number(r"(\d+) states, stored", report),
        transitions=_number(r"(\d+) transitions \(=", report),
        errors=_number(r"errors: (\d+)", report),
        kinds=_kinds(report),
        complete=not any(sign in report for sign in _UNFINISHED),
    )


def _run(command: Sequence[str], work: Path, timeout: float) -> str:
    """Run one tool in the scratch folder and return all that it printed.

    The exit status decides: SPIN says `Error: dubious use of 'else'` and goes on.
    """
    try:
        done = subprocess.run(
            command, cwd=work, timeout=timeout, text=True, errors="replace", check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise SpinError(f"{' '.join(command)}: {problem}") from problem
    if done.returncode != 0:
        raise SpinError(f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}")
    return done.stdout


def _number(pattern: str, report: str) -> int:
    """The last match counts: what the model prints comes before the report."""
    found = re.findall(pattern, report)
    if not found:
        raise SpinError(f"no '{pattern}' in the verifier's report:\n{report}")
    return int(found[-1])


def _kinds(report: str) -> tuple[str, ...]:
    """The distinct kinds of error, without the expression and the depth that SPIN adds to them."""
    messages = re.findall(r"^pan:\d+: (.*) \(at depth -?\d+\)$", report, re.MULTILINE)
    return tuple(sorted({re.sub(r" [(\[].*|(?<=assertion violated).*", "", message) for message in messages}))
