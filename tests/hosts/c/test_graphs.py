"""The search over execution graphs in the runtime: as many executions as the axioms allow, and what it says of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from random import Random

import pytest

from isospin import check
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.build import runtime_library
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.constants import Incomplete, Tried
from isospin.hosts.c.known import Places
from isospin.hosts.c.run import CResult, run
from isospin.pipeline.programs.c import _over_graphs, _tried_over_graphs, _what_speaks_for
from tests.support import paths
from tests.support.oracles import count_oracle, graph_oracle

HERE = paths.PROGRAMS / "c" / "weak"
MODELS = ("sc", "tso", "rc11")
# Numbers of executions: sc (where what nobody reads has no order), tso, rc11.
CLASSICAL = {
    ("Sx0Ly0", "Sy0Lx0"): (3, 4, 4), ("Sx0Sy0", "Ly0Lx0"): (3, 3, 4), ("Lx0Sy0", "Ly0Sx0"): (3, 3, 3),
    ("Sx0", "Sy0", "Lx0Ly0", "Ly0Lx0"): (15, 15, 16), ("Sx0Sy0", "Sy0Sx0"): (1, 3, 4), ("Sx0Sy3", "Ly2Lx0"): (3, 3, 3),
    ("Sx5Ly5", "Sy5Lx5"): (3, 3, 3), ("Sx0Fx5Ly0", "Sy0Fx5Lx0"): (3, 3, 3), ("Ax0", "Ax0", "Ax0"): (1, 6, 6),
    ("Sx0Ax0", "Lx0Lx0", "Sx0"): (30, 30, 30),
}  # fmt: skip

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@cache
def built(file: Path) -> tuple[Path, Places]:
    executable = build.build([file])
    return executable, Places(executable, runtime_library(find_compiler()))


def explored(*scripts: str, memory: str, file: Path = HERE / "script.c", **options: int) -> CResult:
    executable, places = built(file)
    asked = SearchRequest(symmetry="none", deadlock=False)
    return run(executable, asked, scripts, answers=places, options={"memory": memory, **options})


@pytest.mark.parametrize("scripts", CLASSICAL, ids=" ".join)
def test_classical_programs_have_the_published_numbers_of_executions(scripts: tuple[str, ...]) -> None:
    results = [explored(*scripts, memory=model) for model in MODELS]
    assert [(r.blocked, r.incomplete, r.findings) for r in results] == [(0, "", [])] * 3
    assert tuple(r.executions for r in results) == CLASSICAL[scripts]


ACCESSES, WAITS = "SSSSLLLLAAFCC", "SSSSLLAFCWWKK"


Generator = Callable[[Random, str], list[str]]


def compared(seeds: range, kinds: str, generate: Generator = graph_oracle.random_program) -> int:
    """How many executions there were; each model has as many as there are graphs that its axioms allow; under
    sequential consistency, registers have no order of writes, and counters none if nobody learns from it.  Where two
    updates wait for the same write, one may be repeated, in few programs; none is lost."""
    total, repeated = 0, set[int]()
    for seed in seeds:
        scripts = generate(Random(seed), kinds)
        for model in MODELS:
            count = graph_oracle.count_read if model == "sc" else graph_oracle.count
            result, wanted = explored(*scripts, memory=model, file=HERE / "steps.c", foresee=0), count(scripts, model)
            commutes = model != "sc" or not graph_oracle.may_learn(scripts) or result.executions == wanted
            if not commutes:
                wanted = graph_oracle.count_read(scripts, model, commutes=False)
            assert not result.incomplete, (scripts, model)
            assert kinds == WAITS or not result.blocked
            if kinds == WAITS and result.executions == wanted + 1:
                repeated.add(seed)
            else:
                assert result.executions == wanted, (scripts, model)
            if kinds == WAITS:
                compare_foreseen(scripts, model, result.executions, graph_oracle.count_ended(scripts, model, commutes))
            total += wanted
    assert len(repeated) <= len(seeds) // 100
    return total


def compare_foreseen(scripts: Sequence[str], model: str, all_of_them: int, ended: int) -> None:
    """What is foreseen leaves out only graphs in which somebody waits for ever, and not all of those."""
    found = explored(*scripts, memory=model, file=HERE / "steps.c")
    assert not found.incomplete, (scripts, model)
    assert ended + (all_of_them > ended) <= found.executions <= all_of_them, (scripts, model)


@pytest.mark.parametrize("kinds", [ACCESSES, WAITS])
def test_random_programs_have_one_execution_for_each_graph(kinds: str) -> None:
    assert compared(range(8), kinds) > 100


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [ACCESSES, WAITS])
@pytest.mark.parametrize("first", range(1000, 3000, 250))
def test_many_random_programs_have_one_execution_for_each_graph(first: int, kinds: str) -> None:
    assert compared(range(first, first + 250), kinds) > 1000


def doubted(programs: Iterable[Sequence[str]]) -> int:
    """How many executions there were.  Each answer of a clock about one more event (graphs/growing.h) is compared with
    what the whole graph says; where they differ, the search ends."""
    total = 0
    for scripts in programs:
        for model in MODELS:
            result = explored(*scripts, memory=model, file=HERE / "steps.c", doubts=1)
            assert not result.incomplete, (scripts, model)
            total += result.executions
    return total


# A register has other places than those that it happens to have; what a thread has seen may be seen again; a load of a
# counter comes before some additions.
DOUBTFUL = [
    ("Fy512Lx511Sx510", "Ly521", "Sx522Lx510Sy521"), ("Sx521Fy520", "Sx502Lx500", "Ax510Ax511"),
    ("Sy002", "Lx002Ay002Lx001", "Sx000Ay010"), ("Fx200Sy301", "Sy300Cx200Ly200", "Cx312Cy422"),
    ("Ly500Sx500Ax500", "Lx500Ay500", "Ay500Lx500"),
]  # fmt: skip


def test_clocks_say_what_the_whole_graph_says() -> None:
    assert doubted(DOUBTFUL) > 100
    for kinds in (ACCESSES, WAITS):
        assert doubted(graph_oracle.random_program(Random(seed), kinds) for seed in range(100, 115)) > 50


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [ACCESSES, WAITS])
def test_clocks_say_what_the_whole_graph_says_in_many(kinds: str) -> None:
    seeds = range(10_000, 10_500)
    assert doubted(graph_oracle.random_program(Random(seed), kinds) for seed in seeds) > 2000
    assert doubted(graph_oracle.random_sections(Random(seed), kinds) for seed in seeds) > 500


def test_sections_under_a_mutex_have_one_execution_for_each_graph() -> None:
    assert compared(range(6), ACCESSES, graph_oracle.random_sections) > 50


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [ACCESSES, WAITS])
@pytest.mark.parametrize("first", range(1000, 2000, 250))
def test_many_sections_under_a_mutex_have_one_execution_for_each_graph(first: int, kinds: str) -> None:
    assert compared(range(first, first + 250), kinds, graph_oracle.random_sections) > 1000


def compare_counts(programs: Iterable[Sequence[str]]) -> int:
    """How many programs show by what is loaded all that was read; what they say is what all interleavings say."""
    shown = 0
    for scripts in programs:
        result, wanted = explored(*scripts, memory="sc", file=HERE / "counts.c"), count_oracle.outcomes(scripts)
        assert (result.incomplete, result.findings, result.blocked) == ("", [], 0), scripts
        assert (set(result.outcomes) or {""}) == wanted, scripts
        if count_oracle.shows_all(scripts):
            assert result.executions == len(wanted), scripts
            shown += 1
    return shown


# A load that was taken back for an addition which needs a load that is then taken back; several that need each other;
# one for which it was taken back needs another one by a later thread, or is needed by one.
COUNTED = [
    ("Lx", "LyAx", "Ay"), ("Lx", "AyAx", "LyAx"), ("Lx", "Ax", "AxAy", "LyAx"), ("LxLy", "LyAx", "LxAy"),
    ("Lx", "LxAx", "Ax"), ("Lx", "LxAx", "Ax", "Ax"),
]  # fmt: skip


def test_loads_of_counters_see_all_sets_of_additions() -> None:
    assert compare_counts(COUNTED) == len(COUNTED)
    scripts = ["Ay500", "Ly500Ly500Ly500", "Ly500Lx500", "Ay500"]  # not to be taken for rounds of a loop that waits
    assert explored(*scripts, memory="sc", file=HERE / "steps.c").executions == 52
    assert compare_counts(count_oracle.random_scripts(Random(seed)) for seed in range(40)) > 10


def test_what_turns_out_to_be_no_counter_has_a_value_again() -> None:
    """The comparison comes behind two additions, which were made without a look at what they found."""
    result = explored("Ay511", "Ay522", "Cy512Ay522Lx521", memory="sc", file=HERE / "steps.c")
    assert (result.executions, result.findings, result.incomplete) == (12, [], "")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 3000, 250))
def test_loads_of_counters_see_all_sets_of_additions_in_many(first: int) -> None:
    assert compare_counts(count_oracle.random_scripts(Random(seed)) for seed in range(first, first + 250)) > 50


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "executions"),
    [("ticketlock", 24), ("ttaslock", 36), ("barrier", 120), ("treiber", 88), ("msqueue", 158), ("seqlock", 18),
     ("mutex", 126), ("lamport", 5400)],
)  # fmt: skip
def test_waiting_loops_are_one_execution_for_each_interleaving(name: str, executions: int) -> None:
    """The same numbers as those of the search over schedules, but for lamport, where nobody sees the order of some
    writes (9216)."""
    assert explored(memory="sc", file=paths.ROOT / "benchmarks" / "waiting" / f"{name}.c").executions == executions


@pytest.mark.parametrize("memory", MODELS)
def test_a_variable_on_the_stack_of_who_waits_is_one_before_others_look_at_it(memory: str) -> None:
    """A queue lock: whether a round fails did depend on who else had looked at the thread's own node by then."""
    result = explored(memory=memory, file=paths.ROOT / "benchmarks" / "waiting" / "mcs.c")
    assert (result.executions, result.blocked, result.incomplete) == (66, 0, "")


