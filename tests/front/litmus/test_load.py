"""Litmus tests are read as herd reads them; mistakes have their place and a hint."""

from __future__ import annotations

import pytest

from isospin.core.errors import SourceError
from isospin.front.litmus.conditions import holds_in
from isospin.front.litmus.load import read_test
from isospin.front.litmus.program import state_of, write_program
from isospin.front.litmus.test import LitmusTest

THREAD = "P0 (atomic_int* x) {\n  int r0 = atomic_load(x);\n}\n"
WHOLE = """C MP+rel+acq
"Message passing, with a release and an acquire"
Generator=by hand
{ [x] = 3; atomic_int y = -1; mutex m; int z; }

P0 (volatile atomic_int *x, atomic_int* y, mutex* m) { // a comment with a }
  atomic_store_explicit(x, 1, memory_order_relaxed); /* and { another */
  if (*y) { lock(m); *y = '}'; unlock(m); }
}

P1(atomic_int* y, atomic_int* x, int* z) {
  int r0 = atomic_load_explicit(y, memory_order_acquire); (void)"}";
  int r1 = *x;
}
locations [z; 1:r1;]
exists (1:r0=1 /\\ ~(1:r1=0x10 \\/ not [x] <> 2) \\/ true)
"""


def read(condition: str = "exists (x=0)", threads: str = THREAD, initial: str = "{}") -> LitmusTest:
    return read_test(f"C T\n{initial}\n{threads}{condition}\n", "t.litmus")


def test_all_that_there_is() -> None:
    test = read_test(WHOLE, "mp.litmus")
    assert (test.name, test.quantifier, test.location.line) == ("MP+rel+acq", "exists", 16)
    shared = {(v.name, v.type, v.value) for v in test.shared}
    assert shared == {("x", "atomic_int", 3), ("y", "atomic_int", -1), ("z", "int", 0), ("m", "mtx_t", 0)}
    assert test.shown == ("1:r0", "1:r1", "x", "z")
    assert [p.name for p in test.threads[0].parameters] == ["x", "y", "m"]
    assert test.threads[0].body.rstrip().endswith("unlock(m); }")
    assert (test.threads[1].begin.line, test.threads[1].location.line) == (11, 11)
    assert test.asked == "(1:r0=1 /\\ ~(1:r1=16 \\/ ~(x!=2))) \\/ true"


@pytest.mark.parametrize(("text", "states"), [
    ("0:r0=1 /\\ x=2 \\/ x=3", [(1, 2), (0, 3), (1, 3)]),
    ("0:r0=1 /\\ (x=2 \\/ x=3)", [(1, 2), (1, 3)]),
    ("~(0:r0=1) /\\ not x=2", [(0, 3)]),
    ("0:r0 != 1 /\\ x <> 3", [(0, 2)]),
    ("true /\\ ~false", [(0, 2), (0, 3), (1, 2), (1, 3)]),
])  # fmt: skip
def test_what_conditions_mean(text: str, states: list[tuple[int, int]]) -> None:
    condition = read(f"exists ({text})").condition
    every = [(r, x) for r in (0, 1) for x in (2, 3)]
    assert sorted(states) == [(r, x) for r, x in every if holds_in(condition, {"0:r0": r, "x": x})]


@pytest.mark.parametrize("text", ["~exists (x=1)", "~ exists x=1", "not exists (x=1)", 'not exists (x=1) "a remark"'])
def test_ways_to_say_that_there_is_none(text: str) -> None:
    assert read(text).quantifier == "~exists"


def test_states_come_back_as_they_were_said() -> None:
    assert state_of("0:r0=-1; 1:r1=2; x=3;") == {"0:r0": -1, "1:r1": 2, "x": 3}
    assert state_of("") == {}


def test_code_keeps_its_place() -> None:
    lines = write_program(read()).split("\n")
    begin = lines.index('#line 3 "t.litmus"', lines.index("static void code_0(atomic_int *x) {"))
    assert lines[begin + 2] == "  int r0 = atomic_load(x);"


@pytest.mark.parametrize(("text", "place", "message", "hint"), [
    ("X86 T\n{}\n", "1:1", "this is no litmus test for C", "in assembly"),
    ("C\n{}\n", "1:1", "the test has no name", "the first line"),
    ("", "1:1", "this is no litmus test for C", ""),
    ("C T\n", "2:1", "expected '{' and the initial values", ""),
    ("C T\n{ x = ; }\n", "2:7", "expected a number", ""),
    ("C T\n{ x = &y; }\n", "2:7", "initial values are numbers", "pointers"),
    ("C T\n{ int *x; }\n", "2:7", "pointers and arrays", "integers"),
    ("C T\n{ 0:r0 = 1; }\n", "2:3", "registers have no initial values", "int r0 = 1"),
    ("C T\n{}\nexists (x=0)\n", "3:1", "expected a thread", ""),
    ("C T\n{}\nP1 () {}\n", "3:1", "this is thread P0", "call it P0"),
    ("C T\n{}\nP0 (int x) {}\n", "3:9", "a thread is given addresses", "atomic_int* x"),
    ("C T\n{}\nP0 (int* x) {\n", "3:13", "this '{' is never closed", ""),
    ("C T\n{}\nP0 (int* x) {}\n", "4:1", "expected `exists`, `~exists` or `forall`", ""),
    ("C T\n{}\nP0 (int* x) {}\n~forall (x=1)\n", "4:2", "expected `exists`", ""),
    ("C T\n{}\nP0 (int* x) {}\nfilter (x=1)\nexists (x=0)\n", "4:1", "filters are not read", "condition"),
    ("C T\n{}\nP0 (int* x) {}\nexists (x=)\n", "4:11", "expected a number", ""),
    ("C T\n{}\nP0 (int* x) {}\nexists (x)\n", "4:10", "expected '=' and a number", ""),
    ("C T\n{}\nP0 (int* x) {}\nexists (x=0\n", "5:1", "expected ')'", ""),
    ("C T\n{}\nP0 (int* x) {}\nexists (x=0) y\n", "4:14", "expected the end of the test", ""),
    ("C T\n{}\nP0 (int* x) {}\nexists (y=0)\n", "4:9", "no shared variable 'y'", "there are x"),
    ("C T\n{}\nP0 (int* x) { int r0 = *x; }\nexists (0:r1=0)\n", "4:9", "thread 0 has no register 'r1'", "r0"),
    ("C T\n{}\nP0 (int* x) {}\nexists (1:r0=0)\n", "4:9", "there is no thread 1", "0 to 0"),
    ("C T\n{}\nP0 (int* x) {}\nP1 (atomic_int* x) {}\nexists (x=0)\n", "4:17", "'x' is int in line 3", "same type"),
    ("C T\n{}\nP0 (int* x) {}\nexists " + "(" * 600 + "\n", "4:108", "nested too deeply", ""),
])  # fmt: skip
def test_mistakes(text: str, place: str, message: str, hint: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_test(text, "t.litmus")
    first = caught.value.diagnostics[0]
    assert f"{first.location.line}:{first.location.column}" == place
    assert message in first.message
    assert hint in first.hint
