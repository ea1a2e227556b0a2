"""What other programs read: JSON by our schema, SARIF by OASIS' schema, JUnit, notes for GitHub.

The schema of SARIF is not ours and not in this repository: `pydantic-sarif` has it as classes that were generated from
the official file, with every constraint (unknown keys are refused).  No package ships a schema of JUnit files: `JUNIT`
states the rules of Jenkins' junit-10.xsd for the elements that we write, and `junitparser` reads the files, too.
"""

from __future__ import annotations

import html
import json
import platform
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from isospin import cli
from isospin.report.words import KINDS
from tests.support import paths

SCHEMA = json.loads(files("isospin.report").joinpath("schema.json").read_text())
CYCLE = "byte x; ltl never_two { [] (x != 2) } ltl ends { <> (x == 3) }\nactive proctype p() { do :: x = 1 - x od }\n"
RENDEZVOUS = "chan c = [0] of { byte };\nactive proctype s() { c!2 }\nactive proctype r() { byte v; c?v; assert(!v) }\n"
CONTROL = 'active proctype p() { printf("\\1%%x, y: z\\n"); assert(false) }\n'
CASES: dict[str, list[str]] = {
    "holds": ["examples/peterson.pml"],
    "deadlock": ["examples/philosophers.pml"],
    "claims": ["cycle.pml"],
    "rendezvous": ["rendezvous.pml"],
    "control characters": ["control.pml"],
    "incomplete": ["examples/peterson.pml", "--max-states", "10"],
    "objects": ["examples/heap/treiber_aba.pml"],
    "pointer automaton": ["examples/pointer/mcs_bug.ptr", "--engine", "explicit", "--show-active"],
    "stateless": ["examples/stateless/philosophers.pml", "--search", "dpor"],
    "python": ["examples/python/bank.py"],
    "c": ["examples/c/bank.c"],
    "refused": ["broken.pml"],
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Examples and small models in one directory, so that all names are relative."""
    directory = tmp_path_factory.mktemp("formats")
    (directory / "examples").symlink_to(paths.EXAMPLES)
    texts = {"cycle": CYCLE, "rendezvous": RENDEZVOUS, "control": CONTROL, "broken": "active proctype p() { x = 1 }\n"}
    for name, text in texts.items():
        (directory / f"{name}.pml").write_text(text)
    return directory


@pytest.fixture(params=[pytest.param(c, marks=[pytest.mark.slow] if c == "c" else []) for c in CASES])
def made(
    request: pytest.FixtureRequest, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    """One run with everything that it can write."""
    if request.param == "c":
        pytest.importorskip("capstone")
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            pytest.skip("C programs need x86-64 Linux")
    monkeypatch.chdir(place)
    for old in ("out.json", "out.sarif", "out.xml"):
        Path(old).unlink(missing_ok=True)
    wanted = ["--json", "--annotations", "github", "--trace", "out.json", "--sarif", "out.sarif", "--junit", "out.xml"]
    status = cli.main(["check", *CASES[request.param], *wanted])
    printed = capsys.readouterr()
    trace = Path("out.json")
    return {
        "case": request.param, "status": status, "json": json.loads(printed.out), "notes": printed.err,
        "trace": json.loads(trace.read_text()) if trace.exists() else None,
        "sarif": json.loads(Path("out.sarif").read_text()), "junit": Path("out.xml").read_text(),
    }  # fmt: skip


def test_every_format_is_valid(made: dict[str, Any]) -> None:
    """One test for all, since the run is what takes time."""
    jsonschema = pytest.importorskip("jsonschema")
    model = pytest.importorskip("pydantic_sarif.model")
    what = "errors" if made["json"]["outcome"] is None else "verdict"
    jsonschema.validate(made["json"], {**strict(SCHEMA), "anyOf": [{"$ref": f"#/$defs/{what}"}]})
    if made["trace"] is not None:
        jsonschema.validate(made["trace"], {**strict(SCHEMA), "anyOf": [{"$ref": "#/$defs/trace"}]})
    model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate(made["sarif"])
    sarif_says_what_json_says(made["json"], made["sarif"])
    junit_is_valid(ElementTree.fromstring(made["junit"]))
    junit_says_what_json_says(made["json"], made["junit"])
    notes_say_what_json_says(made["json"], made["notes"])


def strict(schema: Any) -> Any:
    """The schema without room for keys that it does not describe: what we write must be documented."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: strict(part) for key, part in schema.items()}
    described = schema.get("type") == "object" and isinstance(schema.get("properties"), dict)
    return {"additionalProperties": False, **inner} if described else inner


def sarif_says_what_json_says(document: Any, sarif: Any) -> None:
    (run,) = sarif["runs"]
    if document["outcome"] is None:
        assert [r["message"]["text"] for r in run["results"]] == [e["message"] for e in document["errors"]]
        return
    assert run["properties"]["outcome"] == document["outcome"]
    rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
    assert [rules[r["ruleIndex"]] for r in run["results"]] == [v["kind"] for v in document["violations"]]
    for result, violation in zip(run["results"], document["violations"], strict=True):
        in_order: dict[int, list[str]] = {}
        for flow in result.get("codeFlows", [{"threadFlows": []}])[0]["threadFlows"]:
            for at in flow["locations"]:
                in_order.setdefault(at["executionOrder"], []).append(at["location"]["message"]["text"])
        steps = violation["trace"]
        expected = {n: [s["statement"] or "a step", *([s["partner_statement"]] if s["partner"] is not None else [])]
                    for n, s in enumerate(steps)}  # fmt: skip
        assert {n: sorted(texts) for n, texts in in_order.items()} == {n: sorted(t) for n, t in expected.items()}
        assert ("message" in result.get("codeFlows", [{}])[0]) == (violation["cycle_start"] is not None)
        if violation["location"] is not None:
            at = result["locations"][0]["physicalLocation"]
            column = f"{at['region']['startLine']}:{at['region']['startColumn']}"
            assert f"{at['artifactLocation']['uri']}:{column}" == violation["location"]


# -------------------------------------------------------------------------------------------------- JUnit

# Element -> required attributes, other attributes, children.  After junit-10.xsd of Jenkins' xunit plugin.
SAID = ((), ("type", "message"), ())
JUNIT: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "testsuites": ((), ("name", "time", "tests", "failures", "errors"), ("testsuite",)),
    "testsuite": (("name", "tests", "failures", "errors"), ("time", "skipped", "timestamp", "hostname", "file"),
                  ("testsuite", "properties", "testcase", "system-out", "system-err")),
    "testcase": (("name",), ("time", "classname", "group"),
                 ("skipped", "error", "failure", "system-out", "system-err")),
    "failure": SAID, "error": SAID, "skipped": SAID,
    "system-out": ((), (), ()), "system-err": ((), (), ()),
}  # fmt: skip