SB = HERE / "store_buffer.c"


def test_what_no_interleaving_shows_is_found_and_comes_again() -> None:
    relaxed, strong = ("ORDER=memory_order_relaxed",), ("ORDER=memory_order_seq_cst",)
    for memory in ("auto", "tso", "rc11"):
        verdict = check(SB, defines=relaxed, memory=memory)
        assert [v.kind for v in verdict.violations] == ["assertion"], memory
        seen = [text for step in verdict.violations[0].trace.steps for _, (_, text) in step.changes]
        assert any("is 0, not the newer 1 of " in str(text) for text in seen), seen
    assert check(SB, defines=relaxed, memory="sc").outcome.value == "holds"
    for memory in ("auto", "tso", "rc11"):
        assert check(SB, defines=strong, memory=memory).outcome.value == "holds", memory


# ---------------------------------------------------------------------------------- from schedules to graphs


def test_where_most_schedules_lead_nowhere_the_search_goes_over_graphs() -> None:
    """sigma: alike threads are told apart by what they find, and the search over schedules sees it too late."""
    file = paths.ROOT / "benchmarks" / "writes" / "sigma.c"
    verdict = check(file, defines=("N=5",))
    assert (verdict.outcome.value, verdict.search, verdict.statistics.executions) == ("holds", "optimal", 120)
    assert check(file, defines=("N=5",), search="dpor").search == "dpor"


