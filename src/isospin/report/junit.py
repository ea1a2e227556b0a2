"""A verdict as JUnit XML, which continuous integration shows as tests: one case for each property.

A violated property is a failure with its trace.  A property that was not checked to the end is an *error*, not
skipped and not passed: a verdict never defaults to success.

Reference: there is no standard; this is what Jenkins' schema (junit-10.xsd of its xunit plugin) and pytest agree on.
"""

from __future__ import annotations

import re
from io import StringIO
from xml.etree import ElementTree

from ..core.errors import SourceError
from ..core.verdict import Outcome, PropertyResult, Verdict, Violation
from .ink import Console
from .terminal import show_violation, summary

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
WIDTH = 200  # nobody folds lines of a report


def junit_text(found: Verdict | SourceError, file: str) -> str:
    suite = ElementTree.Element("testsuite", name=_clean(file))
    if isinstance(found, SourceError):
        _add_errors(suite, file, found)
    else:
        _add_cases(suite, file, found)
    for name, path in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error")):
        suite.set(name, str(len(suite.findall(path))))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_cases(suite: ElementTree.Element, file: str, verdict: Verdict) -> None:
    shared = verdict.statistics.seconds - sum(p.statistics.seconds for p in verdict.properties if p.statistics)
    for result in verdict.properties:
        seconds = result.statistics.seconds if result.statistics is not None else max(shared, 0.0)
        case = _new_case(suite, file, result.name, seconds)
        _fill(case, result, [v for v in verdict.violations if v.property == result.name])
    ElementTree.SubElement(suite, "system-out").text = _clean(summary(verdict))
    suite.set("time", f"{verdict.statistics.seconds:.3f}")


def _fill(case: ElementTree.Element, result: PropertyResult, violations: list[Violation]) -> None:
    if result.outcome is Outcome.VIOLATED:
        first = violations[0] if violations else None
        said = result.reason if first is None else first.message
        failure = _problem(case, "failure", "violated" if first is None else first.kind, said)
        failure.text = _clean("\n".join(map(_trace_text, violations)))
    elif result.outcome is Outcome.INCOMPLETE:
        _problem(case, "error", "incomplete", result.reason)


def _add_errors(suite: ElementTree.Element, file: str, error: SourceError) -> None:
    """The source could not be read: one case, which is in error."""
    case = _new_case(suite, file, "source", 0.0)
    described = _problem(case, "error", "source", error.diagnostics[0].message)
    described.text = _clean("\n".join(f"{d.location}: {d.message}" for d in error.diagnostics))


def _trace_text(violation: Violation) -> str:
    out = StringIO()
    show_violation(Console(file=out, width=WIDTH, no_color=True), violation)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


# -------------------------------------------------------------------------------------------------- elements


def _new_case(suite: ElementTree.Element, file: str, name: str, seconds: float) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=_clean(file), name=_clean(name), time=f"{seconds:.3f}")


def _problem(case: ElementTree.Element, tag: str, kind: str, message: str) -> ElementTree.Element:
    return ElementTree.SubElement(case, tag, type=kind, message=_clean(message))


def _clean(text: str) -> str:
    """XML has no way to write most control characters."""
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
