"""Automata in the Hanoi format: what is written is read again and means the same; what is read becomes a claim."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import isospin
from isospin.cli import main
from isospin.core.errors import SourceError
from isospin.core.model import Temporal
from isospin.ltl.automaton import components
from isospin.ltl.hoa import HoaAutomaton, never_claim, read_hoa, written_hoa
from isospin.ltl.lasso import satisfies
from isospin.ltl.translate import automaton
from tests.ltl.formulas import CLASSIC, Word, name_of, random_formula, random_lasso, text
from tests.support.generators import random_live


def accepts(found: HoaAutomaton, word: Word, back: int) -> bool:
    """By the definition: a run that is in every set for ever, as a strongly connected part of the product."""
    nodes = [(i, q) for i in range(len(word)) for q in found.edges]
    number = {node: k for k, node in enumerate(nodes)}
    arcs: list[list[tuple[int, frozenset[int]]]] = []
    for i, q in nodes:
        after = i + 1 if i + 1 < len(word) else back
        arcs.append([(number[after, e.target], e.marks) for e in found.edges[q] if is_true(e.label, word[i])])
    reached, todo = set(), [number[0, q] for q in found.starts]
    while todo:
        if (node := todo.pop()) not in reached:
            reached.add(node)
            todo += [t for t, _ in arcs[node]]
    for part in map(set, components([[t for t, _ in leaving] for leaving in arcs])):
        inside = [marks for k in part & reached for t, marks in arcs[k] if t in part]
        if inside and frozenset().union(*inside) >= frozenset(range(found.sets)):
            return True
    return False


def is_true(label: str, letters: set[str]) -> bool:
    words = label.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    return bool(eval(re.sub(r"\b[pqr]\b", lambda m: str(m[0] in letters), words)))


def round_trip(formula: Temporal, random: Random, words: int = 20) -> None:
    buchi = automaton(formula)
    found = read_hoa(written_hoa(buchi, [name_of(a) for a in buchi.atoms], text(formula), "0"), "f.hoa")
    assert found.name == text(formula)
    for _ in range(words):
        word, back = random_lasso(random)
        truth = satisfies(formula, len(word), back, lambda e, i, word=word: name_of(e) in word[i])  # type: ignore[misc]
        assert accepts(found, word, back) == truth, (text(formula), word, back)


def test_what_is_written_is_read_again_and_means_the_same() -> None:
    for formula in CLASSIC:
        round_trip(formula, Random(1))
    for seed in range(60):
        random = Random(seed)
        round_trip(random_formula(random, random.randint(2, 10)), random)


@pytest.mark.slow
def test_many_are_read_again() -> None:
    for seed in range(1000):
        random = Random(50_000 + seed)
        round_trip(random_formula(random, random.randint(2, 12)), random, words=40)


# -------------------------------------------------------------------------------------------------- as claims

HEAD = 'HOA: v1\nStart: 0\nAP: 2 "x == 1" "b[0]"\n'
# infinitely often x == 1 and infinitely often b[0], in four ways to write it
BOTH = {
    "two sets on transitions": "acc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\n--BODY--\nState: 0\n"
    "[0&1] 0 {0 1}\n[0&!1] 0 {0}\n[!0&1] 0 {1}\n[!0&!1] 0\n--END--\n",
    "implicit labels": "Acceptance: 2 (Inf(1)) & Inf(0)\n--BODY--\nState: 0\n0 0 {0} 0 {1} 0 {0 1}\n--END--\n",
    "aliases and states": "Alias: @a 0\nAlias: @n !@a\nAcceptance: 1 Inf(0)\n--BODY--\n"
    'State: 0 "wait for x"\n[@a&1] 2\n[@a&!1] 1\n[@n] 0\nState: 1 /* then for b */\n[1] 2\n[!1] 1\n'
    "State: 2 {0}\n[@a & 1] 2\n[@a & !1] 1\n[@n] 0\n--END--\n",
    "several starts": "Start: 1\nAcceptance: 2 Inf(0)&Inf(1)\n--BODY--\nState: 1\n[f] 1\nState: 0\n[t] 0\n[0|0] 2 {0}\n"
    "[!(!1)] 2 {1}\nState: 2\n[t] 2\n[0] 2 {0}\n[1] 2 {1}\n--END--\n",
}


def test_an_automaton_and_its_formula_have_the_same_verdict(tmp_path: Path) -> None:
    seen = set()
    for seed in range(5):
        live = random_live.generate(seed)
        want = isospin.check(live.text, ltl="!([]<> (x == 1) && []<> b[0])", engine="interp").outcome.value
        for name, body in BOTH.items():
            file = tmp_path / "both.hoa"
            file.write_text(HEAD + body)
            verdict = isospin.check(live.text, claim=str(file), engine="interp")
            assert verdict.outcome.value == want, (seed, name)
            assert [p.name for p in verdict.properties] == ["both.hoa"]
        seen.add(want)
    assert seen == {"holds", "violated"}


@pytest.mark.parametrize("name", BOTH)
def test_once_is_not_again_and_again(name: str, tmp_path: Path) -> None:
    file = tmp_path / "both.hoa"
    file.write_text(HEAD + BOTH[name])
    once = "byte x; bool b[2]; active proctype p() { x = 1; b[0] = 1; x = 0; b[0] = 0; do :: skip od }"
    turns = "byte x; bool b[2]; active proctype p() { do :: x = 1; b[0] = 1; x = 0; b[0] = 0 od }"
    found = [isospin.check(text, claim=str(file), engine="interp").outcome.value for text in (once, turns)]
    assert found == ["holds", "violated"]


def check_as_claim(seed: int, folder: Path) -> str:
    """A formula, and the automaton of its negation that we write, read as a claim."""
    live = random_live.generate(seed)
    model, hoa = folder / "m.pml", folder / "m.hoa"
    model.write_text(live.text)
    assert main(["automaton", live.formula, "--model", str(model), "--negated", "--out", str(hoa)]) == 0
    want = isospin.check(model, ltl=live.formula, engine="interp")
    assert isospin.check(model, claim=str(hoa), engine="interp").outcome == want.outcome, (seed, live.formula)
    return str(want.outcome.value)


def test_formulas_go_out_and_come_back_as_claims(tmp_path: Path) -> None:
    assert {check_as_claim(seed, tmp_path) for seed in range(30)} == {"holds", "violated"}


@pytest.mark.slow
def test_many_formulas_come_back_as_claims(tmp_path: Path) -> None:
    for seed in range(1000, 1500):
        check_as_claim(seed, tmp_path)


def test_both_engines_check_it(tmp_path: Path) -> None:
    file = tmp_path / "never.hoa"
    file.write_text('HOA: v1\nname: "x again and again"\nStart: 0\nAP: 1 "x"\nAcceptance: 1 Inf(0)\n--BODY--\n'
                    "State: 0\n[0] 0 {0}\n[!0] 0\n--END--\n")  # fmt: skip
    for engine in ("interp", "explicit"):
        bad = isospin.check("bool x; active proctype p() { do :: x = !x od }", claim=str(file), engine=engine)
        good = isospin.check("bool x; active proctype p() { x = 1; x = 0 }", claim=str(file), engine=engine)
        assert (bad.outcome.value, good.outcome.value) == ("violated", "holds")
        assert bad.violations[0].property == "x again and again"


# -------------------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("HOA: v2\n", 1, "version v2"),
        ("HOA: v1\nStart: 0 & 1\n", 2, "universal branching"),
        ("HOA: v1\nStart: 0\nAcceptance: 1 Fin(0)\n--BODY--\n--END--\n", 3, "only Buchi"),
        ("HOA: v1\nStart: 0\nAcceptance: 2 Inf(0)|Inf(1)\n--BODY--\n--END--\n", 3, "only Buchi"),
        ("HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[1] 0\n--END--\n", 6, "no proposition 1"),
        ("HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 4\n--END--\n", 1, "no state 4"),
        ("HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0\n", 7, "'--END--'"),
        ("HOA: v1\nMystery: 0\n", 2, "not known"),
        ("never { }", 1, "expected 'HOA:'"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_place(content: str, line: int, said: str) -> None:
    with pytest.raises(SourceError) as error:
        read_hoa(content, "a.hoa")
    (problem,) = error.value.diagnostics
    assert said in problem.message
    assert problem.location.line == line


def test_a_proposition_that_the_model_does_not_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, file = tmp_path / "m.pml", tmp_path / "c.hoa"
    model.write_text("bool x; active proctype p() { x = 1 }\n")
    file.write_text('HOA: v1\nStart: 0\nAP: 2 "x" "nobody > 1"\nAcceptance: 0 t\n--BODY--\nState: 0\n[1] 0\n--END--\n')
    assert main(["check", str(model), "--claim", str(file)]) == 2
    said = capsys.readouterr().err
    assert f"{file}:3:" in said
    assert "nobody" in said


def test_the_claim_of_an_automaton_is_small_and_plain() -> None:
    found = read_hoa(HEAD + "Acceptance: 0 t\n--BODY--\nState: 0\n[!0] 0\n--END--\n", "a.hoa")
    text = " ".join(never_claim(found, "n").split())
    assert text == "never n { accept_S0_0: if :: (!(x == 1)) -> goto accept_S0_0 fi; }"


def test_a_formula_without_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["automaton", "[] (ready -> <> (level > 2))"]) == 0
    out = capsys.readouterr().out
    assert 'AP: 2 "ready" "level > 2"' in out
    assert read_hoa(out, "f").sets == 1
    assert main(["automaton", "[] ("]) == 2
