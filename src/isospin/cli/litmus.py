"""`isospin litmus`: all final states of litmus tests, said as herd says it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..core.errors import UsageError
from ..pipeline.kind_options import from_command
from ..pipeline.kinds import KINDS, kind_of
from ..version import __version__
from .screen import HOLDS, INCOMPLETE, VIOLATED, console, passing_line

if TYPE_CHECKING:
    from ..pipeline.programs.litmus import LitmusAnswer

__all__ = ["run_litmus"]

TITLES = {"exists": "Allowed", "~exists": "Forbidden", "forall": "Required"}


def run_litmus(args: argparse.Namespace) -> int:
    """Each test by itself; the exit status is that of the worst."""
    files, documents, statuses = [args.file, *args.more], list[dict[str, Any]](), list[int]()
    if not_ours := [file for file in files if kind_of(file) is not KINDS["litmus"]]:
        raise UsageError(f"{not_ours[0]} is no litmus test; those end in {' '.join(KINDS['litmus'].endings)}")
    explore = KINDS["litmus"].on_road("explore_states")
    for file in files:
        with passing_line(args) as say:
            say(f"{file} ...")
            answer = explore(file, from_command(KINDS["litmus"], vars(args)))
        statuses.append(_status(answer))
        documents.append(_document(answer))
        if not args.json:
            for line in ("", *_lines(answer))[len(documents) == 1 :]:
                console(args).print(line, soft_wrap=True)
    if args.json:
        print(json.dumps({"schema": 1, "version": __version__, "tests": documents}, indent=1))
    return max(statuses, key=(HOLDS, INCOMPLETE, VIOLATED).index)


def _status(answer: LitmusAnswer) -> int:
    if answer.verdict.violations:
        return VIOLATED
    return {True: HOLDS, False: VIOLATED, None: INCOMPLETE}[answer.is_ok]


def _said(state: dict[str, int]) -> str:
    return " ".join(f"{name}={value};" for name, value in state.items())


def _word(answer: LitmusAnswer) -> str:
    return {True: "Ok", False: "No", None: "Undecided"}[answer.is_ok]


def _observed(answer: LitmusAnswer) -> str:
    if not answer.positive:
        return "Never"
    return "Sometimes" if answer.negative else "Always"


def _lines(answer: LitmusAnswer) -> Iterator[str]:
    """What herd would print."""
    test, verdict = answer.test, answer.verdict
    yield f"Test {test.name} {TITLES[test.quantifier]}"
    yield f"States {len(answer.states)}"
    yield from (_said(state) for state, _ in answer.states)
    yield _word(answer)
    for violation in verdict.violations:
        yield f"Undefined: {violation.kind}: {violation.message} ({violation.location})"
    if verdict.reason:
        yield f"Incomplete: {verdict.reason}"
    yield "Witnesses"
    yield f"Positive: {answer.positive} Negative: {answer.negative}"
    yield f"Condition {test.quantifier} ({test.asked})"
    yield f"Observation {test.name} {_observed(answer)} {answer.positive} {answer.negative}"
    yield f"Time {test.name} {verdict.statistics.seconds:.2f}"


def _document(answer: LitmusAnswer) -> dict[str, Any]:
    test, verdict = answer.test, answer.verdict
    return {
        "name": test.name, "file": test.file, "memory": verdict.memory or None, "quantifier": test.quantifier,
        "condition": test.asked, "ok": answer.is_ok, "observation": _observed(answer),
        "states": [{"state": state, "executions": count} for state, count in answer.states],
        "positive": answer.positive, "negative": answer.negative, "reason": verdict.reason,
        "violations": [{"kind": v.kind, "message": v.message, "location": str(v.location)} for v in verdict.violations],
        "seconds": round(verdict.statistics.seconds, 6),
    }  # fmt: skip
