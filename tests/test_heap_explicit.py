"""Objects, pointers and functions in the compiled engine: it counts and finds what the interpreter counts and finds."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from isospin.cli import main
from isospin.engine.contract import Exploration, Question
from isospin.engine.explicit import explore
from isospin.engine.interp.search import explore as explore_interpreted
from isospin.front.promela.load import load, load_text
from isospin.ir.optimise import optimise, originals
from isospin.model import Model
from tests.random_heap import generate

ROOT = Path(__file__).resolve().parent.parent
CORPUS = sorted((ROOT / "tests" / "corpus" / "heap").glob("*.pml"))
EXAMPLES = sorted((ROOT / "examples" / "heap").glob("*.pml"))
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


@pytest.mark.parametrize(("number", "path"), list(enumerate(CORPUS))[::3], ids=lambda p: getattr(p, "stem", ""))
def test_corpus(number: int, path: Path) -> None:
    """Some of all, each in one of the ways of the slow test."""
    model = prepared(load(path), LEVELS[number % 3], number // 3 % 2 == 0, bound_of(path))
    assert_same(model, SEARCHES[number % 2])


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


@pytest.mark.parametrize("seed", [0, 16, 69, 190])
def test_random_model(seed: int) -> None:
    random_case(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_many_random_models(seed: int) -> None:
    random_case(seed)


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


# ------------------------------------------------------------------------------------------------ other searches

QUEUE = ROOT / "examples" / "heap" / "two_lock_queue.pml"


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
    aba = str(ROOT / "examples" / "heap" / "treiber_aba.pml")
    assert main(["check", aba, "--symmetry", "none", "--engine", "explicit", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    (violation,) = document["violations"]
    assert violation["kind"] == "use-after-delete"
    news = [new for s in violation["trace"] for _, new in s["changes"].values() if "in the place of" in str(new)]
    assert news == ["new, in the place of Node#1"]