def test_where_most_orders_are_not_seen_the_search_goes_over_graphs() -> None:
    """Two threads store three times each, one loads twice: 560 orders, and 37 ways to read."""
    file, size = paths.ROOT / "benchmarks" / "writes" / "redundant_co.c", ("N=3",)
    for symmetry, workers in (("none", 1), ("none", 2), ("auto", 1)):
        verdict = check(file, defines=size, symmetry=symmetry, workers=workers)
        found = (verdict.outcome.value, verdict.search, verdict.statistics.executions)
        assert found == ("holds", "optimal", 37), (symmetry, workers)
    assert check(file, defines=size, search="dpor").statistics.executions == 560
    assert check(file, defines=size, all_errors=True).search == "dpor"
    assert check(file, defines=size, leaks=True).search == "dpor"


ALIKE_WRITERS = """#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int x, y;
static int numbers[N];
static void *store(void *number) { x = *(int *)number; y = *(int *)number; return NULL; }
static void *load(void *unused) { int first = x, second = y; LOOK; return unused; }
int main(void)
{
    pthread_t threads[N], last;
    for (int i = 0; i < N; i++) {
        numbers[i] = i + 1;
        pthread_create(&threads[i], NULL, store, &numbers[i]);
    }
    pthread_create(&last, NULL, load, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return pthread_join(last, NULL);
}
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_where_few_orders_are_seen_alike_threads_need_not_be_folded(workers: int, tmp_path: Path) -> None:
    """The load of x sees one of the stores or none, and so does that of y: (N + 1) squared ways to read."""
    file = tmp_path / "alike.c"
    file.write_text(ALIKE_WRITERS.replace("LOOK", "(void)(first + second)"))
    verdict = check(file, defines=("N=5",), workers=workers)
    assert (verdict.outcome.value, verdict.search, verdict.statistics.executions) == ("holds", "optimal", 36)
    assert (check(file, defines=("N=5",), search="dpor").statistics.executions or 0) > 36
    file.write_text(ALIKE_WRITERS.replace("LOOK", "if (first == 3 && second == 2) *(volatile int *)NULL = 1"))
    assert check(file, defines=("N=5",), workers=workers).outcome.value == "violated"


STORES = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *store(void *given) { for (int i = 0; i < N; i++) atomic_store(&x, i + FIRST); return given; }
static void *load(void *given) { return atomic_load(&x) ? given : NULL; }
int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i < 2 ? store : load, (void *)(i * 100));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
"""


