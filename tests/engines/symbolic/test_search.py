"""The symbolic engine on known models: counts, verdicts, traces, limits, and what it refuses."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from isospin import cli, pipeline
from isospin.core.errors import UsageError
from isospin.core.verdict import Outcome, Verdict
from isospin.engines.contract import Progress, Question
from isospin.engines.symbolic import Method, NotEncodable, explore
from isospin.engines.symbolic.backend import imported
from isospin.engines.symbolic.lemma import Lemma
from isospin.engines.symbolic.swaps import Swap
from isospin.experiments.peterson import peterson
from isospin.front.pointer.load import load_text as load_pointer
from isospin.front.promela.load import load_text
from isospin.pipeline import Options
from isospin.symmetry.folding.exchange import exchanges
from isospin.symmetry.reduction import reduce
from isospin.transform.optimise import optimise
from tests.engines.symbolic.compared import Compared
from tests.support import paths

CORPUS = paths.CORPUS / "promela"
POINTER = paths.EXAMPLES / "pointer"
NAMES = ("mcs", "leader", "cycle", "bounded_buffer", "readers_writers", "critical_region")
WIDE = ("int_overflow", "receive_negative_constant", "chan_buffered", "for_channel", "for_range_nested")


def check(text: str, **options: object) -> Verdict:
    return pipeline.check(load_text(text, "m.pml"), pipeline.options(engine="symbolic", **options))


def check_pointer(name: str, processes: int, **options: object) -> Verdict:
    model = pipeline.load(POINTER / f"{name}.ptr", processes=processes)
    return pipeline.check(model, pipeline.options(engine="symbolic", **options))


# ------------------------------------------------------------------------------------------------ counts


@pytest.mark.parametrize(("n", "level", "states"), [(2, "none", 263), (3, "spin", 2636), (3, "full", 1003)])
def test_peterson(n: int, level: str, states: int) -> None:
    found = check(peterson(n), symmetry="none", optimise=level)
    assert (found.outcome, found.states) == (Outcome.HOLDS, states)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "level", "states"), [(3, "none", 11318), (4, "spin", 60577), (4, "full", 18922)])
def test_larger_peterson(n: int, level: str, states: int) -> None:
    assert check(peterson(n), symmetry="none", optimise=level).states == states


@pytest.mark.parametrize(("n", "states"), [(2, 62), (3, 812), (4, 13248)])
def test_states_of_mcs(n: int, states: int) -> None:
    found = check_pointer("mcs", n, symmetry="none")
    assert (found.outcome, found.states) == (Outcome.HOLDS, states)


@pytest.mark.slow
def test_more_states_of_mcs() -> None:
    assert check_pointer("mcs", 5, symmetry="none").states == 265792
    assert check_pointer("mcs", 7).outcome is Outcome.HOLDS


@pytest.mark.parametrize(("strategy", "most"), [("bdd-sorted", 588), ("gasr", 700)])
def test_folded_mcs(strategy: str, most: int) -> None:
    """Not canonical in general: there are 588 orbits."""
    found = check_pointer("mcs", 4, symmetry=strategy)
    assert found.outcome is Outcome.HOLDS
    assert found.symmetry.strategy == strategy
    assert found.symmetry.exactness == "sound"
    assert 588 <= found.states <= most


@pytest.mark.parametrize(
    "path", [p for p in sorted(CORPUS.glob("*.pml"))[::14] if p.stem not in WIDE], ids=lambda p: p.stem
)
def test_conformance(path: Path) -> None:
    model = replace(pipeline.load(path), claims=())
    compared = Compared(model, "none")
    with suppress(NotEncodable):
        compared.forward()


@pytest.mark.slow
@pytest.mark.parametrize("path", [p for p in sorted(CORPUS.glob("*.pml")) if p.stem not in WIDE], ids=lambda p: p.stem)
@pytest.mark.parametrize("level", ["none", "full"])
def test_all_of_the_conformance_models(path: Path, level: str) -> None:
    compared = Compared(replace(pipeline.load(path), claims=()), level)
    with suppress(NotEncodable):
        compared.all_ways()


@pytest.mark.parametrize("name", ["leader_bug", "cycle"])
def test_cudd_says_the_same(name: str) -> None:
    ours, other = (check_pointer(name, 3, symmetry="none", bdd=bdd) for bdd in ("oxidd", "cudd"))
    assert (ours.outcome, ours.states, ours.depth) == (other.outcome, other.states, other.depth)


# ------------------------------------------------------------------------------------------------ violations


@pytest.mark.parametrize("symmetry", ["none", "auto", "gasr"])
@pytest.mark.parametrize("name", NAMES[:3])
def test_mistakes_are_found(name: str, symmetry: str) -> None:
    found = check_pointer(f"{name}_bug", 3, symmetry=symmetry)
    assert found.outcome is Outcome.VIOLATED
    assert found.violations[0].trace.steps


@pytest.mark.parametrize("name", ["leader", "cycle"])
@pytest.mark.parametrize("symmetry", ["bdd-sorted", "gasr"])
def test_fewer_states_backwards(name: str, symmetry: str) -> None:
    """What never changes is no part of a state, also if exchanges rename its kind of values."""
    folded, all_of_them = (check_pointer(name, 3, symmetry=s, direction="backward") for s in (symmetry, "none"))
    assert folded.outcome is all_of_them.outcome is Outcome.HOLDS
    assert 2 * folded.states < all_of_them.states


@pytest.mark.parametrize("name", ["leader", "cycle"])
@pytest.mark.parametrize("symmetry", ["none", "bdd-sorted", "gasr"])
def test_mistakes_are_found_backwards(name: str, symmetry: str) -> None:
    found = check_pointer(f"{name}_bug", 3, symmetry=symmetry, direction="backward")
    assert (found.outcome, found.search) == (Outcome.VIOLATED, "backward")
    assert check_pointer(name, 3, symmetry=symmetry, direction="backward").outcome is Outcome.HOLDS


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("symmetry", ["none", "auto", "gasr"])
def test_all_examples(name: str, symmetry: str) -> None:
    assert check_pointer(name, 3, symmetry=symmetry).outcome is Outcome.HOLDS
    assert check_pointer(f"{name}_bug", 3, symmetry=symmetry).outcome is Outcome.VIOLATED


def test_a_path_through_atomic_sequences_that_block() -> None:
    text = (
        "byte x; active proctype p() { atomic { x = 1; x == 2; assert(x != 2) } }"
        "active proctype q() { atomic { x == 1; x = 2 } }"
    )
    found = check(text)
    assert [v.kind for v in found.violations] == ["assertion"]
    assert [s.pid for s in found.violations[0].trace.steps][-1] == 0


def test_all_errors() -> None:
    text = "byte x; active proctype p() { if :: assert(x) :: x = 1 / x :: false fi }"
    assert {v.kind for v in check(text, all_errors=True).violations} == {"assertion", "division-by-zero"}


def test_a_fault_before_the_start() -> None:
    assert [v.kind for v in check("byte z; byte x = 1 / z; active proctype p() { skip }").violations] == [
        "division-by-zero"
    ]


# ------------------------------------------------------------------------------------------------ symmetry

RING = """
local pointer next;
init {init};
process user {{ mode 0 {{ {rule} }} }}
invariant i: {invariant};
"""


def ring(
    processes: int, invariant: str, rule: str = "do next = next->next->next->next goto 0;", **options: object
) -> Verdict:
    init = " && ".join(f"next[{p}] == {p % processes + 1}" for p in range(1, processes + 1))
    text = RING.format(init=init, rule=rule, invariant=invariant)
    return pipeline.check(load_pointer(text, "ring.ptr", processes), pipeline.options(engine="symbolic", **options))


@pytest.mark.parametrize("processes", [3, 4])
@pytest.mark.parametrize("symmetry", ["bdd-sorted", "gasr"])
def test_the_image_of_a_cycle_is_not_reached(processes: int, symmetry: str) -> None:
    """The anomaly of the paper (6.2.1): exchanging two processes turns a static cycle round."""
    found = ring(processes, "next[1] == 2", rule="goto 0;", symmetry=symmetry)
    assert found.outcome is Outcome.HOLDS
    assert found.states == 1


@pytest.mark.parametrize("symmetry", ["bdd-sorted", "gasr"])
def test_sorting_comes_to_an_end_on_cycles(symmetry: str) -> None:
    """All cycles are initial states, so that processes can be exchanged; the paper's order goes round on them."""
    text = """
local pointer next;
init (forall p: next[p] != NULL && next[p] != p) && (forall p, q: p == q || next[p] != next[q]);
process user { mode 0 { do next = next->next goto 1; } mode 1 { goto 0; } }
invariant i: forall p: next[p] != NULL;
"""
    for processes in (3, 4):
        model = load_pointer(text, "ring.ptr", processes)
        found = pipeline.check(model, pipeline.options(engine="symbolic", symmetry=symmetry))
        plain = pipeline.check(model, pipeline.options(engine="symbolic", symmetry="none"))
        assert found.outcome is plain.outcome is Outcome.HOLDS
        assert found.states < plain.states


