"""What a failing test leaves behind: its trace, its report, and the one command that runs it again.

A test is more than a file: the trace knows its function, fixtures and parameters, as far as they can be written down.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.cache import temporary_directory
from ...core.errors import UsageError
from ...core.verdict import Verdict
from ...report.document import trace_document
from ...report.html import page
from ...version import __version__
from .cases import Case, Fixture

FOLDER = ".isospin"  # where pytest was started
_PLAIN = ("module", "owner", "name", "wanted", "arguments", "values", "params")


def save_failure(verdict: Verdict, case: Case) -> list[str]:
    """Save trace and report of the first failure; lines that say where, and how it is run again."""
    folder = Path(FOLDER) / _name_of(case)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (Path(FOLDER) / ".gitignore").write_text("*\n")
        (folder / "report.html").write_text(page(verdict, __version__), encoding="utf-8", errors="backslashreplace")
        command = _save_trace(verdict, case, folder / "trace.json")
    except OSError as error:
        return [f"(trace and report could not be saved: {error.strerror}: {error.filename})"]
    return [f"saved {folder / 'report.html'} and trace.json; {command}"]


def _name_of(case: Case) -> str:
    """A folder for each test, and for each of its parameters."""
    given = "-".join(str(v) for v in (*case.values.values(), *case.params.values()))
    words = ".".join(part for part in (Path(case.file).stem, case.owner, case.name, given) if part)
    return re.sub(r"[^\w.-]+", "_", words)[:120]


def _save_trace(verdict: Verdict, case: Case, file: Path) -> str:
    """The trace with the test that it is of; how to run it again."""
    (first, *_) = verdict.violations
    told, why = _written(case), ""
    if told is None:
        why = "its parameters cannot be written down, so only the test itself can be run again"
    host = {**(first.trace.host or {}), **({} if told is None else {"test": told})}
    document = trace_document(replace(first, trace=replace(first.trace, host=host)), verdict.file, (), __version__)
    file.write_text(json.dumps(document, indent=1, default=str) + "\n", encoding="utf-8")
    source = os.path.relpath(case.file)
    return why or f"to run it again:\n  isospin replay {shlex.quote(source)} {shlex.quote(str(file))}"


# ------------------------------------------------------------------------------------------------ tests as data


def _written(case: Case) -> dict[str, Any] | None:
    """The test as JSON; None if a parameter is more than numbers, texts and lists of them."""
    told: dict[str, Any] = {name: getattr(case, name) for name in _PLAIN}
    told = {name: dict(v) if name in ("values", "params") else v for name, v in told.items()}
    told["fixtures"] = {name: [list(f) for f in found] for name, found in case.fixtures.items()}
    told["path"] = [entry for entry in sys.path if entry]
    told["folder"] = case.folder is not None
    try:
        again = json.loads(json.dumps(told))
    except (TypeError, ValueError):
        return None
    return told if (again["values"], again["params"]) == (told["values"], told["params"]) else None


def read_case(told: Any, file: str) -> Case:
    """A test that was written down."""
    try:
        fixtures = {name: [Fixture(n, m, q, tuple(needs)) for n, m, q, needs in found]
                    for name, found in told["fixtures"].items()}  # fmt: skip
        case = Case(
            file, told["module"], told["owner"], told["name"], fixtures, wanted=tuple(told["wanted"]),
            arguments=tuple(told["arguments"]), values=told["values"], params=told["params"],
        )  # fmt: skip
        sys.path += [str(entry) for entry in told["path"] if entry not in sys.path]
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError("this is not a trace of a test that isospin saved") from error
    if told.get("folder"):
        case.folder = Path(tempfile.mkdtemp(dir=temporary_directory())) / "files"
    if "monkeypatch" in case.wanted:
        import pytest  # noqa: F401  (the fixture looks for it)
    return case
