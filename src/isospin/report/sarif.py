"""A verdict as SARIF 2.1.0, which code hosts and editors show beside the source.

Each violation is a result; its trace is a code flow with a thread flow for each process, and `executionOrder` numbers
the steps over all of them.  What holds makes no result: viewers show every result as a finding.  That a search was not
complete is a notification of the run, and `properties.outcome` of the run has the verdict.

Reference: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, sections 3.14 to 3.38.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ..core.errors import NOWHERE, Location, SourceError
from ..core.trace import Trace, TraceStep
from ..core.verdict import Outcome, Verdict, Violation
from .words import KINDS, cycle_words

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
SOURCE = "source"  # the rule of mistakes in the source


def sarif_document(found: Verdict | SourceError, version: str) -> dict[str, Any]:
    run = _errors_run(found, version) if isinstance(found, SourceError) else _verdict_run(found, version)
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _verdict_run(verdict: Verdict, version: str) -> dict[str, Any]:
    kinds = sorted({v.kind for v in verdict.violations})
    invocation = {
        "executionSuccessful": True,
        "exitCode": verdict.outcome.exit_status,
        "toolExecutionNotifications": _notifications(verdict),
    }
    return {
        "tool": _tool(version, {kind: KINDS.get(kind, kind) for kind in kinds}),
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [_result(v, verdict.file, kinds.index(v.kind)) for v in verdict.violations],
        "properties": {"outcome": verdict.outcome.value, "reason": verdict.reason, "engine": verdict.engine},
    }


def _errors_run(error: SourceError, version: str) -> dict[str, Any]:
    """The source could not be read: each mistake is a result."""
    results = [
        {"ruleId": SOURCE, "ruleIndex": 0, "level": "error", "message": {"text": d.message},
         "locations": [_place(d.location, "")]}
        for d in error.diagnostics
    ]  # fmt: skip
    rules = {SOURCE: "a mistake in the source"}
    invocation = {"executionSuccessful": False, "exitCode": 2}
    return {"tool": _tool(version, rules), "invocations": [invocation], "results": results}


def _tool(version: str, rules: dict[str, str]) -> dict[str, Any]:
    listed = [{"id": name, "shortDescription": {"text": text}} for name, text in rules.items()]
    return {"driver": {"name": "isospin", "version": version, "rules": listed}}


def _notifications(verdict: Verdict) -> list[dict[str, Any]]:
    """Warnings, and why a search was not complete."""
    said: list[dict[str, Any]] = [
        {"level": "warning", "message": {"text": f"{p.name}: no violation found, but incomplete: {p.reason}"}}
        for p in verdict.properties
        if p.outcome is Outcome.INCOMPLETE
    ]
    for warning in verdict.warnings:
        where = {} if warning.location == NOWHERE else {"locations": [_place(warning.location, "")]}
        said.append({"level": "warning", "message": {"text": warning.message}, **where})
    return said


def _result(violation: Violation, file: str, rule: int) -> dict[str, Any]:
    document: dict[str, Any] = {
        "ruleId": violation.kind,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": f"{violation.property}: {violation.message}"},
        "locations": [_place(violation.location, file)],
    }
    if violation.trace.steps:
        document["codeFlows"] = [_code_flow(violation.trace)]
    return document


def _place(location: Location, file: str) -> dict[str, Any]:
    """A location; of what has none (a deadlock of everybody), the file."""
    name = file if location == NOWHERE else location.file
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(name)}}
    if location.line > 0:
        physical["region"] = {"startLine": location.line, "startColumn": max(location.column, 1)}
    return {"physicalLocation": physical}


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


# -------------------------------------------------------------------------------------------------- traces


def _code_flow(trace: Trace) -> dict[str, Any]:
    flows: dict[str, list[dict[str, Any]]] = {}
    for order, step in enumerate(trace.steps):
        flows.setdefault(f"{step.process} {step.pid}", []).append(_flow_location(step, order))
        if step.partner is not None:
            partner = flows.setdefault(f"{step.partner_process} {step.partner}", [])
            partner.append(_partner_location(step, order))
    flow: dict[str, Any] = {"threadFlows": [{"id": name, "locations": places} for name, places in flows.items()]}
    if trace.cycle_start is not None:
        flow["message"] = {"text": cycle_words(trace)}
    return flow


def _flow_location(step: TraceStep, order: int) -> dict[str, Any]:
    """A step; `state` has what it changed."""
    state = {name: {"text": str(new)} for name, (_, new) in step.changes}
    document = {"location": _described_place(step.location, step.statement), "executionOrder": order}
    return {**document, "state": state} if state else document


def _partner_location(step: TraceStep, order: int) -> dict[str, Any]:
    """What the receiver of a rendezvous does in the same step."""
    where = step.location if step.partner_location == NOWHERE else step.partner_location
    return {"location": _described_place(where, step.partner_statement or "receives"), "executionOrder": order}


def _described_place(location: Location, text: str) -> dict[str, Any]:
    return {**_place(location, location.file), "message": {"text": text or "a step"}}
