"""Objects, pointers and functions in the compiled engine: it counts and finds what the interpreter counts and finds."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.analysis.ample import ample
from isospin.analysis.points import never_compared
from isospin.cli import main
from isospin.core.model import Model
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore
from isospin.engines.interp.liveness import check_claim
from isospin.engines.interp.search import explore as explore_interpreted
from isospin.front.promela.load import load, load_text
from isospin.pipeline.models.claims import confirmed_claim, plan
from isospin.transform.optimise import optimise, originals
from tests.support import paths
from tests.support.generators.random_heap import generate

CORPUS = sorted((paths.CORPUS / "heap").glob("*.pml"))
EXAMPLES = sorted((paths.EXAMPLES / "heap").glob("*.pml"))
LEVELS, SEARCHES = ("none", "spin", "full"), ("bfs", "dfs")
MOST_STATES = 20_000


def prepared(model: Model, level: str, leaks: bool = False, objects: int = 64, recursion: int = 32) -> Model:
    plain = replace(model, claims=(), watch_leaks=leaks, max_objects=objects, max_recursion=recursion)
    return optimise(plain, level)


def bound_of(path: Path) -> int:
    given = re.search(r"--max-objects (\d+)", path.read_text())
    return int(given[1]) if given else 64


def summary(model: Model, found: Exploration) -> tuple[object, ...]:
    findings = {(f.kind, str(f.location)) for f in found.findings}
    return found.states, found.transitions, found.incomplete, findings, originals(model, found.executed)


def assert_same(model: Model, search: str, *more: Question) -> None:
    expected = explore_interpreted(model, Question(search=search, all_errors=True, max_states=MOST_STATES))
    if expected.states >= MOST_STATES:
        return
    for asked in (Question(search=search, all_errors=True), *more):
        assert summary(model, explore(model, asked, "-O0")) == summary(model, expected), asked


@pytest.mark.parametrize(("number", "path"), list(enumerate(CORPUS))[::4], ids=lambda p: getattr(p, "stem", ""))
def test_corpus(number: int, path: Path) -> None:
    """Some of all, each in one of the ways of the slow test."""
    model = prepared(load(path), LEVELS[number % 3], number // 4 % 2 == 0, bound_of(path))
    assert_same(model, SEARCHES[number // 8 % 2])


@pytest.mark.slow
@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_corpus_in_every_way(path: Path) -> None:
    for level in LEVELS:
        for leaks in (False, True):
            for search in SEARCHES:
                assert_same(
                    prepared(load(path), level, leaks, bound_of(path)), search, Question(threads=2, all_errors=True)
                )


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
@pytest.mark.parametrize("leaks", [False, True])
def test_examples(path: Path, leaks: bool) -> None:
    small = ("L=2",) if path.stem == "ordered_list" else ("MOST=1",) if path.stem == "stack" else ()
    for search in SEARCHES:
        assert_same(prepared(load(path, small), "full", leaks), search)


def random_case(seed: int) -> None:
    objects = (64, 3, 70)[seed // 12 % 3]
    model = prepared(load_text(generate(seed), f"random{seed}.pml"), LEVELS[seed % 3], seed // 6 % 2 == 1, objects)
    assert_same(model, SEARCHES[seed // 3 % 2])


@pytest.mark.parametrize("seed", [16, 69])
def test_random_model(seed: int) -> None:
    random_case(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_many_random_models(seed: int) -> None:
    random_case(seed)


def ordered_case(seed: int) -> None:
    """With partial orders: who moves alone in one engine moves alone in the other."""
    plain = prepared(load_text(generate(seed), f"random{seed}.pml"), "none", seed % 8 == 5, (64, 2)[seed // 8 % 2], 5)
    model = optimise(plain, ("none", "full")[seed % 2], por=True)
    model = replace(model, unaliased=never_compared(model)) if seed % 5 else model
    order, asked = ample(model, symmetric=seed % 5 > 0), Question(search=SEARCHES[seed // 2 % 2], all_errors=True)
    expected = explore_interpreted(model, replace(asked, max_states=MOST_STATES), ample=order)
    if expected.states < MOST_STATES:
        assert summary(model, explore(model, asked, "-O0", ample=order)) == summary(model, expected)


@pytest.mark.parametrize("seed", [13])
def test_random_model_with_partial_orders(seed: int) -> None:
    ordered_case(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150))
def test_many_random_models_with_partial_orders(seed: int) -> None:
    ordered_case(seed)


@pytest.mark.parametrize("search", SEARCHES)
def test_an_atomic_sequence_without_end_does_not_hide_what_others_do(search: str) -> None:
    text = """byte z;
    active proctype Q() { z++; assert(false) }
    active proctype P() { byte k; atomic { k = 1; do :: k == 1 -> k = 2 :: k == 2 -> k = 1 od } }"""
    model = optimise(load_text(text, "endless.pml"), "none", por=True)
    order = ample(model)
    assert order is not None
    assert [f.kind for f in explore(model, Question(search=search), "-O0", ample=order).findings] == ["assertion"]


# ------------------------------------------------------------------------------------------------ layouts and bounds

WIDE = """
typedef Big { int a[5]; Big *next[3]; bool b = 1 };
typedef Small { Small *next };
Big *top; Small *s; byte n;
active proctype P() {
    Big *p; Small *q;
    do
    :: n < 3 -> p = new Big; p->a[4] = 1000000 * n; p->next[2] = top; top = p; assert(top->b); n++
    :: n == 3 -> break
    od;
    q = new Small; q->next = s; s = q;
    delete top->next[2]; top->next[2] = null; p = null;
    top->a[n - 3] = -7; assert(top->a[0] == -7)
}
active proctype Q() { top != null -> top->a[3] = 5 }
"""

MANY = """
typedef Node { Node *next };
Node *head; byte n;
active proctype P() { Node *p; do :: n < 80 -> p = new Node; p->next = head; head = p; n++ :: else -> break od }
"""

DEEP = """
byte n;
function down(byte k) : byte {
    byte r; short d = -3;
    if :: k == 0 -> r = 1 :: else -> d = -k; r = down(k - 1); assert(d == -k); r = r + k fi;
    return r
}
active [2] proctype P() { byte x; x = down(6); n = n + x; assert(x == 22) }
"""


def test_an_object_of_several_words() -> None:
    assert_same(prepared(load_text(WIDE, "wide.pml"), "none"), "bfs")


def test_more_slots_than_a_word_has_bits() -> None:
    """The guess of the layout is too small several times."""
    assert_same(prepared(load_text(MANY, "many.pml"), "none", leaks=True, objects=100), "dfs")


def test_recursion_saves_and_restores() -> None:
    assert_same(prepared(load_text(DEEP, "deep.pml"), "none"), "bfs")


def test_bounds_are_never_silent() -> None:
    deep, many = load_text(DEEP, "deep.pml"), load_text(MANY, "many.pml")
    for model in (prepared(deep, "full", recursion=4), prepared(many, "full", objects=5)):
        assert_same(model, "bfs")
        found = explore(model, Question(all_errors=True), "-O0")
        assert found.incomplete.endswith(("(--max-recursion)", "(--max-objects)"))
        assert not found.findings, "a bound is no deadlock"


def test_a_fault_in_the_first_step_of_an_atomic_sequence_is_seen() -> None:
    """Whether what follows can fault says nothing about the step itself."""
    text = "bool a[2], j, k; byte i;\nactive proctype P() { i = 7; atomic { a[i] = 1; j = false; k = true } }"
    found = explore(load_text(text, "atomic.pml"), Question(all_errors=True), "-O0")
    assert [f.kind for f in found.findings] == ["out-of-range"]


# ------------------------------------------------------------------------------------------------ claims

LIST = """
typedef Node { byte key; Node *next };
Node *head; byte length;
active proctype inserter() {
    Node *n;
    do :: atomic { length < 2 -> n = new Node; n->key = length; n->next = head; head = n; n = null; length++ } od
}
active proctype extractor() {
    Node *n;
    do :: atomic { head != null -> n = head; head = n->next; length--; delete n; n = null } od
}
"""
CLAIMS = [
    ("[] (length <= 2)", "holds"), ("[] (length == 2 -> <> (length == 0))", "acceptance-cycle"),
    ("[] (head == null || head->key + 1 == length)", "holds"),
    ("<> [] (head != null && head->key == 1)", "acceptance-cycle"),
    ("[] (head == null || head->key == 0)", "claim"), ("[] (head->key == 0)", "null-dereference"),
    ("[] (head != null -> head->next == null || head->next->key == 0)", "holds"),
]  # fmt: skip


def claim_outcome(text: str, engine: str, **chosen: object) -> str:
    """The kind of the violation, whose run was confirmed on the user's model; or the outcome."""
    verdict = pipeline.check(pipeline.load(text), pipeline.options(engine=engine, ltl="p", **chosen))
    return verdict.violations[0].kind if verdict.violations else str(verdict.outcome.value)


