"""Our C under the compiler's sanitizers: memory, undefined behaviour, and races of the parallel search.

docs/develop/testing.md says what they can see here and what not.  A sanitizer that finds something ends the process, so
a model or a program does not get the verdict that it states about itself.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.engines.contract import Exploration, Question
from isospin.engines.explicit import explore
from isospin.engines.explicit.drive import build as of_explicit
from isospin.hosts.c.building import build as of_c
from isospin.hosts.processes import build as of_processes
from isospin.symmetry.reduction import reduce
from tests.engines.explicit.test_claims import SHARED
from tests.hosts.c import c_memory
from tests.support import expectations, memory_programs, paths

MEMORY = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-wrapv", "-g1")
THREADS = ("-fsanitize=thread", "-g1")
# Inside of a program that is checked there is no room for the library of a sanitizer: what is undefined is a trap.
TRAPS = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
MODELS = sorted((paths.CORPUS).rglob("*.pml"))
C_PROGRAMS = sorted(p for p in (paths.PROGRAMS / "c").glob("*.c*") if "expect: " in p.read_text())
PROCESSES = sorted(p for p in (paths.PROGRAMS / "processes").glob("*.c") if "expect: " in p.read_text())

pytestmark = pytest.mark.skipif(sys.platform != "linux" or shutil.which("gcc") is None, reason="gcc on Linux is needed")


@cache
def works(flags: tuple[str, ...]) -> bool:
    """Some systems have the compiler without the libraries of its sanitizers."""
    command = [*of_explicit.compiler(), *flags, "-xc", "-", "-o", "/dev/null"]
    done = subprocess.run(command, input="int main(void) { return 0; }", text=True, capture_output=True, check=False)
    return done.returncode == 0


def need(flags: tuple[str, ...]) -> None:
    if not works(flags):
        pytest.skip(f"the compiler cannot {flags[0]}")


# -------------------------------------------------------------------------------------------------- the checker


@pytest.fixture
def watched_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    need(MEMORY)
    monkeypatch.setattr(of_explicit, "FLAGS", (*of_explicit.FLAGS, *MEMORY))
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")  # a checker that ends gives nothing back before


def test_memory_of_the_checker(watched_memory: None) -> None:
    text = "chan c = [2] of { byte, short }; active [2] proctype P() { byte i; c!i, -5; c?i, _; assert(i == 0) }"
    found = explore(pipeline.load(text), Question(all_errors=True))
    assert (found.incomplete, found.findings) == ("", [])


STACK = """
typedef T { T *next; byte value };
T *top; chan c = [2] of { byte, short };
function push(byte n) { T *p; p = new T; p->value = n; atomic { p->next = top; top = p } }
active [2] proctype P() { byte i; push(1); c!i, -5; c?i, _; assert(top != null && top->value == 1) }
"""


@pytest.mark.slow
def test_memory_of_folding(watched_memory: None) -> None:
    """Objects, calls, messages and symmetric processes, in one small model."""
    one = reduce(pipeline.load(STACK), "exact")
    found = explore(one.model, Question(all_errors=True), folding=one.folding)
    assert (found.incomplete, found.findings) == ("", [])


@pytest.mark.slow
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_memory_of_the_checker_on_the_corpus(watched_memory: None, path: Path) -> None:
    expectations.check(path)
    if "--no-claim" in expectations.expectation(path).options:  # what is expected is that of the system alone
        assert expectations.verdict(path)["outcome"] != "incomplete"


@pytest.mark.slow
@pytest.mark.parametrize("options", [
    ["--search", "dfs"], ["--bitstate", "1M"], ["--fingerprint"], ["--fair", "--ltl", "[]<> b"], ["--ltl", "<>[] b"],
])  # fmt: skip
def test_memory_of_other_searches(watched_memory: None, tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "toggles.pml"
    path.write_text("bool b; byte n; active [3] proctype P() { do :: b = !b :: n < 200 -> n++ :: else od }")
    expectations.verdict(path, *options)


@pytest.mark.slow
def test_memory_of_a_search_that_is_saved_and_goes_on(watched_memory: None, tmp_path: Path) -> None:
    model, saved = pipeline.load(WIDE), str(tmp_path / "saved")
    first = explore(model, Question(checkpoint=saved, max_states=3000))
    assert "as many states were stored as allowed" in first.incomplete
    whole = explore(model, Question(resume=saved))
    assert (whole.states, whole.incomplete) == (explore(model, Question()).states, "")


# -------------------------------------------------------------------------------------------------- its threads


NARROW = """
byte x; chan c = [2] of { byte };
active [2] proctype P() {
    byte i;
    do
    :: i < MOST -> i++; x = (x + 1) % 3; assert(x < 2)
    :: c!i
    :: c?i
    :: atomic { i > 3 -> i = i - 2; x = 0; assert(i < 3) }
    :: else -> break
    od
}
"""
WIDE = "int a, b, c;" + "".join(
    f"active proctype p{v}() {{ byte i; do :: i < 11 -> {v} = {v} * 31 + 1000003; i++; assert({v} != 31) "
    ":: else -> break od }\n"
    for v in "abc"
)


def searched_in_parallel(text: str, question: Question) -> Exploration:
    need(THREADS)
    return explore(pipeline.load(text), question, "-O1", THREADS)


def test_threads_of_the_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table grows, paths are printed while others go on, and all meet at the end of each level."""
    monkeypatch.setenv("TSAN_OPTIONS", "halt_on_error=1")
    found = searched_in_parallel(NARROW.replace("MOST", "5"), Question(threads=2, all_errors=True))
    assert found.incomplete == ""
    assert len(found.findings) == 2


