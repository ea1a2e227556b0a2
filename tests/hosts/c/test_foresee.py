"""Rounds that cannot be left are not begun: and nothing else is left out (docs/explanation/weak-memory.md).

Each program needs a condition of `runtime/foresee/`: without it, executions or ends of it are missing.  What there is
is told by the search over schedules, which foresees nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from isospin.hosts.c.run import CResult
from tests.hosts.c.test_waits import built, explored, pytestmark
from tests.support.generators import random_c_limits, random_c_nodes, random_c_waits
from tests.support.generators.random_fences import with_fences

__all__ = ["pytestmark"]

HEAD = """
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#define LOAD(v) atomic_load(&v)
#define STORE(v, to) atomic_store(&v, to)
#define CAS(v, from, to) atomic_compare_exchange_strong(&v, from, to)
static int late, plain;
/* One place for all of them: that rounds fail here is known from the first execution on. */
static __attribute__((noinline)) void wait_for(atomic_int *v) { while (!atomic_load(v)) ; }
"""
BODY = (
    "static void *body%d(void *u) { int a = 0, b = 0, c = 0, e = 0; %s "
    'isospin_outcome("%d: %%d %%d %%d", a, b, c); return u; }'
)
ODD = "do {{ a = LOAD({0}); b = LOAD({1}); }} while (a == {2} || LOAD({0}) != a);"
ADDS = "do {{ a = LOAD({0}); b = LOAD({1}); }} while (!CAS({0}, &a, a + {2}));"
TAKES = "e = {1}; while (!CAS({0}, &e, e + 1)) e = {1};"
BOTH = "do { a = LOAD(y); while ((b = LOAD(x)) == %d) ; } while (a == b);"
THREE = (
    "do { a = LOAD(x); b = LOAD(y); c = LOAD(z); } while (a != 1 && b != 1 && b != 4); "
    "STORE(w, 1); late = !a && b == 4;"
)
THIRD = "e = 0; if (!CAS(x, &e, 1)) while (atomic_exchange(&x, 2)) while (LOAD(x) == 2) ;"
OTHER = "e = 0; if (!CAS(x, &e, 1)) while (atomic_exchange(&x, 2)) while (LOAD(y) == 2) ;"
WAITS = "while (LOAD(x) == 1) ; STORE(w, 1);"
CHOOSES = "while (!LOAD(g)) ; if (LOAD(f)) STORE(y, 4); else { STORE(y, 1); STORE(y, 2); }"

PROGRAMS: Mapping[str, tuple[str, Sequence[str]]] = {
    "what another thread saw behind the old read may be taken back":
        ("x, y, z, w, p, g, f", ["STORE(x, 1); STORE(g, 1); STORE(p, 1);", THREE, CHOOSES,
                                 "while (!LOAD(p)) ; STORE(f, 1);"]),
    "also where the thread has seen what came of it":
        ("x, y, z, w, p, g, f, h", ["STORE(x, 1); STORE(g, 1); STORE(p, 1);", THREE, CHOOSES + " while (!LOAD(h)) ;",
                                    "while (!LOAD(p)) ; STORE(f, 1); STORE(h, 1);"]),
    "who saw an old write may write what another one waits for":
        ("x = 1, y, z, w, p, q", ["STORE(x, 0); STORE(y, 1); STORE(p, 1);",
                               "do { a = LOAD(x); b = LOAD(y); } while (a != 1 || b != 1); STORE(w, 1);",
                               "while (!LOAD(p)) ; STORE(x, 2); STORE(q, 1);",
                               "do { a = LOAD(q); b = LOAD(q); } while (a != b); STORE(x, 1);"]),
    "what was read behind the old read may become something else":
        ("x = 1, y = 1, z", [ODD.format("y", "x", 0) + "STORE(x, 2); STORE(y, 2);" + TAKES.format("y", 2),
                          "STORE(y, 1); STORE(y, 2); STORE(x, 2);",
                          "do { a = LOAD(x); b = LOAD(y); } while (a != 1 && b != 1); b = atomic_fetch_add(&x, 2);"]),
    "what was never seen to be written":
        ("x, y, z", ["STORE(x, 1); STORE(y, 1);", BOTH % 2 + TAKES.format("y", 2), ADDS.format("y", "x", 1),
                  ADDS.format("y", "x", 1)]),
    "who sees the last writes may wait for ever":
        ("x, y, z", ["e = 2; b = CAS(x, &e, e + 1);", BOTH % 0, TAKES.format("y", 0) + "STORE(y, 1); STORE(x, 1);",
                  ODD.format("x", "y", 9)]),
    "who waits may pass by an old write, and be taken back":
        ("x, y, z", [*[ADDS.format("y", "x", 2)] * 3,
                     "while (LOAD(z) != 1 && LOAD(y) != 2) ; while (LOAD(y) != 2) ;"]),
    "who comes first in rounds changes nothing":
        ("x, y, z", ["STORE(x, 1);", "STORE(z, 1);" + TAKES.format("x", 2), "STORE(x, 2);" + ADDS.format("x", "z", 1)]),
    "an update takes what another one has":
        ("x, y, z", ["do { a = LOAD(y); b = a == 2 ? LOAD(z) : 0; } while (a == 2 && b != 2);",
                  "do { a = LOAD(y); b = a == 2 ? LOAD(z) : 0; } while (a == 2 && b != 2);",
                  "a = atomic_fetch_add(&z, 1); b = LOAD(y);", ADDS.format("z", "x", 2)]),
    "who writes again may see first what others write":
        ("x, y, z, g, w", ["STORE(g, 1); STORE(y, 1); while (LOAD(x)) ; STORE(w, 1);",
                        "while (!LOAD(g)) ; STORE(x, 1); c = LOAD(z); STORE(x, 0);",
                        "while (LOAD(x) != 1) ; b = LOAD(y); STORE(z, 1);"]),
    "who writes again may have to wait first":
        ("x, y, z, g, q, w", ["STORE(y, 1); STORE(g, 1); while (LOAD(x)) ; STORE(w, 1);",
                           "while (!LOAD(g)) ; STORE(x, 1); while (!LOAD(q)) ; STORE(x, 0);",
                           "if (!LOAD(y)) STORE(q, 1);"]),
    "who tries a lock of three states may wait for ever":
        ("x, y, z", [THIRD + "STORE(x, 0);", "STORE(y, 1);" + THIRD + "STORE(x, 0);",
                  THIRD + "a = LOAD(y); if (a) STORE(x, 0);"]),
    "what who wrote does next may depend on plain memory":
        ("x, y, z, g, h, w", [WAITS, "wait_for(&g); STORE(x, 1); if (plain) STORE(x, 0);",
                              "wait_for(&h); plain = LOAD(y); STORE(g, 1);", "STORE(h, 1); STORE(y, 1);"]),
    "and on what it reads then":
        ("x, y, z, g, h, w", [WAITS, "wait_for(&g); STORE(x, 1); c = LOAD(z); if (!c) STORE(x, 0);",
                              "wait_for(&h); if (!LOAD(y)) STORE(z, 1); STORE(g, 1);", "STORE(h, 1); STORE(y, 1);"]),
    "who writes again may have to wait for who waits":
        ("x, y, z, g, w", ["while (LOAD(x)) ; STORE(w, 1);",
                           "wait_for(&g); STORE(x, 1); wait_for(&w); STORE(x, 0);", "STORE(g, 1);"]),
    "what comes before what the thread has written comes before it waits":
        ("x, y, z, g, q, w", ["STORE(y, 1); " + WAITS, "wait_for(&g); STORE(x, 1); c = LOAD(q); STORE(x, 0);",
                              "wait_for(&g); a = LOAD(x); STORE(y, 2); STORE(q, 1);", "STORE(g, 1);"]),
    "what a loop saw before the one that waits is no part of the round":
        ("x, y, z, g", ["do a = LOAD(y); while (a == 2); if (!a) while (LOAD(x) == 1) ;",
                        "wait_for(&g); STORE(y, 2); STORE(y, 1); STORE(x, 1);", "STORE(g, 1);"]),
    "who waits may have written the last itself":
        ("x, y, z", ["e = 0; if (!CAS(x, &e, 1)) while (atomic_exchange(&x, 2)) { if (LOAD(y) || LOAD(z)) break; }",
                  "STORE(x, 2);"]),
    "who tries a lock may wait for another variable":
        ("x, y, z", [OTHER + "STORE(x, 0);", OTHER + "STORE(x, 0);", OTHER + "STORE(y, 2); STORE(x, 0);"]),
}  # fmt: skip


def program(variables: str, bodies: Sequence[str]) -> str:
    """All that threads saw is told, and what is there at the end.  In a late execution main seems to wait, too: then
    the search starts again, and knows how all rounds go on."""
    lines = [HEAD, f"static atomic_int {variables};"]
    lines += [BODY % (number, body, number) for number, body in enumerate(bodies)]
    threads = range(len(bodies))
    starts = "".join(f"pthread_create(&t[{n}], 0, body{n}, 0); " for n in threads)
    joins = "".join(f"pthread_join(t[{n}], 0); " for n in threads)
    lines.append(f"int main(void) {{ pthread_t t[{len(bodies)}]; {starts}{joins}")
    lines.append("    for (int i = 0; i < (late ? 3 : 1); i++) LOAD(z);")
    return "\n".join([*lines, '    isospin_outcome("end: %d %d", x, y);\n}\n'])


def how_often(result: CResult) -> dict[str, int]:
    """Of each end how many executions lead to it.  Of those that wait for ever the ones that are alike are not all
    told."""
    assert not result.incomplete
    return {said: count if "end" in said else 0 for said, count in result.outcomes.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_else_is_left_out(name: str, tmp_path: Path) -> None:
    source = tmp_path / "rounds.c"
    source.write_text(program(*PROGRAMS[name]))
    path = built(source)
    expected = how_often(explored(path))
    assert any("end" in said for said in expected)
    assert how_often(explored(path, memory="sc", registers=0)) == expected


REGISTER = [  # z is only loaded and stored: its writes have no order, so none that is read is old
    "STORE(x, 2); STORE(z, 1);",
    "STORE(y, 2); STORE(y, 0); do { a = LOAD(z); b = LOAD(x); } while (b == 0 || a == b);",
    "STORE(z, 2); STORE(z, 0); STORE(x, 2); STORE(y, 2);",
]


def test_what_is_read_of_a_register_may_be_taken_back(tmp_path: Path) -> None:
    source = tmp_path / "register.c"
    source.write_text(program("x, y = 1, z = 1", REGISTER))
    path = built(source)
    everything = explored(path, memory="sc", foresee=0)
    result = explored(path, memory="sc")
    assert how_often(result) == how_often(everything)
    assert result.blocked < everything.blocked


# Flags that are set and taken back, locks of three states.  Without a condition of `again.c` or `hopeless.c`, one of
# these has too few executions: the write that comes again is none with which a read could have gone on before.
NEEDED = [61, 1193, 1530]


def text_of(seeds: Iterable[int]) -> str:
    """Random programs that tell how they end."""
    programs = [random_c_waits.make(seed, flags=True) for seed in seeds]
    text = random_c_waits.text(programs, [[] for _ in programs])
    return re.sub(r"isospin_assert\([^;]*\);", 'isospin_outcome("end %ld", k);', text)


def kinds_of(result: CResult) -> set[str]:
    return {finding.found.kind for finding in result.findings}


def compare_with_all(text: str, seeds: Sequence[int], directory: Path, **options: int | str) -> None:
    """As many executions for each end as where nothing is foreseen, and the same deadlocks; where something fails, the
    same is said of that, since what lies behind it is not explored."""
    source = directory / "programs.c"
    source.write_text(text)
    path = built(source)
    for number, seed in enumerate(seeds):
        found = [explored(path, "none", str(number), foresee=f, max_time="5", **options) for f in (0, 1)]
        if not any(result.incomplete for result in found):
            ends = [(how_often(result), kinds_of(result)) for result in found]
            assert ends[0] == ends[1], (seed, options)
        elif not any("time" in result.incomplete for result in found):
            assert bool(kinds_of(found[0]) - {"deadlock"}) == bool(kinds_of(found[1]) - {"deadlock"}), (seed, options)


def test_nothing_else_is_left_out_of_flags(tmp_path: Path) -> None:
    compare_with_all(text_of(NEEDED), NEEDED, tmp_path, memory="sc", registers=0)


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["sc", "tso", "rc11"])
@pytest.mark.parametrize("first", range(40_000, 41_000, 50))
def test_nothing_else_is_left_out_of_many_flags(first: int, memory: str, tmp_path: Path) -> None:
    seeds = range(first, first + 50)
    compare_with_all(text_of(seeds), seeds, tmp_path, memory=memory)


# Stacks and queues, whose rounds read plain memory.
NODES = [*range(16), 26, 48, 388]  # the last ones have too few executions if some condition is missing


@pytest.mark.parametrize("memory", ["sc", "rc11"])
def test_nothing_else_is_left_out_of_nodes(memory: str, tmp_path: Path) -> None:
    compare_with_all(random_c_nodes.text(NODES), NODES, tmp_path, memory=memory, registers=0)


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["sc", "tso", "rc11"])
@pytest.mark.parametrize("first", range(20_000, 21_000, 50))
def test_nothing_else_is_left_out_of_many_nodes(first: int, memory: str, tmp_path: Path) -> None:
    seeds = range(first, first + 50)
    compare_with_all(random_c_nodes.text(seeds), seeds, tmp_path, memory=memory, registers=0)


@pytest.mark.parametrize("memory", ["sc", "rc11"])
def test_nothing_else_is_left_out_between_fences(memory: str, tmp_path: Path) -> None:
    seeds = range(100, 112)
    compare_with_all(with_fences(text_of(seeds), 1), seeds, tmp_path, memory=memory, doubts=1)
    compare_with_all(with_fences(random_c_nodes.text(seeds), 1), seeds, tmp_path, memory=memory, doubts=1)


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["sc", "tso", "rc11"])
@pytest.mark.parametrize("first", range(60_000, 61_000, 50))
def test_nothing_else_is_left_out_between_many_fences(first: int, memory: str, tmp_path: Path) -> None:
    seeds = range(first, first + 50)
    compare_with_all(with_fences(text_of(seeds), first), seeds, tmp_path, memory=memory)
    compare_with_all(with_fences(random_c_nodes.text(seeds), first), seeds, tmp_path, memory=memory, registers=0)


# Loops that wait until a limit in the heap.
LIMITS = [*range(12), 305, 506, 651]  # the last ones have too few if what a later read finds does not count


@pytest.mark.parametrize("memory", ["sc", "rc11"])
def test_nothing_else_is_left_out_up_to_limits(memory: str, tmp_path: Path) -> None:
    """What is read behind a later read of the round counts for where its first one is."""
    compare_with_all(random_c_limits.text(LIMITS), LIMITS, tmp_path, memory=memory, registers=0)


@pytest.mark.slow
@pytest.mark.parametrize("memory", ["sc", "tso", "rc11"])
@pytest.mark.parametrize("first", range(80_000, 81_000, 50))
def test_nothing_else_is_left_out_up_to_many_limits(first: int, memory: str, tmp_path: Path) -> None:
    seeds = range(first, first + 50)
    compare_with_all(random_c_limits.text(seeds), seeds, tmp_path, memory=memory, registers=0)


PLAIN = """
static int data, copy;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&mutex)
#define UNLOCK pthread_mutex_unlock(&mutex)
"""
OLD = "STORE(x, 1); STORE(x, 0);"  # a round that sees 1 fails, but for what `data` says
ROUNDS = "do {{ a = LOAD(x); b = a == 1 ? data : 5; e = LOAD(y); }} while (a == 1{0});"
FAILS, MAY_PASS = ROUNDS.format(""), ROUNDS.format(" && b == 1")
GIVES = "data = 1; STORE(g, 1);"
# So many executions are made first, and what rounds do is known, when something else is read at the beginning.
NOISE, LISTENS = "STORE(p, 1); STORE(p, 2); STORE(p, 3);", " LOAD(p); LOAD(p); LOAD(p);"
RACES: Mapping[str, Sequence[str]] = {  # each race is between a store in `data` and a round that fails
    "what is stored may not happen before": [OLD, GIVES, NOISE, "LOAD(g); " + FAILS + LISTENS],
    "somebody else may store there": [OLD, "wait_for(&g); data = 1; STORE(h, 1);", GIVES, NOISE,
                                      "wait_for(&g); LOAD(h); " + FAILS + LISTENS],
    "it may be stored once more": [OLD, GIVES + " if (!LOAD(k)) data = 1; wait_for(&h);", "STORE(k, 1);", NOISE,
                                   "wait_for(&g); " + FAILS + LISTENS + " STORE(h, 1);"],
}  # fmt: skip
SETTLED: Mapping[str, Sequence[str]] = {
    "what was stored may let it pass": [OLD, "STORE(h, 1);", "data = LOAD(h) ? 1 : 2; STORE(g, 1);", NOISE,
                                        "wait_for(&g); " + MAY_PASS + LISTENS],
    "a thread that does the same may store something else": [OLD, "LOCK; copy = 1; UNLOCK;",
                                                             "LOCK; data = copy; UNLOCK; STORE(g, 1);",
                                                             "wait_for(&g); " + MAY_PASS],
}  # fmt: skip


def with_plain_memory(bodies: Sequence[str], source: Path) -> Path:
    source.write_text(program("x, y, z, g, h, k, p", bodies).replace(HEAD, HEAD + PLAIN))
    return built(source)


@pytest.mark.parametrize("name", RACES)
def test_a_round_that_may_race_is_run(name: str, tmp_path: Path) -> None:
    for foresee in (0, 1):
        result = explored(with_plain_memory(RACES[name], tmp_path / "races.c"), memory="sc", foresee=foresee)
        assert kinds_of(result) == {"race"}, (name, foresee)


@pytest.mark.parametrize("name", SETTLED)
def test_what_a_round_will_read_is_known(name: str, tmp_path: Path) -> None:
    path = with_plain_memory(SETTLED[name], tmp_path / "settled.c")
    found = [explored(path, memory="sc", foresee=foresee, registers=0) for foresee in (0, 1)]
    assert how_often(found[0]) == how_often(found[1])
    assert found[1].blocked <= found[0].blocked


PHASES = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int turn, done;
static void *work(void *unused)
{
    int *seen = calloc(1, sizeof *seen);
    while (*seen < 2) {
        while (atomic_load(&turn) <= *seen) ;
        ++*seen;
        atomic_store(&done, 1);
    }
    return unused;
}
static void *other(void *unused)
{
    atomic_store(&turn, 1);
    while (!atomic_load(&done)) ;
    atomic_store(&turn, 2);
    return unused;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, other, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
"""


