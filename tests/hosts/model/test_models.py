"""Promela models as programs: the papers' tables, stateful and stateless search compared, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from isospin import cli
from isospin.core.errors import SourceError, UsageError
from isospin.core.model import Model
from isospin.core.verdict import Outcome
from isospin.engines.contract import Question
from isospin.engines.interp.search import explore
from isospin.pipeline import check, load, options, replay
from isospin.semantics.interp import Interpreter
from isospin.semantics.state import State
from tests.support.generators import random_heap, random_processes
from tests.support.stateless_tables import EXAMPLES, EXPENSIVE, TRACES, VERISOFT, run, state_space

ROWS = [(name, n) for name, sizes in TRACES.items() for n in sizes]


# ------------------------------------------------------------------------------------------------ tables


@pytest.mark.parametrize("n", VERISOFT)
def test_verisoft_table_1(n: int) -> None:
    space, plain, (_, persistent), (_, rotated) = VERISOFT[n]
    assert state_space("verisoft", n) == space
    if n < 4:
        assert run("verisoft", n, "dfs").transitions == plain
    assert run("verisoft", n, "persistent").transitions <= persistent
    symmetric = run("verisoft", n, "persistent", "declared", "rotate")
    assert symmetric.transitions <= rotated
    assert [v.kind for v in symmetric.violations] == ["deadlock"]


@pytest.mark.slow
def test_plain_search_of_four_philosophers() -> None:
    assert run("verisoft", 4, "dfs").transitions == VERISOFT[4][1]


def check_row(name: str, n: int) -> None:
    traces, orbits = TRACES[name][n]
    optimal = run(name, n, "optimal").statistics
    assert (optimal.executions or 0) <= traces
    assert optimal.blocked == 0
    assert run(name, n, "dpor").statistics.executions == traces
    if orbits is not None:
        assert (run(name, n, "dpor", "discovered").statistics.executions or 0) <= orbits


@pytest.mark.parametrize(("name", "n"), [r for r in ROWS if r not in EXPENSIVE])
def test_traces(name: str, n: int) -> None:
    check_row(name, n)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n"), [r for r in ROWS if r in EXPENSIVE])
def test_many_traces(name: str, n: int) -> None:
    check_row(name, n)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("symmetry", ["auto", "none"])
def test_n_stores_twice_and_a_load(n: int, symmetry: str) -> None:
    """Also where the load is one step with what follows it."""
    one, other = ("; ".join(f"x = {first + i}" for i in range(n)) for first in (1, 11))
    loads = "active proctype Load() { byte y; y = x; assert(y <= 20) }"
    alike = f"byte x; active [2] proctype Store() {{ {one} }} {loads}"
    different = f"byte x; active proctype One() {{ {one} }} active proctype Other() {{ {other} }} {loads}"
    for text in (alike, different):
        verdict = check(load(text), options(engine="stateless", symmetry=symmetry))
        assert verdict.outcome is Outcome.HOLDS
        assert verdict.statistics.executions == 2 * n + 1
        assert n < 2 or (verdict.search, verdict.symmetry.strategy) == ("optimal", "none")


def test_an_explicit_search_stays_what_it_is() -> None:
    text = "byte x; active [2] proctype Store() { x = 1; x = 2 } active proctype Load() { byte y; y = x }"
    verdict = check(load(text), options(search="dpor", engine="stateless"))
    assert (verdict.search, verdict.symmetry.strategy, verdict.statistics.executions) == ("dpor", "discovered", 10)
    verdict = check(load(text), options(engine="stateless", symmetry="discovered"))
    assert (verdict.search, verdict.statistics.executions) == ("dpor", 10)


# ------------------------------------------------------------------------------------------------ both kinds of search


WAYS = [("persistent", "none"), ("dpor", "none"), ("optimal", "none"), ("dfs", "discovered"),
        ("persistent", "discovered"), ("dpor", "discovered"), ("auto", "none"), ("auto", "auto")]  # fmt: skip


def compare(seed: int, most: int = 300) -> int:
    """Stateful against stateless search; every finding was replayed by the pipeline.  Too many executions: nothing."""
    model = load(random_processes.generate(seed))
    if runs(model, most) > most:
        return 0
    found = explore(model, Question(all_errors=True)).findings
    wanted = {f.kind for f in found}
    for search, symmetry in WAYS:
        verdict = check(model, options(search=search, engine="stateless", symmetry=symmetry, all_errors=True))
        assert {v.kind for v in verdict.violations} == wanted, (seed, search, symmetry)
        assert verdict.outcome is (Outcome.VIOLATED if wanted else Outcome.HOLDS), (seed, search, verdict.reason)
        if symmetry == "none":
            places = {(v.kind, str(v.location)) for v in verdict.violations}
            assert places == {(f.kind, str(f.location)) for f in found}, (seed, search)
    return 1


def runs(model: Model, most: int) -> int:
    """How many executions a model has, counted on the states; or a larger number than `most`."""
    interpreter, known = Interpreter(model), dict[State, int]()

    def count(state: State) -> int:
        if state not in known:
            known[state] = most + 1  # of a state on the way: there is a cycle
            following = [1 if m.state is None else count(m.state) for m in interpreter.moves(state)]
            known[state] = max(sum(following), 1)
        return known[state]

    return count(next(interpreter.initial_states()))


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_models(first: int) -> None:
    assert sum(compare(seed) for seed in range(first, first + 10)) > 2


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 10_100, 250))
def test_many_random_models(first: int) -> None:
    assert sum(compare(seed, 2000) for seed in range(first, first + 250)) > 100


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_models_with_objects(first: int) -> None:
    """Faults end executions, so that only the outcome is compared; pids are used again in some of them."""
    for seed in range(first, first + 50):
        model = load(random_heap.generate(seed))
        if runs(model, 400) <= 400:
            found = explore(model, Question(all_errors=True)).findings
            for search, symmetry in WAYS:
                verdict = check(model, options(search=search, engine="stateless", symmetry=symmetry, all_errors=True))
                assert bool(verdict.violations) == bool(found), (seed, search, symmetry)


def test_a_number_that_is_used_again() -> None:
    """The process that is started last gets the number of one that has died."""
    text = """
    byte x;
    proctype P() { x++ }
    active proctype Q() { x = 2; assert(x != 3) }
    init { run P(); run P() }
    """
    for search in ("dfs", "dpor", "optimal"):
        asked = options(search=search, engine="stateless", symmetry="none", all_errors=True)
        assert [v.kind for v in check(load(text), asked).violations] == ["assertion"]


def test_a_death_that_must_come_first() -> None:
    """Q gets the number of P only if P has died before."""
    text = """
    byte x;
    proctype P() { x = 1 }
    proctype Q() { assert(_pid != 1) }
    init { run P(); run Q() }
    """
    for search in ("dfs", "persistent", "dpor", "optimal"):
        asked = options(search=search, engine="stateless", symmetry="none")
        assert [v.kind for v in check(load(text), asked).violations] == ["assertion"], search


def test_processes_that_become_alike_later() -> None:
    """The counterexample of Figure 5 as a model: two templates, one of which has one statement more."""
    text = """
    byte g[2];
    proctype A() { byte l; l = g[l % 2]; assert(l != 1); g[1] = l + 1; l = g[l % 2]; g[0] = 1 }
    proctype B() { byte l; assert(l != 1); g[1] = l + 1; l = g[l % 2]; g[0] = 1 }
    init { atomic { run A(); run B() } }
    """
    verdict = check(load(text), options(search="dpor", symmetry="discovered"))
    assert [v.kind for v in verdict.violations] == ["assertion"]
    alike = "byte x; active proctype A() { x = 1; x++ } active proctype B() { x++ }"
    with_symmetry = check(load(alike), options(search="dpor", symmetry="discovered")).statistics.executions or 0
    assert with_symmetry < (check(load(alike), options(search="dpor", symmetry="none")).statistics.executions or 0)


# ------------------------------------------------------------------------------------------------ the command


def test_the_command_and_its_document(capsys: pytest.CaptureFixture[str]) -> None:
    status = cli.main(["check", str(EXAMPLES / "lockers.pml"), "--search", "dpor", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert status == 0
    assert (document["outcome"], document["engine"], document["search"]) == ("holds", "stateless", "dpor")
    assert (document["executions"], document["blocked"]) == (1, 0)
    assert document["symmetry"]["strategy"] == "discovered"


def test_a_saved_counterexample_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, model = str(tmp_path / "bug.json"), str(EXAMPLES / "philosophers.pml")
    assert cli.main(["check", model, "--engine", "stateless", "--trace", trace]) == 1
    assert cli.main(["replay", model, trace]) == 1
    assert "deadlock" in capsys.readouterr().out


def test_executions_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["check", str(EXAMPLES / "counter.pml"), "--search", "optimal", "--symmetry", "none"])
    assert "16 executions" in capsys.readouterr().out


def test_a_model_that_does_not_terminate_is_incomplete(capsys: pytest.CaptureFixture[str]) -> None:
    model = load("byte x; active [2] proctype P() { do :: x = 1 - x od }")
    verdict = check(model, options(search="dpor", max_depth=12))
    assert verdict.outcome is Outcome.INCOMPLETE
    assert "--max-depth" in verdict.reason
    assert check(model, options(search="random", max_executions=3, max_depth=20)).outcome is Outcome.INCOMPLETE


def test_claims_are_not_checked_and_said_so() -> None:
    model = load("byte x; active proctype P() { x = 1 } ltl p { <> (x == 1) }")
    verdict = check(model, options(search="dpor"))
    assert verdict.outcome is Outcome.INCOMPLETE
    assert "--no-claim" in verdict.reason
    assert check(model, options(search="dpor", no_claim=True)).outcome is Outcome.HOLDS


REFUSED = [
    (["--search", "dpor", "--engine", "explicit"], "needs --engine stateless"),
    (["--search", "pct", "--symmetry", "discovered"], "does not use symmetry"),
    (["--search", "dpor", "--symmetry", "exact"], "auto, none, declared, discovered"),
    (["--symmetry", "discovered"], "--engine stateless"),
    (["--permutation", "rotate"], "--engine stateless"),
    (["--search", "dpor", "--symmetry", "declared"], "go together"),
    (["--search", "dpor", "--threads", "2"], "explicit engine"),
    (["--search", "dpor", "--permutation", "nowhere.txt"], "swap, rotate or a file"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_does_not_go_together(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(EXAMPLES / "verisoft.pml"), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_wrong_permutation_is_a_located_error(tmp_path: Path) -> None:
    model = load(EXAMPLES / "verisoft.pml")
    with pytest.raises(UsageError, match=r"\(0 1\) is not a symmetry of .*verisoft\.pml:13:2"):
        check(model, options(search="persistent", permutation="swap"))
    file = tmp_path / "permutations"
    file.write_text("# a rotation\n(0 1 2)\n")
    assert check(model, options(search="persistent", permutation=str(file), all_errors=True)).transitions <= 32
    for text, message in [("(0 1", "expected cycles"), ("(0 9)", "there are 3"), ("(0 1)", "not a symmetry")]:
        file.write_text(f"(0 1 2)\n{text}\n")
        with pytest.raises((UsageError, SourceError)) as error:
            check(model, options(search="persistent", permutation=str(file)))
        assert f"{file}:2" in str(error.value)
        told = error.value.diagnostics[0] if isinstance(error.value, SourceError) else None
        assert message in (str(error.value) if told is None else told.message + told.hint)


def test_a_permutation_that_an_assertion_breaks_is_refused() -> None:
    model = load("byte x; active [2] proctype P() { x++; assert(_pid == 0 || x < 2) }")
    with pytest.raises(UsageError, match="not a symmetry"):
        check(model, options(search="dpor", permutation="swap"))
    assert check(model, options(search="dpor")).outcome is Outcome.VIOLATED


def test_findings_replay_from_the_start() -> None:
    model = load(EXAMPLES / "philosophers.pml")
    verdict = check(replace(model, claims=()), options(search="optimal"))
    (violation,) = verdict.violations
    again = replay(model, list(violation.trace.choices), [s.statement for s in violation.trace.steps])
    assert again.violation


def test_breadth_first_is_refused_and_what_there_is_is_listed() -> None:
    with pytest.raises(UsageError, match="persistent, dpor, optimal"):
        options(engine="stateless", search="bfs")
    assert options(engine="stateless").stateless_search == "dpor"
    assert options().search == "bfs"