@pytest.mark.parametrize("first", ["1", "(int)(long)given"])  # alike, or not
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_load_beside_stores_needs_an_execution_for_each_value(first: str, n: int, tmp_path: Path) -> None:
    file = tmp_path / "stores.c"
    file.write_text(STORES)
    verdict = check(file, defines=(f"N={n}", f"FIRST={first}"))
    assert (verdict.outcome.value, verdict.statistics.executions) == ("holds", 2 * n + 1)


@pytest.mark.parametrize(("symmetry", "executions"), [("none", 24), ("auto", 1)])
def test_a_ticket_lock_needs_no_executions_in_vain(symmetry: str, executions: int) -> None:
    verdict = check(paths.ROOT / "benchmarks" / "waiting" / "ticketlock.c", symmetry=symmetry)
    assert (verdict.statistics.executions, verdict.statistics.blocked) == (executions, 0)


def test_a_try_over_graphs_that_is_too_long_is_given_up(tmp_path: Path) -> None:
    """A lock of three states, which two of three threads take twice: schedules take no longer, although some lead
    nowhere."""
    file = tmp_path / "twice.c"
    text = (paths.ROOT / "benchmarks" / "waiting" / "mutex.c").read_text()
    text = text.replace("    take();\n", "    for (int i = 0; i < 1 + !!unused; i++) {\n    take();\n")
    text = text.replace("&state, 0);\n    return unused", "&state, 0);\n    }\n    return unused")
    file.write_text(text.replace("work, NULL", "work, i ? threads : NULL"))
    verdict = check(file, symmetry="none")
    assert (verdict.statistics.executions, verdict.search) == (10_180, "dpor")


def test_where_many_ways_to_read_are_left_alike_threads_are_folded() -> None:
    """None: schedules are searched to their end, with symmetry."""
    asked: list[tuple[SearchRequest, dict[str, object]]] = []

    def explore(result: CResult, few: SearchRequest, **options: object) -> CResult:
        asked.append((few, options))
        return result

    many = CResult(incomplete="stopped", word=Incomplete.EXECUTIONS)
    request = SearchRequest(symmetry="discovered")
    assert _tried_over_graphs(partial(explore, many), request, 1, most=512) is many
    assert asked == [(SearchRequest(max_executions=512), {"memory": "sc", "stops_at_weak": 1})]


def test_what_speaks_for_a_few_graphs() -> None:
    for result in (CResult(), CResult(incomplete="stopped", word=Incomplete.TIME)):
        assert _what_speaks_for(result) == Tried.DONE
    assert _what_speaks_for(CResult(incomplete="a futex", word="a futex")) is None
    for blocked, speaks in ((32, Tried.CLEAN), (33, None)):
        more = CResult(incomplete="stopped", word=Incomplete.EXECUTIONS, executions=256, blocked=blocked)
        assert _what_speaks_for(more) == speaks


@pytest.mark.parametrize("workers", [1, 2])
def test_where_many_rounds_cannot_be_left_and_graphs_leave_them_out(workers: int) -> None:
    """A lock of three states, four threads: 4,392 executions in vain over schedules, beside 5,808."""
    file = paths.ROOT / "benchmarks" / "waiting" / "mutex.c"
    verdict = check(file, symmetry="none", defines=("N=4",), workers=workers)
    found = (verdict.outcome.value, verdict.search, verdict.statistics.executions)
    assert found == ("holds", "optimal", 5808)
    assert (verdict.statistics.blocked or 0) < 100


@pytest.mark.parametrize(
    ("name", "size", "expected"),
    [("last_write", 5, ("dpor", 1, 0)), ("last_write", 7, ("dpor", 1, 0)), ("sigma", 6, ("optimal", 720, 0))],
)
def test_what_symmetry_blocks(name: str, size: int, expected: tuple[str, int, int]) -> None:
    """Threads that begin do so one after the other, so that they are known to be alike before they do anything: 10 and
    6 in vain otherwise.  In sigma each finds another number, and 17,664 are in vain: graphs have none, and it is seen
    that they have none."""
    verdict = check(paths.ROOT / "benchmarks" / "writes" / f"{name}.c", defines=(f"N={size}",))
    assert (verdict.search, verdict.statistics.executions, verdict.statistics.blocked) == expected