@pytest.mark.parametrize("memory", ["sc", "tso", "rc11"])
def test_what_only_the_thread_writes_decides_as_well(memory: str, tmp_path: Path) -> None:
    """The first time 1 lets it go on, the second time it does not, and only the heap says which time it is."""
    source = tmp_path / "phases.c"
    source.write_text(PHASES)
    result = explored(built(source), memory=memory)
    assert (result.executions, result.findings, result.incomplete) == (1, [], "")


TWO_LOOPS = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int x = 1, y;
static void *one(void *unused) { y = 1; return unused; }
static void *two(void *unused)
{
    int a, b;
    do { a = y; b = x; } while (y != a);
    while (y != 1 || a != 1) ;
    return unused;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, i ? two : one, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
}
"""


@pytest.mark.parametrize("memory", ["sc", "rc11"])
@pytest.mark.parametrize("symmetry", ["none", "discovered"])
def test_what_a_loop_saw_counts_where_the_next_one_waits_for_ever(symmetry: str, memory: str, tmp_path: Path) -> None:
    """The first loop was left with an old value: no round fails that this belongs to."""
    source = tmp_path / "loops.c"
    source.write_text(TWO_LOOPS)
    found = explored(built(source), symmetry, memory=memory).findings
    assert found
    assert all("for ever" in each.found.message for each in found)