@pytest.mark.parametrize(("formula", "expected"), CLAIMS)
def test_claims_about_objects(formula: str, expected: str) -> None:
    assert claim_outcome(LIST + f"ltl p {{ {formula} }}", "interp") == expected


@pytest.mark.slow
@pytest.mark.parametrize(("formula", "expected"), CLAIMS)
def test_claims_about_objects_in_the_compiled_engine(formula: str, expected: str) -> None:
    assert claim_outcome(LIST + f"ltl p {{ {formula} }}", "explicit") == expected


FORMULAS = (
    "[] (n < 2)", "<> (g0 != null)", "[] (g0 == null || <> (g0 == null))", "<> [] (g0 == g1)",
    "[] (h == null || h->who == 0)", "[] <> (n == 1)", "<> (n == 2)",
)  # fmt: skip


def claim_case(seed: int) -> None:
    """Both engines say the same of a formula, and what they find is a run of the model that violates it."""
    text = generate(seed) + f"ltl p {{ {FORMULAS[seed % len(FORMULAS)]} }}\n"
    model = replace(load_text(text, f"random{seed}.pml"), max_recursion=5, max_objects=(64, 3)[seed // 7 % 2])
    options, claim, asked = pipeline.options(), model.claims[0], Question(search="dfs", max_states=MOST_STATES)
    way = plan(model, claim, options)
    expected = check_claim(way.model, claim, asked, None, None)
    found = explore(way.model, asked, "-O0", claim=claim)
    kinds = [
        [confirmed_claim(model, way.searched, claim, f, None, options).kind for f in x.findings[:1]]
        for x in (expected, found)
    ]
    assert kinds[0] == kinds[1]
    assert expected.states >= MOST_STATES or expected.incomplete == found.incomplete


@pytest.mark.parametrize("seed", [10])
def test_random_claims(seed: int) -> None:
    claim_case(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(140))
def test_many_random_claims(seed: int) -> None:
    claim_case(seed)


def test_a_claim_behind_a_bound_is_not_said_to_hold() -> None:
    text = """typedef T { T *next };
    T *p; byte n;
    active proctype P() { T *q; do :: n < 3 -> q = new T; q->next = p; p = q; n++ :: else -> break od }
    ltl p { [] (n < 3) }"""
    assert claim_outcome(text, "interp", max_objects=2) == "incomplete"
    assert claim_outcome(text, "interp", max_objects=3) == "claim"


@pytest.mark.parametrize("engine", ["interp", "explicit"])
def test_an_atomic_sequence_without_end_does_not_hide_what_a_claim_sees(engine: str) -> None:
    text = """byte z;
    active proctype Q() { z++ }
    active proctype P() { byte k; atomic { k = 1; do :: k == 1 -> k = 2 :: k == 2 -> k = 1 od } }
    ltl p { [] (z == 0) }"""
    assert claim_outcome(text, engine, por="on") == "claim"


# ------------------------------------------------------------------------------------------------ other searches

QUEUE = paths.EXAMPLES / "heap" / "two_lock_queue.pml"


def test_threads_tables_and_checkpoints(tmp_path: Path) -> None:
    model = prepared(load(QUEUE, ("MOST=1",)), "full")
    plain = explore(model, Question(), "-O0")
    assert explore(model, Question(threads=2), "-O0").states == plain.states
    assert explore(model, Question(fingerprint=True), "-O0").states == plain.states
    assert 0 < explore(model, Question(bitstate=1 << 20), "-O0").states <= plain.states
    saved = str(tmp_path / "saved")
    part = explore(model, Question(max_states=plain.states // 2, checkpoint=saved), "-O0")
    assert part.incomplete
    whole = explore(model, Question(resume=saved), "-O0")
    assert (whole.states, whole.transitions, whole.incomplete) == (plain.states, plain.transitions, "")


def test_a_search_that_goes_on_remembers_what_was_cut_off(tmp_path: Path) -> None:
    text = """typedef T { T *next };
    T *p, *q; byte n;
    active proctype P() { p = new T; if :: q = new T :: skip fi; do :: n < 200 -> n++ :: n == 200 -> break od }"""
    model, saved = prepared(load_text(text, "cut.pml"), "none", objects=1), str(tmp_path / "saved")
    assert explore(model, Question(max_states=100, checkpoint=saved), "-O0").incomplete
    assert "--max-objects" in explore(model, Question(resume=saved), "-O0").incomplete


def test_a_trace_of_the_compiled_engine_names_what_is_used_again(capsys: pytest.CaptureFixture[str]) -> None:
    aba = str(paths.EXAMPLES / "heap" / "treiber_aba.pml")
    assert main(["check", aba, "--symmetry", "none", "--engine", "explicit", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    (violation,) = document["violations"]
    assert violation["kind"] == "use-after-delete"
    news = [new for s in violation["trace"] for _, new in s["changes"].values() if "in the place of" in str(new)]
    assert news == ["new, in the place of Node#1"]