PLAIN = "byte x[2]; active [2] proctype p() { do :: x[_pid] = 1 - x[_pid] od }"
BROKEN = {
    "initial states": PLAIN.replace("x[2];", "x[2] = {0, 1};"),
    "violations": PLAIN.replace("od", ":: assert(x[0] == 0 || x[1] == 1) od"),
    "transitions": PLAIN.replace("od", ":: _pid == 0 -> x[0] = 0 od"),
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("strategy", ["bdd-sorted", "gasr"])
def test_an_exchange_that_changes_something_is_not_used(what: str, strategy: str) -> None:
    """Lemma 1 is asked of the diagrams: an engine that is told a wrong symmetry does not believe it."""
    pairs = exchanges(reduce(load_text(PLAIN, "m.pml"), "auto").symmetries)
    method = Method("forward", strategy, pairs)
    assert pairs
    assert not explore(load_text(PLAIN, "m.pml"), Question(), method).notes
    model, asked = load_text(BROKEN[what], "m.pml"), Question(all_errors=True)
    found, plain = explore(model, asked, method), explore(model, asked)
    assert "1 of 1 exchanges" in found.notes[0]
    assert (found.states, len(found.findings)) == (plain.states, len(plain.findings))


FIVE = "byte x[5]; active [5] proctype p() { do :: x[_pid] = 1 - x[_pid] od }"
FAMILIES = {  # and how many of the ten exchanges are none
    "the last is another one": (FIVE.replace("od", ":: assert(_pid != 4 || !x[4]) od"), 4),
    "the first is another one": (FIVE.replace("od", ":: assert(_pid != 0 || !x[0]) od"), 4),
    "all can be turned, none exchanged": (FIVE.replace("od", ":: x[_pid] && x[(_pid + 1) % 5] -> x[_pid] = 2 od"), 10),
}


@pytest.mark.parametrize("what", FAMILIES)
def test_a_family_that_is_none(what: str) -> None:
    """A family is proved by one exchange and a turn; where one of both fails, its exchanges are asked one by one."""
    pairs = exchanges(reduce(load_text(FIVE, "m.pml"), "auto").symmetries)
    text, unused = FAMILIES[what]
    model = load_text(text, "m.pml")
    asked = Question(all_errors=True)
    found, plain = explore(model, asked, Method("forward", "bdd-sorted", pairs)), explore(model, asked)
    assert found.notes[0].startswith(f"{unused} of 10 exchanges")
    assert (found.states == plain.states) == (unused == 10)
    assert len(found.findings) == len(plain.findings)


def test_two_proofs_for_a_family(monkeypatch: pytest.MonkeyPatch) -> None:
    proofs, ask = [], Lemma.kept

    def kept(self: Lemma, *swaps: Swap) -> bool:
        proofs.append(ask(self, *swaps))
        return proofs[-1]

    monkeypatch.setattr(Lemma, "kept", kept)
    assert check(FIVE).outcome is Outcome.HOLDS
    assert proofs == [True, True]


@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_proof_enough(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of pointer automata are not compared as diagrams, which takes longer than a small search."""
    monkeypatch.delattr(Lemma, "follower")
    assert check_pointer(name, 3, symmetry="gasr").outcome is Outcome.HOLDS


LIST = """
global pointer head;
local pointer next;
local discrete flag: 0..1;
init head == NULL && forall p: next[p] == NULL && flag[p] == 0;
process user {
    mode out { do next = head, head = P goto in; }
    mode in {
        when next != NULL && head == P do next->flag = 1 - next->flag goto in;
        when head == P do head = next, next = NULL goto out;
    }
}
invariant ends: forall p: next[p] != NULL ? next[p]->next != p : next[p] == NULL;
"""
BROKEN_LIST = {
    "a step through pointers": LIST.replace("1 - next->flag", "P == 1 ? 1 : 0"),
    "where a pointer leads": LIST.replace("1 - next->flag", "flag[2]"),
    "an invariant": LIST.replace("next[p]->next != p :", "next[p]->next != p || p == 2 :"),
    "a guard": LIST.replace("when next != NULL &&", "when next != NULL && next->next != 1 &&"),
    "initial states": LIST.replace(
        "forall p: next[p] == NULL &&", "next[1] == 1 && forall p: p == 1 || next[p] == NULL &&"
    ),
}


@pytest.mark.parametrize("what", BROKEN_LIST)
def test_an_exchange_that_changes_what_follows_pointers_is_not_used(what: str) -> None:
    good, broken = (load_pointer(text, "m.ptr", 3) for text in (LIST, BROKEN_LIST[what]))
    pairs = exchanges(reduce(good, "auto").symmetries)
    assert len(pairs) == 3
    found = explore(good, Question(deadlock=False), Method("forward", "bdd-sorted", pairs))
    assert not found.notes
    assert found.states < explore(good, Question(deadlock=False)).states
    told = explore(broken, Question(deadlock=False, all_errors=True), Method("forward", "bdd-sorted", pairs))
    assert "exchanges" in told.notes[0]
    plain = explore(broken, Question(deadlock=False, all_errors=True))
    assert {f.kind for f in told.findings} == {f.kind for f in plain.findings}


@pytest.mark.parametrize("name", ["bounded_buffer", "readers_writers"])
def test_all_exchanges_are_used(name: str) -> None:
    """Pointers that only ever name some of the processes: a renaming must not be cut off at their last bit."""
    for processes in (4, 5):
        assert not check_pointer(name, processes).warnings


# ------------------------------------------------------------------------------------------------ size


@pytest.mark.parametrize(("name", "states"), [("leader", 155), ("cycle", 11)])
def test_flat_in_the_number_of_processes(name: str, states: int) -> None:
    """As many states as orbits, and no diagram that grows with what pointers could mean."""
    model = optimise(pipeline.load(POINTER / f"{name}.ptr", processes=10), "full")
    reduction = reduce(model, "auto")
    method = Method("forward", "bdd-sorted", exchanges(reduction.symmetries))
    found = explore(reduction.model, Question(deadlock=False), method)
    assert (found.incomplete, found.states) == ("", states)
    assert found.nodes is not None
    assert found.nodes < 400_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bounded_buffer", "readers_writers"])
def test_thirteen_processes(name: str) -> None:
    assert check_pointer(name, 13).outcome is Outcome.HOLDS


# ------------------------------------------------------------------------------------------------ limits


def test_limits() -> None:
    model = optimise(load_text(peterson(3), "p.pml"), "none")
    assert "--max-states" in explore(model, Question(max_states=100)).incomplete
    assert "--max-depth" in explore(model, Question(max_depth=3)).incomplete
    large = optimise(load_text(peterson(5), "p.pml"), "none")  # far more than can be done in the time to end
    assert "--max-time" in explore(large, Question(max_time=1e-9)).incomplete
    assert "--max-memory" in explore(model, Question(max_memory=100_000)).incomplete


def test_ctrl_c_keeps_what_is_known() -> None:
    def stop(progress: Progress) -> None:
        if progress.depth > 2:
            raise KeyboardInterrupt

    model = optimise(load_text(peterson(2), "p.pml"), "none")
    found = explore(model, Question(progress=stop, progress_interval=0))
    assert found.incomplete == "interrupted"
    assert found.states > 1


# ------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("typedef N { byte b }; N *p; active proctype q() { p = new N }", "objects"),
        ("active proctype p() priority 2 { skip } active proctype q() { skip }", "priorities"),
        ("byte x; active proctype p() { do :: x = _last od }", "_last"),
        ("proctype q() { skip } active proctype p() { do :: _nr_pr < 200 -> run q() od }", "processes are started"),
        ("byte x; active proctype p() { (enabled(1)) } active proctype q() { skip }", "enabled"),
    ],
)
def test_what_cannot_be_encoded(text: str, why: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(text)
    assert cli.main(["check", str(path), "--engine", "symbolic", "--optimise", "none"]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert "m.pml:" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"engine": "symbolic", "symmetry": "exact"}, "auto, none, gasr, bdd-sorted"),
        ({"engine": "explicit", "symmetry": "gasr"}, "exact"),
        ({"engine": "explicit", "direction": "backward"}, "--engine symbolic"),
        ({"engine": "symbolic", "search": "dfs"}, "--search"),
        ({"engine": "symbolic", "por": "on"}, "--por"),
        ({"engine": "symbolic", "threads": 2}, "--threads"),
        ({"engine": "symbolic", "direction": "up"}, "forward, backward"),
        ({"direction": "backward", "all_errors": True}, "--all-errors"),
    ],
)
def test_combinations(given: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pipeline.options(**given)


def test_a_missing_library_says_how_to_install_it() -> None:
    with pytest.raises(UsageError, match=r"pip install 'isospin\[symbolic\]'"):
        imported("no_such_library.cudd")


def test_messages_from_before_the_search_have_values_that_their_variables_no_longer_have() -> None:
    text = "chan c = [1] of {byte}; proctype Q() {byte y; c?y; assert(y == 0)} init {byte x = 5; c!x; x = 0; run Q()}"
    assert check(text, optimise="none").outcome is Outcome.VIOLATED


def test_what_is_received_has_the_range_of_what_is_sent() -> None:
    """Two numbers of 32 bits in one comparison would fill every table."""
    steps = "c!(a * 3 + 1) % 4 :: c?a :: c?b :: a * 3 < b * 5 -> a = b"
    assert check(f"chan c = [1] of {{byte}}; int a, b; active proctype p() {{ do :: {steps} od }}").states == 14


# ------------------------------------------------------------------------------------------------ the choice


def test_auto_says_which_engine_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(POINTER / "leader.ptr")
    assert cli.main(["check", path, "--json", "--direction", "backward"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["engine"], found["search"]) == ("symbolic", "backward")
    assert "--direction" in found["engine_reason"]
    assert cli.main(["check", path, "--json", "--engine", "interp"]) == 0
    assert json.loads(capsys.readouterr().out)["engine_reason"] == "asked for"


def test_auto_takes_sets_for_many_initial_states() -> None:
    text = (
        "local pointer a, b, c;\nprocess p { mode 0 { do a = NULL goto 0; } }\ninvariant i: forall p: mode[p] == 0;\n"
    )
    found = pipeline.check(load_pointer(text, "m.ptr", 4), Options(optimise="none"))
    assert (found.engine, found.outcome) == ("symbolic", Outcome.HOLDS)
    assert "initial states" in found.engine_reason


def test_claims_are_left_to_the_others() -> None:
    found = check("byte x; active proctype p() { x = 1 } ltl l { <> x }")
    assert found.outcome is Outcome.INCOMPLETE
    assert "safety only" in found.reason