def test_it_is_told_which_places_were_reversed() -> None:
    """Six compare-and-exchanges in a ring, 144 executions: each but the first one comes from a pair of them."""
    file = paths.ROOT / "benchmarks" / "waiting" / "exchanges.c"
    path = build.build([file], ["-DN=6"])
    places = Places(path, runtime_library(find_compiler()))
    options: dict[str, int | str] = {"memory": "sc", "leaks": 0, "grain": 0, "calm": 0}
    one, two = (
        run(path, SearchRequest(symmetry="none", workers=workers), answers=places, options=options)
        for workers in (1, 2)
    )
    assert (one.executions, one.incomplete) == (144, "")
    assert sum(one.reversals.values()) == 143
    assert {done.kind for pair in one.reversals for done in pair} == {"update"}
    assert two.reversals == one.reversals


def test_where_most_rounds_cannot_be_left_the_search_goes_over_graphs() -> None:
    file = paths.ROOT / "benchmarks" / "waiting" / "seqlock.c"
    verdict = check(file)
    found = (verdict.outcome.value, verdict.search, verdict.statistics.executions, verdict.statistics.blocked)
    assert found == ("holds", "optimal", 6, 0)
    assert check(file, all_errors=True).search == "dpor"


ADDITIONS = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, sum;
static void *add(void *u) { atomic_fetch_add(&sum, 1); return u; }
static void *store(void *u) { atomic_store(&x, (int)(long)u); return u; }
int main(void) {
    pthread_t a[5], b[5];
    for (long i = 0; i < 5; i++) { pthread_create(&a[i], 0, store, (void *)i); pthread_create(&b[i], 0, add, 0); }
    for (int i = 0; i < 5; i++) { pthread_join(a[i], 0); pthread_join(b[i], 0); }
}"""


def test_additions_have_no_order_over_graphs_either(tmp_path: Path) -> None:
    """Five stores, whose order nobody sees, and five additions; unless they are made beside a store."""
    file = tmp_path / "additions.c"
    file.write_text(ADDITIONS)
    verdict = check(file, symmetry="none")
    assert (verdict.search, verdict.outcome.value, verdict.statistics.executions) == ("optimal", "holds", 1)
    file.write_text(ADDITIONS.replace("int main(void) {", "int main(void) { atomic_store(&sum, 0);"))
    verdict = check(file, symmetry="none")
    assert (verdict.search, verdict.outcome.value, verdict.statistics.executions) == ("dpor", "holds", 120)


LEARNS = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, count, sum;
static int data;
static void *one(void *u) {
    data = 1;
    atomic_fetch_add_explicit(&count, 1, memory_order_RELEASE);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
    return u;
}
static void *other(void *u) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&count, 1, memory_order_ACQUIRE);
        data = 2;
    }
    atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
    return u;
}
int main(void) {
    pthread_t s, t;
    BEGIN
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, other, 0);
    pthread_join(s, 0); pthread_join(t, 0);
}"""
STORE = "atomic_store(&count, 1);"
LEARNT = [  # how count begins; the orders of both additions to it; how many executions there are, 0: they race
    ("", "release", "acquire", 4), ("", "relaxed", "acquire", 0), ("", "release", "relaxed", 0),
    (STORE, "release", "acquire", 2), (STORE, "relaxed", "acquire", 0), (STORE, "release", "relaxed", 0),
]  # fmt: skip


@pytest.mark.parametrize(("begin", "release", "acquire", "executions"), LEARNT)
def test_what_an_addition_learns_orders_plain_accesses(
    begin: str, release: str, acquire: str, executions: int, tmp_path: Path
) -> None:
    """Additions to a counter learn nothing, so if there seems to be a race, all additions keep their order.  Beside a
    store they learn what they should, and the sum is a counter still."""
    file = tmp_path / "learns.c"
    file.write_text(LEARNS.replace("BEGIN", begin).replace("RELEASE", release).replace("ACQUIRE", acquire))
    result = explored(memory="sc", file=file)
    found = [] if executions else ["race"]
    assert (result.executions, [f.found.kind for f in result.findings], result.incomplete) == (executions, found, "")


def test_what_cannot_be_done_over_graphs_is_done_over_schedules() -> None:
    asked: list[dict[str, object]] = []

    def explore(result: CResult, **options: object) -> CResult:
        asked.append(options)
        return result if "memory" in options else CResult(executions=7)

    refused = CResult(incomplete="a futex", word="a futex")
    assert _over_graphs(partial(explore, refused), True).executions == 7
    assert asked == [{"memory": "sc", "stops_at_weak": 1}, {"stops_at_weak": 1}]
    for result in (CResult(), CResult(incomplete="stopped", word=Incomplete.TIME)):
        assert _over_graphs(partial(explore, result), True) is result
