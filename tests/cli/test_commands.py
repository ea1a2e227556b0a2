"""The command, as users and other programs meet it: options, output, JSON, exit status."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin import cli
from isospin.core import deadline
from isospin.report import document
from tests.support import paths

PETERSON = str(paths.EXAMPLES / "peterson.pml")
PHILOSOPHERS = str(paths.EXAMPLES / "philosophers.pml")
CORPUS = sorted((paths.CORPUS / "promela").glob("*.pml"))
KEYS = {
    "schema", "version", "outcome", "reason", "properties", "file", "engine", "search", "por", "states",
    "transitions", "depth", "executions", "blocked", "seconds", "cpu_seconds", "memory_bytes", "bytes_per_state",
    "symmetry", "orbit_sum", "violations",
}  # fmt: skip
ENDLESS = """
int a, b;
active proctype P() { do :: a != b + 100000000 -> a++ od }
active proctype Q() { do :: b != a + 100000000 -> b++ od }
"""
LONG = "byte a; active [2] proctype P() { byte i; do :: i < 20 -> a = a + i; i++ :: else -> break od }"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: str) -> tuple[int, str, str]:
        try:
            status = cli.main(list(arguments))
        except SystemExit as stop:  # argparse
            status = int(stop.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.fixture
def model(tmp_path: Path) -> Any:
    def write(text: str) -> str:
        path = tmp_path / "model.pml"
        path.write_text(text)
        return str(path)

    return write


def test_a_model_that_holds(run: Any) -> None:
    status, out, _ = run("check", PETERSON)
    assert status == 0
    assert "safety: holds" in out


def test_a_deadlock_is_shown_with_a_lane_for_each_process(run: Any) -> None:
    status, out, _ = run("check", PHILOSOPHERS)
    assert status == 1
    assert "deadlock: invalid end state" in out
    header = next(line for line in out.splitlines() if line.lstrip().startswith("step"))
    assert [header.count(f"philosopher {i}") for i in range(3)] == [1, 1, 1]
    assert re.search(r"taken\[.\]: 0 → 1", out)


def test_json_has_the_fixed_keys_and_nothing_else_is_printed(run: Any) -> None:
    status, out, err = run("check", PHILOSOPHERS, "--json")
    found = json.loads(out)
    assert status == 1
    assert err == ""
    assert set(found) >= KEYS
    assert found["outcome"] == "violated"
    assert found["properties"] == [{"name": "safety", "outcome": "violated", "reason": ""}]
    assert set(found["symmetry"]) >= {
        "strategy", "exactness", "group_order", "families", "justification", "refused"
    }  # fmt: skip
    (violation,) = found["violations"]
    assert violation["kind"] == "deadlock"
    assert re.fullmatch(r".*philosophers\.pml:\d+:\d+", violation["location"])
    step = violation["trace"][1]
    assert set(step) >= {"process", "pid", "partner", "location", "statement", "changes"}
    assert step["changes"] in [{f"taken[{i}]": [0, 1]} for i in range(3)]
    assert violation["cycle_start"] is None


def test_source_errors_have_status_2_and_in_json_too(run: Any, model: Any) -> None:
    path = model("active proctype P() { x = 1 }")
    status, out, err = run("check", path)
    assert status == 2
    assert out == ""
    assert re.search(r"model\.pml:1:23: error: unknown name 'x'", err)
    status, out, _ = run("check", path, "--json")
    assert status == 2
    assert json.loads(out)["errors"][0]["message"] == "unknown name 'x'"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["check", PETERSON, "--search", "sideways"], "bfs"),
        (["check", PETERSON, "--engine", "explicit", "--symmetry", "gasr"], "explicit has --symmetry auto, none"),
        (["check", PETERSON, "--max-states", "0"], "positive number"),
        (["check", PETERSON, "--max-memory", "lots"], "500M or 4G"),
        (["check", "missing.pml"], "cannot read missing.pml"),
        (["check", "program.xyz"], ".pml"),
        (["explore", "queue.c"], "queue.c is a program: check it with --trace"),
        (["simulate", "nowhere.c"], "nowhere.c"),
        (["simulate", "nowhere.py"], "cannot read nowhere.py"),
        (["simulate", PETERSON, "--cflags", "-O2"], "--cflags is for C programs"),
        (["simulate", PETERSON, "--from", PETERSON], "is not a trace that isospin saved"),
        (["frobnicate"], "check"),
        (["check", PETERSON, "-N", "3"], "-N is for pointer automata (.ptr)"),
        (["check", PETERSON, "--ltl", "[] p"], "unknown name 'p'"),
        (["check", PETERSON, "--ltl", "p", "--no-claim"], "choose one"),
        (["check", PETERSON, "-D", "1x=2"], "NAME=VALUE"),
        (["replay", PETERSON, PETERSON], "neither a trace"),
    ],
)
def test_a_bad_request_says_what_is_available(run: Any, arguments: list[str], hint: str) -> None:
    status, _, err = run(*arguments)
    assert status == 2
    assert hint in err
    assert "Traceback" not in err


def test_each_claim_is_a_property_of_its_own(run: Any, model: Any) -> None:
    path = model("bit x; ltl p { <> (x == 1) } active proctype P() { x = 1; accept: skip }")
    status, out, _ = run("check", path, "--json")
    found = json.loads(out)
    assert status == 0
    assert {p["name"]: p["outcome"] for p in found["properties"]} == {
        "safety": "holds", "p": "holds", "acceptance": "holds"
    }  # fmt: skip
    assert run("check", path, "--no-claim")[0] == 0


def test_all_errors_lists_each_violation_once(run: Any, model: Any) -> None:
    path = model("byte x; active [2] proctype P() { x++; assert(x == 1); assert(x != 2); x == 9 }")
    status, out, _ = run("check", path, "--json", "--all-errors")
    found = json.loads(out)
    assert status == 1
    kinds = [(v["kind"], v["location"].rsplit(":", 2)[-1]) for v in found["violations"]]
    assert len(kinds) == len(set(kinds)) == 3


def test_no_deadlock(run: Any) -> None:
    assert run("check", PHILOSOPHERS, "--no-deadlock")[0] == 0


@pytest.mark.parametrize(
    "limit", [["--max-states", "50"], ["--max-depth", "5"], ["--max-time", "0.05"], ["--max-memory", "1M"]]
)
@pytest.mark.parametrize("search", ["bfs", "dfs"])
def test_a_limit_makes_the_outcome_incomplete(run: Any, model: Any, limit: list[str], search: str) -> None:
    status, out, _ = run("check", model(ENDLESS), "--json", "--search", search, *limit)
    found = json.loads(out)
    assert status == 3
    assert found["outcome"] == "incomplete"
    assert limit[0] in found["reason"]
    assert found["states"] > 0 or limit[0] == "--max-time"  # then it may be over before there is a state


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("engine", ["interp", "stateless", "symbolic"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
def test_interrupt_keeps_what_was_covered(
    run: Any, model: Any, engine: str, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    def check() -> None:  # what a search does from time to time
        nonlocal asked
        asked += 1
        if asked == 200:
            os.kill(os.getpid(), number)

    monkeypatch.setattr(deadline, "check", check)
    status, out, err = run("check", "--json", "--engine", engine, "--optimise", "none", model(LONG))
    found = json.loads(out)
    assert status == 3
    assert found["reason"] == "interrupted"
    assert found["states"] > 0 or found["executions"] is not None
    assert err == ""


def test_trace_file_replays(run: Any, tmp_path: Path) -> None:
    saved = str(tmp_path / "trace.json")
    assert run("check", PHILOSOPHERS, "--trace", saved)[0] == 1
    status, out, _ = run("replay", PHILOSOPHERS, saved)
    assert status == 1
    assert "deadlock: invalid end state" in out
    assert re.search(r"taken\[.\]: 0 → 1", out)


def test_trace_of_another_model_is_refused(run: Any, model: Any, tmp_path: Path) -> None:
    saved = str(tmp_path / "trace.json")
    run("check", PHILOSOPHERS, "--trace", saved)
    status, _, err = run("replay", PETERSON, saved)
    assert status == 2
    assert "was the model changed?" in err


def test_no_violation_leaves_no_old_trace(run: Any, tmp_path: Path) -> None:
    saved = tmp_path / "trace.json"
    saved.write_text("{}")
    assert run("check", PETERSON, "--trace", str(saved))[0] == 0
    assert not saved.exists()


@pytest.mark.parametrize("option", ["--trace", "--spin-trail", "--heap-dot", "--html", "--sarif", "--junit"])
@pytest.mark.parametrize("place", ["{}/no/file", "/dev/full", "{}"])
def test_a_report_that_cannot_be_written_leaves_the_verdict(run: Any, tmp_path: Path, option: str, place: str) -> None:
    status, out, err = run("check", PHILOSOPHERS, "--engine", "interp", option, place.format(tmp_path))
    assert status == 1
    assert "safety: violated" in out
    assert re.fullmatch(r"isospin: cannot write .*\n", err)


def test_a_byte_order_mark_is_no_part_of_the_model(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "marked.pml"
    path.write_bytes(b"\xef\xbb\xbfactive proctype p() { skip }\r\n")
    assert run("check", str(path))[0] == 0


def test_definitions(run: Any, model: Any) -> None:
    path = model("active proctype P() { assert(N == 3) }")
    assert run("check", path, "-D", "N=3")[0] == 0
    assert run("check", path, "-DN=4")[0] == 1


def test_simulation_is_repeatable(run: Any) -> None:
    first = run("simulate", PHILOSOPHERS, "--seed", "7", "--steps", "30")
    assert first == run("simulate", PHILOSOPHERS, "--seed", "7", "--steps", "30")
    assert "--seed 7" in first[1]
    assert first != run("simulate", PHILOSOPHERS, "--seed", "8", "--steps", "30")


def test_interactive_simulation(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["2", "x", "1", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    status, out, _ = run("simulate", PHILOSOPHERS, "--interactive")
    assert status == 0
    assert "philosopher 1" in out
    assert "stopped" in out


def test_unreached_statements_and_empty_verdicts(run: Any, model: Any) -> None:
    text = "byte x; active proctype P() { do :: x == 1 -> assert(false) :: else -> break od }\nproctype Q() { x = 2 }"
    status, out, _ = run("check", model(text))
    assert status == 0
    assert "never executed" in out
    assert "Q never executes a statement: it is never run" in out
    assert "assert(false) is never reached" in out


def test_a_process_that_never_starts_is_a_warning(run: Any, model: Any) -> None:
    _, out, _ = run("check", model("byte x; active proctype P() { end: x == 1; x = 2 }"))
    assert "P never executes a statement: its first statement is never executable" in out


def test_hidden_variable_that_is_read_stays_in_the_state(run: Any, model: Any) -> None:
    text = "hidden bit h; byte x; active proctype P() { if :: h = 0 :: h = 1 fi; x = 1; assert(h == 0) }"
    status, out, _ = run("check", model(text))
    assert status == 1
    assert "hidden 'h' is read" in out


def test_output_is_the_same_for_every_hash_seed(tmp_path: Path) -> None:
    outputs = set()
    for seed in ("0", "1", "2"):
        command = [sys.executable, "-m", "isospin", "check", PHILOSOPHERS, "--quiet"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        outputs.add(subprocess.run(command, capture_output=True, env=environment, check=False).stdout)
    assert len(outputs) == 1


@pytest.mark.parametrize("engine", ["interp", "explicit"])
def test_an_endless_atomic_loop_is_no_deadlock_and_hides_no_assertion(run: Any, model: Any, engine: str) -> None:
    loop = "bit x; active proctype P() { atomic { do :: x = 1 - x; %s od } }"
    assert run("check", model(loop % "skip"), "--engine", engine, "--optimise", "none")[0] == 0
    status, out, _ = run("check", model(loop % "assert(x == 1)"), "--engine", engine, "--optimise", "none")
    assert status == 1
    assert "assertion: assert(x == 1) failed" in out


def test_symmetry_command(run: Any) -> None:
    status, out, _ = run("symmetry", str(paths.EXAMPLES / "symmetry" / "tiers.pml"))
    assert status == 0
    assert "group of order 72" in out
    assert "6 x client: symmetric wreath symmetric" in out
    _, out, _ = run("symmetry", PHILOSOPHERS, "--json")
    assert json.loads(out)["symmetry"]["group_order"] == "3"


def test_reduced_check_reports_the_group_and_the_orbit_sum(run: Any) -> None:
    star = str(paths.EXAMPLES / "symmetry" / "star.pml")
    full = json.loads(run("check", star, "--engine", "interp", "--symmetry", "none", "--por", "off", "--json")[1])
    status, out, _ = run("check", star, "--symmetry", "exact", "--por", "off", "--json")
    reduced = json.loads(out)
    assert status == 0
    assert reduced["symmetry"]["exactness"] == "canonical"
    assert reduced["symmetry"]["families"] == [{"name": "client", "size": 3, "group": "symmetric"}]
    assert reduced["orbit_sum"] == str(full["states"])
    assert reduced["states"] < full["states"]


def test_an_approximate_strategy_never_says_holds(run: Any) -> None:
    status, out, _ = run("check", str(paths.EXAMPLES / "symmetry" / "star.pml"), "--symmetry", "flattened", "--json")
    assert status == 3
    assert json.loads(out)["outcome"] == "incomplete"


def test_audit_command(run: Any) -> None:
    status, out, _ = run("audit", str(paths.EXAMPLES / "symmetry" / "ring.pml"))
    assert status == 0
    assert "they agree" in out


@pytest.mark.parametrize("level", ["none", "spin", "full"])
@pytest.mark.parametrize("path", CORPUS[::6], ids=lambda p: p.stem)
def test_reduced_verdicts_are_those_of_the_unreduced_run(path: Path, level: str) -> None:
    """The whole way: optimise, fold, unwind, and replay on the user's model."""
    plain = isospin.check(path, engine="interp", symmetry="none", optimise="none", no_claim=True, all_errors=True)
    folded = isospin.check(path, engine="interp", symmetry="exact", optimise=level, no_claim=True, all_errors=True)
    assert folded.outcome == plain.outcome
    assert {v.kind for v in folded.violations} == {v.kind for v in plain.violations}


def test_python_interface() -> None:
    verdict = isospin.check("byte x; active proctype P() { x = 1; assert(x == 0) }", all_errors=True, por="off")
    assert verdict.outcome == isospin.Outcome.VIOLATED
    assert not verdict
    assert verdict.states == 4
    assert verdict.violations[0].trace.steps[-1].statement == "assert(x == 0)"
    assert isospin.check(PETERSON)
    assert len(isospin.simulate(PETERSON, seed=3, steps=5).steps) == 5
    with pytest.raises(isospin.UsageError, match="did you mean max_states"):
        isospin.check(PETERSON, max_state=3)  # type: ignore[call-arg]
    with pytest.raises(isospin.SourceError, match="unknown name 'y'"):
        isospin.check("init { y = 1 }")


def test_spin_trail_of_a_rendezvous_has_two_lines() -> None:
    text = "chan c = [0] of {byte}; active proctype S() { c!1 } active proctype R() { c?1; assert(false) }"
    verdict = isospin.check(text)
    assert document.spin_trail(verdict.violations[0].trace).splitlines()[:2] == ["1:0:0", "2:1:2"]