@pytest.mark.slow
@pytest.mark.parametrize("text", SHARED.values(), ids=SHARED)
def test_threads_that_search_for_cycles(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """They give each other work, and wait for each other."""
    need(THREADS)
    monkeypatch.setenv("TSAN_OPTIONS", "halt_on_error=1")
    model = pipeline.load(text.replace("[5]", "[3]"))
    assert explore(model, Question(threads=3), "-O1", THREADS, claim=model.claims[0]).incomplete == ""


@pytest.mark.slow
@pytest.mark.parametrize(("text", "question"), [
    (NARROW, Question(threads=3, all_errors=True)), (NARROW, Question(threads=3)), (WIDE, Question(threads=3)),
    (WIDE, Question(threads=2, all_errors=True)), (NARROW, Question(threads=3, max_states=2000, all_errors=True)),
    (NARROW, Question(threads=2, bitstate=1 << 20)), (NARROW, Question(threads=2, fingerprint=True)),
])  # fmt: skip
def test_threads_of_all_tables(monkeypatch: pytest.MonkeyPatch, text: str, question: Question) -> None:
    monkeypatch.setenv("TSAN_OPTIONS", "halt_on_error=1")
    found = searched_in_parallel(text.replace("MOST", "9"), question)
    assert "the checker" not in found.incomplete


# -------------------------------------------------------------------------------------------------- C programs


@pytest.fixture
def trapping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_c, "RUNTIME_FLAGS", (*of_c.RUNTIME_FLAGS, *TRAPS))
    monkeypatch.setattr(of_processes, "FLAGS", (*of_processes.FLAGS, *TRAPS))


def test_memory_of_the_search_inside_c_programs(tmp_path: Path) -> None:
    """Search, partial orders, symmetry and messages as a program of their own, where nobody else owns the memory."""
    need(MEMORY)
    checked = c_memory.host(tmp_path, "-O0", *MEMORY)
    said = c_memory.explore(checked, [memory_programs.random_code(seed) for seed in range(3)], "symmetry=1")
    assert all(run.result for run in said)


@pytest.mark.slow
@pytest.mark.parametrize("path", C_PROGRAMS, ids=lambda path: path.name)
def test_the_runtime_of_c_programs_on_the_corpus(trapping: None, path: Path) -> None:
    """With traps in it, the machine code of the runtime says less about blocks, so less is folded."""
    expectations.check(path, counts=False)


@pytest.mark.parametrize("path", PROCESSES[:1], ids=lambda path: path.name)
def test_the_runtime_of_processes(trapping: None, path: Path) -> None:
    expectations.check(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", PROCESSES, ids=lambda path: path.name)
def test_the_runtime_of_processes_on_the_corpus(trapping: None, path: Path) -> None:
    expectations.check(path)
