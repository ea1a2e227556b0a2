"""One random model with blocks, labels and inlines: what SPIN says about it, and what we say."""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from isospin.core.errors import SourceError
from isospin.core.model import Model
from isospin.core.verdict import Outcome
from isospin.engines.contract import Question
from isospin.engines.interp.search import explore
from isospin.pipeline import Options, check, load
from isospin.transform.optimise import optimise as optimised
from tests.support import spin
from tests.support.generators.random_blocks import generate

MOST_STATES = 5000


@dataclass(frozen=True)
class Said:
    """The counts, plain and as SPIN counts by default, and the verdicts; None where they were not asked for."""

    plain: tuple[int, int, bool]
    default: tuple[int, int] | None = None
    acceptance: bool | None = None
    non_progress: bool | None = None


@dataclass(frozen=True)
class Asked:
    default: bool
    acceptance: bool
    non_progress: bool


class Refused(Exception):
    """The source is not accepted."""


class Aborted(Exception):
    """SPIN's verifier found an error past which it does not go on, such as a rendezvous inside a d_step."""


class TooLarge(Exception):
    """More states, or a deeper search, than this comparison takes."""


def asked(seed: int, text: str) -> Asked:
    return Asked(seed % 4 == 0, "accept_" in text, "progress_" in text and seed % 2 == 0)


# -------------------------------------------------------------------------------------------------- SPIN


def _pan(work: Path, defines: list[str], *options: str) -> str:
    spin._run(["gcc", "-O0", "-w", "-DNOREDUCE", "-DNOCLAIM", *defines, "-o", "pan", "pan.c"], work, 120)
    try:
        report = spin._run([str(work / "pan"), "-m30000", *options], work, 60)
    except spin.SpinError as error:
        raise (Refused(str(error)) if "self-loop" in str(error) else TooLarge) from error
    if "max search depth too small" in report:
        raise TooLarge
    return report


def _cycles(work: Path, defines: list[str], option: str) -> bool:
    """Is there a cycle?  Assertions and invalid end states are not asked for."""
    found = spin.parse_report(_pan(work, defines, option, "-A", "-E", "-c0")).kinds
    return any("cycle" in kind or "stutter" in kind for kind in found)


def _leads_nowhere(table: str) -> bool:
    """Is there a place in SPIN's automata that can be reached, but has no entry of its own?"""
    own, targets, process = set(), set(), ""
    for line in table.partition("/* np_ demon: */")[0].splitlines():
        if head := re.match(r"\s*/\* proctype (\d+): ", line):
            process = head[1]
        if first := re.search(r"trans\[ ?\d+\]\[(\d+)\]\s*= ", line):
            own.add((process, first[1]))
        targets |= {(process, found) for found in re.findall(r"settr\(\d+,\d+,(\d+),", line) if found != "0"}
    return not targets <= own


def spin_says(path: Path, what: Asked) -> Said:
    with tempfile.TemporaryDirectory(prefix="spin-") as folder:
        work = Path(folder)
        try:
            said = spin._run(["spin", "-o1", "-o2", "-o3", "-a", str(path)], work, 60)
        except spin.SpinError as error:
            raise Refused(str(error)) from error
        if "unless in d_step (ignored)" in said or _leads_nowhere((work / "pan.t").read_text()):
            raise Refused(said)  # SPIN forgets the escape, or stays at the start of an unless inside an atomic sequence
        run = spin.parse_report(_pan(work, ["-DSAFETY"], "-c0"))
        if run.states > MOST_STATES:
            raise TooLarge
        if not run.complete:
            raise Aborted
        if any("assertion" in kind for kind in run.kinds):
            what = replace(what, acceptance=False, non_progress=False)  # SPIN's cycles go on past them, ours do not
        cycles = [
            _cycles(work, defines, option) if wanted else None
            for wanted, defines, option in ((what.acceptance, [], "-a"), (what.non_progress, ["-DNP"], "-l"))
        ]
        default = None
        if what.default:
            spin._run(["spin", "-a", str(path)], work, 60)
            if not _leads_nowhere((work / "pan.t").read_text()):  # merging stays there more often
                found = spin.parse_report(_pan(work, ["-DSAFETY"], "-c0"))
                default = (found.states, found.transitions)
        return Said((run.states, run.transitions, run.errors > 0), default, *cycles)


# -------------------------------------------------------------------------------------------------- ours


def _counts(model: Model, level: str) -> tuple[int, int, bool]:
    question = Question(search="bfs", all_errors=True, optimise="none", max_states=2 * MOST_STATES)
    found = explore(optimised(model, level), question)
    if found.incomplete:
        raise TooLarge
    return found.states, found.transitions, bool(found.findings)


def we_say(path: Path, what: Asked) -> Said:
    try:
        model = load(path)
    except SourceError as error:
        raise Refused(str(error)) from error
    plain = _counts(model, "none")
    default = _counts(model, "spin")[:2] if what.default else None

    def violated(ltl: str | None) -> bool:
        plain = Options(engine="interp", optimise="none", por="off", symmetry="none")
        found = check(model, replace(plain, ltl=ltl, non_progress=ltl is None))
        return any("cycle" in v.kind for v in found.violations)

    accepting = any(c.name == "acceptance" for c in model.claims)
    acceptance = (accepting and violated("acceptance")) if what.acceptance else None
    return Said(plain, default, acceptance, violated(None) if what.non_progress else None)


def compare(seed: int, folder: Path) -> str:
    """What came of it; an AssertionError where the two differ."""
    text = generate(seed)
    path = folder / f"{seed}.pml"
    path.write_text(text)
    what = asked(seed, text)
    theirs: Said | None
    try:
        theirs = spin_says(path, what)
    except Refused:
        return "refused"
    except TooLarge:
        return "too large"
    except Aborted:
        theirs = None
    if theirs is None:
        options = Options(engine="interp", no_claim=True, max_states=MOST_STATES)
        verdict = check(load(path), options)
        if verdict.outcome is Outcome.INCOMPLETE:
            return "too large"
        assert verdict.violations, f"seed {seed}: we find no error"
        return "aborted"
    known = (theirs.default, theirs.acceptance, theirs.non_progress)
    try:
        ours = we_say(path, Asked(*(answer is not None for answer in known)))
    except TooLarge:
        return "too large"
    assert ours == theirs, f"seed {seed}: SPIN says {theirs}, we say {ours}"
    return "equal"


def campaign(first: int, wanted: int) -> None:
    """Compare until so many models were equal, and tell the sums."""
    sums: Counter[str] = Counter()
    seed = first
    with tempfile.TemporaryDirectory() as folder:
        while sums["equal"] + sums["different"] < wanted:
            try:
                sums[compare(seed, Path(folder))] += 1
            except (AssertionError, spin.SpinError, Refused, TooLarge) as error:
                sums["different"] += 1
                print(seed, type(error).__name__, re.sub(r"\s+", " ", str(error))[:400], flush=True)
            seed += 1
            if seed % 50 == 0:
                print(seed, dict(sums), flush=True)
    print(f"seeds {first} to {seed - 1}: {dict(sums)}", flush=True)


if __name__ == "__main__":
    campaign(int(sys.argv[1]), int(sys.argv[2]))
