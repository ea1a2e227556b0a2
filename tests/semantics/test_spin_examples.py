"""SPIN's own examples: all load, the small ones have SPIN's counts, and trails replay in SPIN."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.cli import main
from isospin.core.errors import UsageError
from isospin.core.verdict import Outcome, Verdict
from isospin.front.preprocessor.preprocess import preprocess
from isospin.front.promela.automaton import TemplateAutomaton
from isospin.front.promela.lexer import tokenize
from isospin.front.promela.load import Loader
from isospin.front.promela.parser import Parser
from isospin.report.document import spin_trail
from isospin.semantics import spec
from tests.support import paths, spin
from tests.support.counting import Counts, counts
from tests.support.expectations import expectation
from tests.support.spin_examples import ROWS, folder, name, needs_examples, small

ACCEPTED = [r for r in ROWS if r["spin_ok"] == "y"]
SMALL = [r for r in ROWS if small(r)]
FAULTY = [r for r in SMALL if r["errors_plain_noclaim"] != "0"]
CORPUS = sorted((paths.CORPUS / "promela").glob("*.pml"))
needs_spin = pytest.mark.skipif(not spin.available(), reason="SPIN is not installed")


@needs_examples
def test_all_accepted_examples_load() -> None:
    assert len(ACCEPTED) == 77
    for row in ACCEPTED:
        assert spec.problems(pipeline.load(folder() / row["file"])) == [], row["file"]


@needs_examples
@pytest.mark.parametrize("row", SMALL, ids=name)
def test_counts_are_those_of_spin(row: dict[str, str]) -> None:
    wanted = Counts(
        int(row["states_plain_noclaim"]), int(row["transitions_plain_noclaim"]), row["errors_plain_noclaim"] != "0"
    )
    assert counts(folder() / row["file"]) == wanted


# -------------------------------------------------------------------------------------------------- trails


def violated(path: Path) -> Verdict:
    """The interpreter finds most errors sooner than a model is compiled."""
    model = pipeline.load(path)
    verdict = pipeline.check(model, pipeline.Options(no_claim=True, optimise="none", engine="interp", max_states=3000))
    if verdict.outcome is not Outcome.VIOLATED:
        verdict = pipeline.check(model, pipeline.Options(no_claim=True, optimise="none"))
    assert verdict.outcome is Outcome.VIOLATED
    return verdict


def replayed_by_spin(path: Path, trail: str, scratch: Path) -> str:
    (scratch / "our.trail").write_text(trail)
    command = ["spin", "-k", str(scratch / "our.trail"), "-p", path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=60, check=False).stdout


def final_locations(report: str) -> dict[int, int]:
    """Where SPIN says each process is at the end."""
    end = report[report.index("#processes") :]
    return {int(m[1]): int(m[2]) for m in re.finditer(r"proc\s+(\d+) .*\(state (\d+)\)", end)}


def our_locations(path: Path, verdict: Verdict) -> dict[int, int]:
    from isospin.semantics.explain import explain
    from isospin.semantics.interp import Interpreter

    final = explain(Interpreter(pipeline.load(path)), verdict.violations[0].trace.choices).final
    assert final is not None
    return {pid: process.location for pid, process in enumerate(final.processes)}


@needs_spin
@needs_examples
@pytest.mark.parametrize("row", FAULTY, ids=name)
def test_trail_replays_in_spin(row: dict[str, str], tmp_path: Path) -> None:
    path = folder() / row["file"]
    verdict = violated(path)
    report = replayed_by_spin(path, spin_trail(verdict.violations[0].trace), tmp_path)
    assert "trail ends after" in report
    kind = verdict.violations[0].kind
    assert ("assertion violated" in report) == (kind == "assertion")
    if kind in ("assertion", "deadlock"):
        assert final_locations(report) == our_locations(path, verdict)


@needs_spin
@pytest.mark.parametrize("path", [p for p in CORPUS if expectation(p).outcome == "violated"], ids=lambda p: p.stem)
def test_trail_of_corpus_model_replays_in_spin(path: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(path, tmp_path))  # SPIN leaves files beside the model, and other tests run at the same time
    verdict = violated(path)
    report = replayed_by_spin(path, spin_trail(verdict.violations[0].trace), tmp_path)
    assert "trail ends after" in report
    if verdict.violations[0].kind in ("assertion", "deadlock"):
        assert final_locations(report) == our_locations(path, verdict)


# -------------------------------------------------------------------------------------------------- automata


def our_table(path: Path) -> dict[tuple[str, int], tuple[object, ...]]:
    """(proctype, location) -> element id, target, atomic, options; as in SPIN's pan.t."""
    source = preprocess(path.read_text(errors="replace"), str(path))
    loader = Loader(Parser(tokenize(source), str(path)).parse())
    loader.model()
    table: dict[tuple[str, int], tuple[object, ...]] = {}
    for unit in loader.processes():
        automaton = TemplateAutomaton(loader.flows[unit.name])
        for number, options in automaton.options.items():
            table[unit.name, number] = (automaton.flow.elements[number - 1].id, tuple(options))
        for number, edge in automaton.edges.items():
            atomic = 2 * edge.keeps_control + 32 * (edge.element.kind == "d_step")
            table[unit.name, number] = (edge.element.id, atomic, edge.target, edge.escapes)
    return table


