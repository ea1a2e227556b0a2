"""Which threads of a C program are symmetric in which states."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.host import CProgram
from isospin.hosts.c.run import CResult, run
from isospin.hosts.c.telling.compared import told_symmetry
from isospin.hosts.c.telling.unlike import look_at_threads
from isospin.pipeline.programs import c
from isospin.pipeline.settings import CProgramOptions
from tests.support import paths
from tests.support.generators import random_c, random_c_cells, random_c_scanners, random_c_threads

pytest.importorskip("capstone")
pytest.importorskip("elftools")

from isospin.hosts.c.known import Places

SOURCE = paths.PROGRAMS / "c" / "machine_code" / "alike.c"
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
Stop = tuple[int, str, int]  # a thread, until an operation of this kind is its next one for the how many-th time


@cache
def executable(compiler: str) -> tuple[Path, Places]:
    path = build.build([SOURCE], (), compiler)
    return path, Places(path, build.runtime_library(find_compiler(compiler)))


class Scene:
    """A program that is brought to a state."""

    def __init__(self, compiler: str, name: str, stops: list[Stop]) -> None:
        path, places = executable(compiler)
        self.program = CProgram(path, [name], answers=places)
        for thread, kind, times in stops:
            self.go(thread, kind, times)

    def go(self, thread: int, kind: str, times: int) -> None:
        while times:
            assert not self.program.step(thread)
            times -= self.program.pending()[thread].kind == kind

    def alike(self, first: int, second: int) -> bool:
        answers = {self.program.find_renaming(*pair) is not None for pair in ((first, second), (second, first))}
        self.program.close()
        assert len(answers) == 1
        return answers.pop()


CREATED: list[Stop] = [(0, "join", 1)]
# Both are about to take the lock `second`, where one lock is taken before.
MEET: list[Stop] = [*CREATED, (1, "lock", 1), (2, "lock", 1)]
LATER: list[Stop] = [*CREATED, (1, "lock", 2), (2, "lock", 2)]
TRIED: list[Stop] = [*CREATED, (1, "trylock", 1), (1, "lock", 1), (2, "trylock", 1), (2, "lock", 1)]

ALIKE: list[tuple[str, str, list[Stop]]] = [
    ("neither has begun, and the argument does matter to nobody", "led", CREATED),
    ("the argument does not matter any more", "plain", MEET),
    ("a variable names one, which no code reads any more", "led", LATER),
    ("numbers that were there before them look like their addresses", "chance", MEET),
    ("the content of freed blocks", "drops", MEET),
    ("each has a lock in a block of its own", "own_lock", LATER),
    ("different functions with the same text", "same_text", MEET),
    ("what they return is not looked at", "returns", [*CREATED, (1, "end", 1), (2, "end", 1)]),
    ("what they will return is not looked at", "returns", MEET),
    ("both wait", "waits", [*CREATED, (1, "wake", 1), (2, "wake", 1)]),
    ("the threads are in a variable", "global", MEET),
    ("the threads are in a block that will be freed", "allocated", MEET),
    ("each has a cell of its own", "fills", MEET),
    ("the value that will be stored, which nobody reads", "puts_unread", [*CREATED, (1, "write", 1), (2, "write", 1)]),
    ("at the end", "plain", [*CREATED, (1, "end", 1), (2, "end", 1)]),
]
APART: list[tuple[str, str, list[Stop]]] = [
    ("the argument has not been looked at yet", "plain", CREATED),
    ("the argument is read later", "argument", MEET),
    ("they are at different places", "plain", [*CREATED, (1, "lock", 1)]),
    ("one has taken a lock", "plain", [*MEET, (1, "unlock", 1)]),
    ("one holds a lock", "owner", TRIED),
    ("a variable names one", "leads", LATER),
    ("a packed variable names one", "packs", LATER),
    ("a variable has the address of a local", "lends", LATER),
    ("an address of one field leads to others", "field", MEET),
    ("thread-local storage", "stores", MEET),
    ("thread-specific data", "specific", MEET),
    ("a block with other content", "keeps", MEET),
    ("different functions call functions with another text", "other_text", MEET),
    ("different functions with the same text and other values", "paired", MEET),
    ("the same function in stacks of different depth, whose locals others will know", "depth", MEET),
    ("not the same one of two blocks was freed", "frees", MEET),
    ("what they will return is looked at", "results", [(0, "lock", 1), (1, "lock", 1), (2, "lock", 1)]),
    ("an intermediate value, perhaps in a register", "computes", MEET),
    ("errno, which is looked at", "errno", MEET),
    ("both know one of them, in words that are not aligned", "copies", LATER),
    ("a local that only a pointer in the heap leads to", "shows", MEET),
    ("the value that will be stored", "puts_value", [*CREATED, (1, "write", 1), (2, "write", 1)]),
    ("what they return is looked at", "results", [(0, "lock", 1), (1, "end", 1), (2, "end", 1)]),
    ("code that asks for the number of the thread", "asks", MEET),
    ("code that starts threads", "creates", MEET),
    ("one wrote what the other may read", "history", [*CREATED, (1, "update", 1), (2, "update", 1)]),
    ("one was woken", "waits", [*CREATED, (1, "wake", 1), (2, "lock", 1)]),
    (
        "one of them was woken, and neither can go on",
        "wakes",
        [*CREATED, (1, "wake", 1), (2, "wake", 1), (3, "lock", 1), (3, "signal", 1), (3, "unlock", 1)],
    ),
    ("in how many ways they can go on", "tosses", [*CREATED, (1, "toss", 1), (2, "toss", 1)]),
    ("one has drawn a random number", "draws", MEET),
    ("one has slept", "sleeps", MEET),
    ("one has a read lock", "holds_shelf", MEET),
    ("one has waited in vain", "times_out", MEET),
    ("only one is being joined", "only_one", [*CREATED, (1, "lock", 1), (2, "lock", 1)]),
    ("only one is detached", "detached", [(0, "lock", 1), (1, "lock", 1), (2, "lock", 1)]),
]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("name", "stops"), [(n, s) for _, n, s in ALIKE], ids=[why for why, _, _ in ALIKE])
def test_nothing_tells_them_apart(compiler: str, name: str, stops: list[Stop]) -> None:
    if compiler == "clang" and stops == CREATED:
        pytest.skip("clang copies an argument before it forgets it: they are alike only after that")
    assert Scene(compiler, name, stops).alike(1, 2)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("name", "stops"), [(n, s) for _, n, s in APART], ids=[why for why, _, _ in APART])
def test_something_tells_them_apart(compiler: str, name: str, stops: list[Stop]) -> None:
    assert not Scene(compiler, name, stops).alike(1, 2)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_another_thread_knows_one_of_them(compiler: str) -> None:
    assert not Scene(compiler, "third", [*MEET, (3, "lock", 1)]).alike(1, 2)
    assert Scene(compiler, "third", [*MEET, (3, "end", 1)]).alike(1, 2)


def test_main_is_not_like_its_threads() -> None:
    assert not Scene(COMPILERS[0], "plain", MEET).alike(0, 1)


# ---------------------------------------------------------------------------------------------- random programs


Findings = set[tuple[str, int]]
Text = Callable[[list[int]], str]


def findings(result: CResult) -> Findings:
    """Kinds, and which assertions."""
    return {(f.found.kind, getattr(f.found, "pc", 0) * (f.found.kind == "assertion")) for f in result.findings}


def verdicts(seeds: range, place: Path, compiler: str, text: Text) -> tuple[dict[int, tuple[Findings, Findings]], int]:
    """What goes wrong in random programs, without symmetry and with it, only where the two are not the same; and in how
    many programs it saved something."""
    source = place / "random.c"
    source.write_text(text(list(seeds)))
    path = build.build([source], ["-w"], compiler)
    places = Places(path, build.runtime_library(find_compiler(compiler)))
    differ, saved = {}, 0
    for number, seed in enumerate(seeds):
        asked = [SearchRequest(symmetry=kind, all_errors=True, max_executions=20000) for kind in ("none", "discovered")]
        results = [run(path, each, [str(number)], answers=places, options={"leaks": 0}) for each in asked]
        one, other = map(findings, results)
        if one != other and not results[0].incomplete:
            differ[seed] = (one, other)
        if not one and not results[0].incomplete:
            assert (results[1].orbit_sum or 0) <= results[0].executions, seed
        saved += results[1].executions < results[0].executions
    return differ, saved


@pytest.mark.parametrize("compiler", COMPILERS)
def test_random_programs_have_the_same_findings(compiler: str, tmp_path: Path) -> None:
    assert verdicts(range(1060, 1075), tmp_path, compiler, random_c.text)[0] == {}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(5000, 5400, 25))
def test_many_random_programs_have_the_same_findings(first: int, tmp_path: Path) -> None:
    assert verdicts(range(first, first + 25), tmp_path, COMPILERS[first // 25 % len(COMPILERS)], random_c.text)[0] == {}


def test_random_scanners_have_the_same_findings(tmp_path: Path) -> None:
    differ, saved = verdicts(range(30, 36), tmp_path, COMPILERS[0], random_c_scanners.text)
    assert differ == {}
    assert saved > 2


@pytest.mark.slow
@pytest.mark.parametrize("first", range(20000, 20500, 25))
def test_many_random_scanners_have_the_same_findings(first: int, tmp_path: Path) -> None:
    compiler = COMPILERS[first // 25 % len(COMPILERS)]
    assert verdicts(range(first, first + 25), tmp_path, compiler, random_c_scanners.text)[0] == {}


def test_random_workers_that_give_variables_away_have_the_same_findings(tmp_path: Path) -> None:
    differ, saved = verdicts(range(8), tmp_path, COMPILERS[0], random_c_scanners.lenders)
    assert differ == {}
    assert saved > 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(21000, 21500, 25))
def test_many_random_workers_that_give_variables_away_have_the_same_findings(first: int, tmp_path: Path) -> None:
    compiler = COMPILERS[first // 25 % len(COMPILERS)]
    assert verdicts(range(first, first + 25), tmp_path, compiler, random_c_scanners.lenders)[0] == {}


@cache
def old_values(how: str, symmetry: str) -> CResult:
    path = build.build([paths.PROGRAMS / "c" / "old_values.c"], (), "gcc")
    places = Places(path, build.runtime_library(find_compiler("gcc")))
    return run(path, SearchRequest(symmetry=symmetry, all_errors=True), [how], answers=places, options={"leaks": 0})


@pytest.mark.parametrize(
    ("how", "known"),
    [("never", (4, 1)), ("reads", (4, 2)), ("late", (24, 12)), ("library", (4, 2)), ("shown", (164, 70)),
     ("passed", (16, 5))],
)  # fmt: skip
def test_an_old_value_tells_workers_apart_only_where_it_is_read(how: str, known: tuple[int, int]) -> None:
    """That it is not is assumed; a read that comes late, or by a library or another thread, is noticed, and one that is
    left out since another thread goes on for both."""
    plain, folded = old_values(how, "none"), old_values(how, "discovered")
    assert findings(plain) == findings(folded)
    assert (plain.executions, folded.executions) == known


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_threads_that_are_never_alike_are_not_compared_for_ever(workers: int) -> None:
    """The same is decided whoever helps."""
    path = build.build([paths.ROOT / "benchmarks" / "waiting" / "lamport.c"], (), "gcc")
    places = Places(path, build.runtime_library(find_compiler("gcc")))
    asked = SearchRequest(symmetry="discovered", workers=workers)
    result = run(path, asked, answers=places, options={"leaks": 0})
    assert (result.executions, result.successes, result.incomplete) == (9216, 0, "")
    assert result.checks < 2048


def waiting(seeds: list[int]) -> str:
    return random_c_threads.text(seeds, random_c_threads.waiters)


def without_failures(differ: dict[int, tuple[Findings, Findings]]) -> dict[int, tuple[Findings, Findings]]:
    """After a failed assertion nothing is known about the others: where both have one, they may differ in the rest."""

    def failed(findings: Findings) -> bool:
        return any(kind == "assertion" for kind, _ in findings)

    return {seed: (one, other) for seed, (one, other) in differ.items() if not (failed(one) and failed(other))}


def test_random_programs_that_wait_have_the_same_findings(tmp_path: Path) -> None:
    differ, saved = verdicts(range(12), tmp_path, COMPILERS[0], waiting)
    assert without_failures(differ) == {}
    assert saved > 6


@pytest.mark.slow
@pytest.mark.parametrize("first", range(12000, 12500, 25))
def test_many_random_programs_that_wait_have_the_same_findings(first: int, tmp_path: Path) -> None:
    compiler = COMPILERS[first // 25 % len(COMPILERS)]
    assert without_failures(verdicts(range(first, first + 25), tmp_path, compiler, waiting)[0]) == {}


def test_random_programs_with_cells_have_the_same_findings(tmp_path: Path) -> None:
    differ, saved = verdicts(range(20), tmp_path, COMPILERS[0], random_c_cells.text)
    assert differ == {}
    assert saved > 5


@pytest.mark.slow
@pytest.mark.parametrize("first", range(9000, 9600, 25))
def test_many_random_programs_with_cells_have_the_same_findings(first: int, tmp_path: Path) -> None:
    compiler = COMPILERS[first // 25 % len(COMPILERS)]
    assert verdicts(range(first, first + 25), tmp_path, compiler, random_c_cells.text)[0] == {}


# ------------------------------------------------------------------------------------------------ what a search says

BEGIN = """
#include <pthread.h>
#include <stdatomic.h>
atomic_int shared, own[4];
static void *add(void *unused) { shared++; return unused; }
static void *set(void *number) { own[(long)number] = (long)number > SPECIAL; return NULL; }
int main(void)
{
    pthread_t threads[6];
    for (long i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, i < 3 ? add : set, i < 3 ? NULL : (void *)(i - 3));
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""


@pytest.mark.parametrize(("special", "order"), [(9, 36), (1, 12)])
def test_what_a_search_says_of_threads_is_what_a_process_says_that_is_asked(
    tmp_path: Path, special: int, order: int
) -> None:
    source = tmp_path / "begin.c"
    source.write_text(BEGIN)
    path, library = build.build([source], (f"-DSPECIAL={special}",)), build.runtime_library(find_compiler("gcc"))
    places = Places(path, library)
    asked = look_at_threads(places, (), "")
    result = run(path, SearchRequest(symmetry="discovered"), (), answers=places)
    assert result.families is not None
    assert result.families.exchanged == (not asked.obstacles)
    assert told_symmetry(places, result.families, result.pairs) == asked
    assert asked.order == order


def test_nobody_is_asked_what_a_search_has_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "begin.c"
    source.write_text(BEGIN)
    monkeypatch.setattr(c, "_look_at_threads", lambda *_: pytest.fail("a process was asked"))
    found = c.check_files([source], CProgramOptions(defines=("SPECIAL=9",), symmetry="discovered"))
    assert found.symmetry.group_order == "36"
