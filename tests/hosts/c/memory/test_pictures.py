"""A counterexample where order is weak, as an execution graph: which write was seen, and which newer one was not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from isospin import check
from isospin.core.verdict import Violation
from isospin.report.document import trace_document
from isospin.report.html.run_page import page
from isospin.report.html.saved import trace_page
from tests.support import paths

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

SB = paths.PROGRAMS / "c" / "weak" / "store_buffer.c"


def graph_of(file: Path, orders: tuple[str, ...], memory: str = "rc11") -> tuple[Violation, set[tuple[str, str, str]]]:
    """The violation, and its graph as edges between what the events did."""
    violation = check(file, defines=orders, memory=memory).violations[0]
    graph = violation.trace.graph
    assert graph is not None
    words = {event.step: f"{violation.trace.steps[event.step].process}: {event.text}" for event in graph.events}
    return violation, {(kind, words[a], words[b]) for kind, a, b in graph.edges}


def test_the_graph_says_which_newer_write_was_not_seen() -> None:
    _, edges = graph_of(SB, ("ORDER=memory_order_relaxed",))
    missed = {edge for edge in edges if edge[0] == "fr"}
    assert missed in ({("fr", "two: read x: 0", "one: write x: 1")}, {("fr", "one: read y: 0", "two: write y: 1")})
    assert not {edge for edge in edges if edge[0] in ("rf", "mo", "race")}, "both read what was there first"
    assert {edge[1] for edge in edges if edge[0] == "hb"} >= {"main: create"}


PASSING = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, turn;
static int data;
static void *one(void *u) { data = 1; atomic_store_explicit(&flag, 1, ORDER); return u; }
static void *two(void *u) {
    atomic_store_explicit(&turn, 2, memory_order_relaxed);
    int none = 7;
    atomic_compare_exchange_strong_explicit(&turn, &none, 3, memory_order_seq_cst, memory_order_relaxed);
    if (atomic_load_explicit(&flag, memory_order_acquire)) assert(data == WANTED);
    return u;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);
    pthread_join(a, 0); pthread_join(b, 0);
}"""


def test_the_graph_says_what_happens_before_and_what_nothing_orders(tmp_path: Path) -> None:
    """By release and acquire the flag orders what was written before it; relaxed, it is only seen."""
    file = tmp_path / "mp.c"
    file.write_text(PASSING)
    seen = ("one: write flag: 1", "two: read flag: 1")
    violation, edges = graph_of(file, ("ORDER=memory_order_release", "WANTED=2"))
    assert violation.kind == "assertion"
    assert {("rf", *seen), ("hb", *seen)} <= edges
    violation, edges = graph_of(file, ("ORDER=memory_order_relaxed", "WANTED=1"))
    assert violation.kind == "race"
    assert ("rf", *seen) in edges
    assert ("hb", *seen) not in edges
    assert [edge for edge in edges if edge[0] == "race"] == [("race", "one: write data", "two: read data")]


def test_a_failed_exchange_reads_and_has_the_order_for_that(tmp_path: Path) -> None:
    file = tmp_path / "mp.c"
    file.write_text(PASSING)
    graph = check(file, defines=("ORDER=memory_order_release", "WANTED=2"), memory="rc11").violations[0].trace.graph
    assert graph is not None
    assert [event[1:] for event in graph.events if "turn" in event.text] == [
        ("write turn: 2", "relaxed"), ("read turn: 2", "relaxed"),
    ]  # fmt: skip


WRITES = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define SET(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)
#define GET(v) atomic_load_explicit(&v, memory_order_relaxed)
static atomic_int x, y;
static void *one(void *u) { SET(x, 2); SET(y, 1); return u; }
static void *two(void *u) { SET(y, 2); SET(x, 1); return u; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    assert(!(GET(x) == 2 && GET(y) == 2));
}"""


def test_modification_order_is_what_was_chosen(tmp_path: Path) -> None:
    """2+2W: each variable keeps what its first writer wrote, which no order of the steps shows."""
    file = tmp_path / "ww.c"
    file.write_text(WRITES)
    _, edges = graph_of(file, ())
    assert {edge for edge in edges if edge[0] == "mo"} == {
        ("mo", "two: write x: 1", "one: write x: 2"), ("mo", "one: write y: 1", "two: write y: 2"),
    }  # fmt: skip


def test_the_report_draws_the_graph_also_from_a_saved_trace() -> None:
    verdict = check(SB, defines=("ORDER=memory_order_relaxed",), memory="tso")
    drawn = page(verdict, "1")
    picture = drawn[drawn.index('class="execution"') :]
    assert 'class="edge fr"' in picture
    assert "write x: 1" in picture
    assert "did not see" in picture
    saved = json.loads(json.dumps(trace_document(verdict.violations[0], str(SB), (), "1")))
    again = trace_page(saved, "1")
    begin, end = '<section class="execution"', "</section>"
    cut = [text[text.index(begin) : text.index(end, text.index(begin))] for text in (drawn, again)]
    assert cut[0] == cut[1]