SETTR = r"settr\((\d+),(\d+),(\d+),"


def spin_table(path: Path, scratch: Path) -> dict[tuple[str, int], tuple[object, ...]]:
    subprocess.run(["spin", "-o1", "-o2", "-o3", "-a", str(path)], cwd=scratch, capture_output=True, check=False)
    process, number = "", 0
    single: dict[tuple[str, int], tuple[int, int, int]] = {}
    options: dict[tuple[str, int], list[int]] = {}
    escapes: dict[tuple[str, int], list[int]] = {}
    for line in (scratch / "pan.t").read_text().partition("/* np_ demon: */")[0].splitlines():
        if head := re.match(r"\s*/\* proctype \d+: (\S+) \*/", line):
            process = head[1].replace(":init:", "init")
        elif first := re.search(r"trans\[ ?\d+\]\[(\d+)\]\s*= " + SETTR, line):
            number = int(first[1])
            single[process, number] = (int(first[2]), int(first[3]), int(first[4]))
        elif more := re.search(r"nxt\s*= " + SETTR, line):
            options.setdefault((process, number), []).append(int(more[3]))
        elif escape := re.search(r"trans\[\d+\]\[(\d+)\]->escp\[\d+\] = (\d+)", line):
            escapes.setdefault((process, int(escape[1])), []).append(int(escape[2]))
    table: dict[tuple[str, int], tuple[object, ...]] = {}
    for key, (identity, atomic, target) in single.items():
        if key in options:
            table[key] = (identity, tuple(options[key]))
        else:
            table[key] = (identity, atomic & 34, target, tuple(escapes.get(key, ())))
    return table


@needs_spin
@needs_examples
@pytest.mark.parametrize("row", ACCEPTED, ids=name)
def test_automata_are_those_of_spin(row: dict[str, str], tmp_path: Path) -> None:
    compare_automata(folder() / row["file"], tmp_path)


@needs_spin
@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_automata_of_corpus_models_are_those_of_spin(path: Path, tmp_path: Path) -> None:
    compare_automata(path, tmp_path)


def compare_automata(path: Path, scratch: Path) -> None:
    ours, theirs = our_table(path), spin_table(path, scratch)
    known = {process for process, _ in ours}
    theirs = {key: value for key, value in theirs.items() if key[0] in known}  # without the claims made from ltl
    assert theirs
    assert {key: ours.get(key) for key in theirs} == theirs