def junit_is_valid(element: ElementTree.Element) -> None:
    required, optional, children = JUNIT[element.tag]
    assert set(required) <= set(element.keys()) <= {*required, *optional}, element.tag
    for name in ("tests", "failures", "errors"):
        assert element.get(name, "0").isdigit()
    assert float(element.get("time", "0")) >= 0
    for child in element:
        assert child.tag in children, f"{child.tag} in {element.tag}"
        junit_is_valid(child)


@pytest.mark.parametrize("wrong", [
    "<testsuites><testcase name='a'/></testsuites>", "<testsuites><testsuite name='a' tests='1'/></testsuites>",
    "<testsuites><testsuite name='a' tests='x' failures='0' errors='0'/></testsuites>",
])  # fmt: skip
def test_what_is_no_junit_file_is_refused(wrong: str) -> None:
    with pytest.raises(AssertionError):
        junit_is_valid(ElementTree.fromstring(wrong))


def junit_says_what_json_says(document: Any, text: str) -> None:
    junitparser = pytest.importorskip("junitparser")
    (suite,) = junitparser.JUnitXml.fromstring(text.encode())
    found = {case.name: [type(r).__name__ for r in case.result] for case in suite}
    if document["outcome"] is None:
        assert found == {"source": ["Error"]}
        return
    words = {"holds": [], "violated": ["Failure"], "incomplete": ["Error"]}
    assert found == {p["name"]: words[p["outcome"]] for p in document["properties"]}
    assert (suite.tests, suite.failures) == (len(found), list(found.values()).count(["Failure"]))
    for violation in document["violations"]:
        begun = [step["statement"].split()[0][:8] for step in violation["trace"] if step["statement"]]
        assert [word for word in begun if word not in html.unescape(text)] == []


def notes_say_what_json_says(document: Any, printed: str) -> None:
    notes = [line for line in printed.splitlines() if line.startswith("::")]
    assert all(line.split("::")[1].split(" ")[0] in ("error", "warning") and "\r" not in line for line in notes)
    errors = [line for line in notes if line.startswith("::error ")]
    if document["outcome"] is None:
        assert len(errors) == len(document["errors"])
        return
    assert len(errors) == len(document["violations"])
    for line, violation in zip(errors, document["violations"], strict=True):
        file, number, column = (violation["location"] or ":0:0").rsplit(":", 2)
        assert not file or f"file={file},line={number},col={column}," in line
    gaps = [p for p in document["properties"] if p["outcome"] == "incomplete"]
    assert len(notes) - len(errors) == len(gaps) + len(document["warnings"])


# -------------------------------------------------------------------------------------------------- the schema itself


def test_the_schema_is_one_and_lists_every_kind() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["$defs"]["violation"]["properties"]["kind"]["enum"]) == set(KINDS)


def test_the_schema_refuses() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for wrong in ({}, {"schema": 1, "version": "0", "outcome": "fine", "errors": []}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)


def test_a_file_that_cannot_be_written_keeps_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(paths.EXAMPLES / "peterson.pml"), "--junit", "/nowhere/out.xml"]) == 0
    assert "cannot write /nowhere/out.xml" in capsys.readouterr().err