def trail_of_spin(path: Path, scratch: Path, *options: str, claim: bool = False) -> str | None:
    """What SPIN's verifier leaves, with SPIN's own optimisations."""
    for command in (
        ["spin", *options, "-a", str(path)],
        ["gcc", "-O0", "-w", *([] if claim else ["-DNOCLAIM"]), "-o", "pan", "pan.c"],
        ["timeout", "10", "./pan", "-m9999", *(["-a"] if claim else [])],
    ):
        subprocess.run(command, cwd=scratch, capture_output=True, timeout=120, check=False)
    return next((trail.read_text() for trail in scratch.glob("*.trail")), None)


def replays_here(path: Path, trail: str | None) -> None:
    assert trail is not None
    run = pipeline.replay_spin_trail(pipeline.load(path), trail)
    assert run.violation, run.ending


RENDEZVOUS = """chan c = [0] of { byte };
byte x;
proctype p(byte k) {
  byte a, b;
  a = k; b = a + 1; a = b; x = x + a; c!a;
  d_step { a = 0; b = 0 };
  atomic { x++; x++; a = x }
}
active proctype q() {
  byte v, w;
  w = 1; w = w + 1; run p(1); c?v; v = v + w;
  if :: v > 3 -> assert(x < 2) :: else fi
}
"""


@needs_spin
@pytest.mark.parametrize("options", [(), ("-o3",), ("-o1", "-o2", "-o3")], ids=" ".join)
def test_a_trail_of_spin_replays_here(options: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(RENDEZVOUS)
    replays_here(path, trail_of_spin(path, tmp_path, *options))


@pytest.mark.slow
@needs_spin
@needs_examples
@pytest.mark.parametrize("row", FAULTY, ids=name)
@pytest.mark.parametrize("options", [(), ("-o3",)], ids=" ".join)
def test_trails_of_spin_replay_here(row: dict[str, str], options: tuple[str, ...], tmp_path: Path) -> None:
    path = folder() / row["file"]
    replays_here(path, trail_of_spin(path, tmp_path, *options))


@pytest.mark.slow
@needs_spin
@needs_examples
@pytest.mark.parametrize("row", ACCEPTED, ids=name)
def test_trails_of_claims_replay_here(row: dict[str, str], tmp_path: Path) -> None:
    path = folder() / row["file"]
    if not re.search(r"\b(never|ltl|accept)", path.read_text(errors="replace")):
        pytest.skip("there is no claim")
    trail = trail_of_spin(path, tmp_path, claim=True)
    if trail is None:
        pytest.skip("SPIN finds nothing")
    replays_here(path, trail)


RECORDED = "-4:-4:-4\n1:0:13\n2:0:15\n3:1:0\n4:1:3\n5:1:4\n6:0:16\n7:1:7\n8:0:17\n9:0:18\n10:1:8\n11:1:12\n12:0:19\n"


def test_a_trail_that_was_recorded(tmp_path: Path) -> None:
    model = pipeline.load(RENDEZVOUS)
    run = pipeline.replay_spin_trail(model, RECORDED)
    assert [s.statement for s in run.trace.steps][-3:] == ["a = x", "-end-", "assert(x < 2)"]
    assert (len(run.trace.steps), run.ending, run.violation) == (16, "assertion: assert(x < 2) failed", True)
    with pytest.raises(UsageError, match="line 5: process 1 cannot take step 99 there; was the model changed"):
        pipeline.replay_spin_trail(model, RECORDED.replace("4:1:3", "4:1:99"))
    with pytest.raises(ValueError, match="line 2 is no line of a trail"):
        pipeline.replay_spin_trail(model, "1:0:13\nnothing\n")


def test_what_is_no_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, trace = tmp_path / "m.pml", tmp_path / "m.trail"
    model.write_text(RENDEZVOUS)
    trace.write_text("nonsense")
    assert main(["replay", str(model), str(trace)]) == 2
    assert "neither a trace that isospin saved nor a trail of SPIN" in capsys.readouterr().err
