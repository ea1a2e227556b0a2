"""Loops that wait are awaits: nothing is lost by it, failed rounds do not count, and who waits for ever is told."""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building import build
from isospin.hosts.c.building.compilers import find_compiler
from isospin.hosts.c.known import Places
from isospin.hosts.c.run import CResult, run
from tests.support.generators import random_c_waits
from tests.support.oracles import read_classes
from tests.support.oracles.brute_waits import WaitingBehaviour, behaviour
from tests.support.paths import PROGRAMS, ROOT

pytestmark = [
    pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the C host is for x86-64 only"),
    pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="there is no C compiler"),
]
WAITING = ROOT / "benchmarks" / "waiting"
MOST = 3000  # executions


@cache
def places(path: Path) -> Places:
    return Places(path, build.runtime_library(find_compiler("")))


def explored(path: Path, symmetry: str = "none", *arguments: str, **options: int | str) -> CResult:
    asked = SearchRequest(symmetry=symmetry, all_errors=True, max_executions=MOST)
    return run(path, asked, arguments, answers=places(path), options={"leaks": 0, **options})


def built(path: Path, *flags: str) -> Path:
    return build.build([path], ["-w", *flags], "")


# ---------------------------------------------------------------------------------------------- how many there are

EXECUTIONS = [  # by hand: the orders in which threads can pass, times what each can have seen before
    ("ticketlock", ("-DN=4",), 24, 1),
    ("ttaslock", (), 36, 6),
    ("ttaslock", ("-DN=4",), 576, 24),
    ("barrier", ("-DN=4",), 24, 1),
    ("mcs", (), 66, 11),
    ("seqlock", (), 18, 6),
    ("exchanges", ("-DN=6",), 144, 144),
    ("additions", (), 1, 1),
]


@pytest.mark.parametrize(("name", "flags", "count", "orbits"), EXECUTIONS)
def test_failed_rounds_are_no_executions(name: str, flags: tuple[str, ...], count: int, orbits: int) -> None:
    path = built(WAITING / f"{name}.c", *flags)
    plain, folded = explored(path), explored(path, "discovered")
    assert (plain.executions, plain.findings, plain.incomplete) == (count, [], "")
    assert folded.executions <= orbits
    assert not folded.findings


@pytest.mark.parametrize(("size", "count"), [(3, 6), (4, 24), (6, 720)])
def test_what_only_a_round_that_fails_wants_is_not_explored(size: int, count: int) -> None:
    """A thread is wanted before it is known that its round fails there: 3, 9 and 153 executions in vain otherwise."""
    result = explored(built(WAITING / "ticketlock.c", f"-DN={size}"))
    assert (result.executions, result.blocked, result.findings) == (count, 0, [])


def test_nobody_sleeps_at_the_end_of_a_sequence() -> None:
    """With Lamport's lock 991 executions were begun in vain, since somebody slept at their end."""
    result = run(
        path := built(WAITING / "lamport.c"), SearchRequest(symmetry="none"), [], answers=places(path), options={}
    )
    assert (result.executions, result.blocked, result.findings, result.incomplete) == (9216, 0, [], "")


CLASSES = [("treiber", (2, 2)), ("msqueue", (1, 2)), ("mutex", (3,)), ("mcs", (3,)), ("mpmc", (2, 2))]


@pytest.mark.parametrize(("name", "sizes"), [*CLASSES, pytest.param("msqueue", (2, 2), marks=pytest.mark.slow)])
def test_there_is_one_execution_for_each_way_to_read(name: str, sizes: tuple[int, ...]) -> None:
    """By schedules and over graphs; in these programs what is read also says in which order it was written."""
    names = "N" if len(sizes) == 1 else "RW"
    path = built(WAITING / f"{name}.c", *(f"-D{what}={size}" for what, size in zip(names, sizes, strict=True)))
    reads, orders = getattr(read_classes, name)(*sizes)
    assert reads == orders
    for memory in ({}, {"memory": "sc"}):
        result = explored(path, **memory)
        assert (result.executions, result.findings, result.incomplete) == (reads, [], "")


ROUNDS = [  # executions over graphs, and how many may be begun in vain until it is known how rounds go on
    ("seqlock", "none", (), 18, 3),
    ("seqlock", "discovered", (), 6, 0),
    ("seqlock", "none", ("-DR=3",), 54, 3),
    ("seqlock", "discovered", ("-DR=3",), 10, 0),
    ("mutex", "none", (), 126, 0),
    ("mutex", "discovered", (), 21, 0),
    ("mutex", "discovered", ("-DN=4",), 242, 7),
    ("ttaslock", "none", ("-DN=4",), 576, 0),
    ("seqlock", "none", ("-DR=1", "-DW=3"), 24, 8),
    ("treiber", "none", (), 88, 0),
    ("treiber", "discovered", (), 23, 0),
    ("msqueue", "none", (), 158, 145),
    ("msqueue", "discovered", (), 41, 40),
]


@pytest.mark.parametrize(("name", "symmetry", "flags", "count", "vain"), ROUNDS)
def test_what_cannot_be_left_is_not_begun(
    name: str, symmetry: str, flags: tuple[str, ...], count: int, vain: int
) -> None:
    """A sequence lock: 919 executions in vain otherwise, and 16,997 with three readers.  A lock of three states: 48 of
    three threads, and with symmetry 232 of four; most end with an exchange that leaves what is there.  A lock that is
    tested first: 90 of four threads; a sequence lock with three writers: 27; a queue: 430, a stack: 40, which read
    plain memory in their rounds."""
    result = explored(built(WAITING / f"{name}.c", *flags), symmetry, memory="sc")
    assert (result.executions, result.findings, result.incomplete) == (count, [], "")
    assert result.blocked <= vain


def test_what_is_found_out_late_is_concluded_all_the_same(tmp_path: Path) -> None:
    """Two of three threads take a lock of three states twice: 4,642 executions in vain, if nothing is concluded any
    more after the first few hundred."""
    text = (WAITING / "mutex.c").read_text()
    text = text.replace("    take();", "    for (int i = 0; i < 1 + !!unused; i++) {\n    take();")
    text = text.replace("&state, 0);\n    return unused", "&state, 0);\n    }\n    return unused")
    source = tmp_path / "twice.c"
    source.write_text(text.replace("work, NULL", "work, i ? threads : NULL"))
    path = built(source)
    asked = SearchRequest(symmetry="none", max_executions=20_000)
    result = run(path, asked, answers=places(path), options={"leaks": 0, "memory": "sc"})
    assert (result.executions, result.blocked, result.findings, result.incomplete) == (10_180, 0, [], "")


WRITTEN_AGAIN = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, other, go, done;
static void *waits(void *u) { while (atomic_load(&flag)) ; atomic_store(&done, 1); return u; }
static void *sets(void *u) {
    while (!atomic_load(&go)) ; /* in a loop, so that the other one comes first */
    atomic_store(&flag, 1);
    if (atomic_load(&other)) atomic_store(&other, 2);
    atomic_store(&flag, 0);
    return u;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, waits, 0);
    pthread_create(&t[1], 0, sets, 0);
    atomic_store(&go, 1);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}"""


@pytest.mark.parametrize("memory", ["sc", "tso", "rc11"])
def test_who_waits_for_what_is_written_again_at_once_does_not_wait_for_ever(memory: str, tmp_path: Path) -> None:
    """It sees the flag before or behind; that it waits for ever with what is there in between leads nowhere, which is
    known as soon as it was seen what the other thread does."""
    source = tmp_path / "again.c"
    source.write_text(WRITTEN_AGAIN)
    path = built(source)
    found = explored(path, memory=memory)
    assert (found.executions, found.blocked, found.incomplete, found.findings) == (2, 0, "", [])
    assert explored(path, memory=memory, foresee=0).blocked > 0


@pytest.mark.parametrize("seed", [20221, 20238, 20000, 20005])
def test_as_many_over_graphs_as_by_schedules(seed: int, tmp_path: Path) -> None:
    """Where rounds of several reads are left out, none that ends is."""
    source = tmp_path / "rounds.c"
    text = random_c_waits.text([random_c_waits.make(seed, rounds=True)], [[]])
    source.write_text(re.sub(r"isospin_assert\([^;]*\);", ";", text))
    path = built(source)
    schedules = explored(path, "none", "0").executions
    for foresee in (0, 1):  # in another order
        graphs = explored(path, "none", "0", memory="sc", registers=0, foresee=foresee)
        assert graphs.executions == schedules > 0


TAKEN_BACK = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int sequence = 1, data = 1;
static void *reads(void *u) {
    int now, seen;
    do { now = atomic_load(&sequence); seen = atomic_load(&data); } while (now == 1 || atomic_load(&sequence) != now);
    (void)seen;
    return u;
}
static void *writes(void *u) {
    int now;
    do now = atomic_load(&sequence); while (!atomic_compare_exchange_strong(&sequence, &now, now + 1));
    now = atomic_load(&data);
    atomic_store(&data, 0);
    return u;
}
int main(void) {
    pthread_t s, t, r;
    pthread_create(&r, 0, reads, 0); pthread_create(&s, 0, writes, 0); pthread_create(&t, 0, writes, 0);
    pthread_join(r, 0); pthread_join(s, 0); pthread_join(t, 0);
}"""


@pytest.mark.parametrize("order", [{}, {"foresee": 0}, {"foresee": 0, "memory": "tso"}])
def test_who_waits_gives_way_to_revisits(order: dict[str, int | str], tmp_path: Path) -> None:
    """A reader that waits at the end of its round can be taken back with what came in before it: two of the executions
    are found in no other way where the reader comes first.  (Where rounds are foreseen, it comes last.)"""
    source = tmp_path / "taken.c"
    source.write_text(TAKEN_BACK)
    path = built(source)
    result = explored(path, "none", **{"memory": "sc", "registers": 0, **order})
    assert (result.executions, result.findings, result.incomplete) == (34, [], "")
    assert explored(path).executions == 34


LEFT_ODD = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int sequence, first;
static void *writes(void *u) {{ atomic_store(&sequence, 1); atomic_store(&first, 1); {last} return u; }}
static void *reads(void *u) {{
    int now, one;
    do {{ now = atomic_load(&sequence); one = atomic_load(&first); }} while (now & 1 || atomic_load(&sequence) != now);
    (void)one;
    return u;
}}
int main(void) {{
    pthread_t s, t, w;
    pthread_create(&w, 0, writes, 0); pthread_create(&s, 0, reads, 0); pthread_create(&t, 0, reads, 0);
    pthread_join(w, 0); pthread_join(s, 0); pthread_join(t, 0);
}}"""


@pytest.mark.parametrize("memory", ["sc", "tso", "rc11"])
@pytest.mark.parametrize(("last", "found"), [("atomic_store(&sequence, 2);", set()), ("", {"deadlock"})])
def test_a_round_that_nobody_ends_is_a_deadlock(last: str, found: set[str], memory: str, tmp_path: Path) -> None:
    """A reader that comes too late waits for ever, whatever the other one saw: each of the two, or one, or none."""
    source = tmp_path / "odd.c"
    source.write_text(LEFT_ODD.format(last=last))
    for symmetry, executions in (("none", 4), ("discovered", 3)):
        result = explored(built(source), symmetry, memory=memory)
        assert ({f.found.kind for f in result.findings}, result.incomplete) == (found, "")
        assert result.executions == executions


STILL_TO_COME = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, z, m, q;
static void *sets(void *u) { atomic_store(&z, 1); atomic_store(&x, 1); atomic_store(&m, 1); return u; }
static void *looks(void *u) { return atomic_load(&m) ? u : &m; }
static void *waits(void *u) {
    int a, b;
    do { a = atomic_load(&x); b = a ? 0 : atomic_load(&y); } while (!a && b != 1);
    atomic_store(&q, 1);
    return u;
}
static void *follows(void *u) { while (!atomic_load(&z)) ; atomic_store(&y, 1); return u; }
int main(void) {
    pthread_t t[4];
    pthread_create(&t[0], 0, sets, 0); pthread_create(&t[1], 0, looks, 0);
    pthread_create(&t[2], 0, waits, 0); pthread_create(&t[3], 0, follows, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
}"""


@pytest.mark.parametrize("options", [{}, {"memory": "sc"}, {"memory": "rc11"}], ids=str)
def test_what_others_will_write_may_end_a_round(options: dict[str, str], tmp_path: Path) -> None:
    """A round that saw the old x cannot be left, until another thread, which waits itself, has written y."""
    source = tmp_path / "to_come.c"
    source.write_text(STILL_TO_COME)
    result = explored(built(source), **options)
    assert (result.executions, result.findings, result.incomplete) == (4, [], "")


# ---------------------------------------------------------------------------------------------- races inside of rounds

TWO = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, count;
static int data, plain;
{}
int main(void) {{
    pthread_t s, t;
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, other, 0);
    pthread_join(s, 0); pthread_join(t, 0);
}}"""
LOOKS = "{ while (!atomic_load(&flag)) if (data) break; return u; }"
TRIES = (
    "{ int e, d; do { if ((e = atomic_load(&flag))) break; d = data; } "
    "while (!atomic_compare_exchange_strong(&flag, &e, 1) && !d); return u; }"
)
ADDS = "{ atomic_fetch_add(&count, 1); data = 2; return u; }"
RELAXED = "memory_order_relaxed"
RACES = [  # what one does, what the other does, and whether they race
    ("a plain read that only failed rounds make", LOOKS, "{ data = 1; atomic_store(&flag, 1); return u; }", True),
    ("a plain read of a round that fails because of who writes: no other execution has both", TRIES,
     "{ int e = 0; if (atomic_compare_exchange_strong(&flag, &e, 2)) data = 1; return u; }", True),
    ("what is waited for was written plainly before",
     "{ while (__atomic_load_n(&plain, 5) != 2) ; return u; }",
     "{ plain = 1; __atomic_store_n(&plain, 2, 5); return u; }", True),
    ("the flag orders it", "{ while (!atomic_load(&flag)) ; data++; return u; }",
     "{ data = 1; atomic_store(&flag, 1); return u; }", False),
    ("additions that commute order nothing", ADDS, "{ data = 1; atomic_fetch_add(&count, 1); return u; }", True),
    ("additions whose order is known", f"{{ if (atomic_load_explicit(&flag, {RELAXED})) {ADDS} return u; }}",
     f"{{ data = 1; atomic_fetch_add(&count, 1); atomic_store_explicit(&flag, 1, {RELAXED}); return u; }}", False),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "races"), [row[1:] for row in RACES], ids=[row[0] for row in RACES])
def test_what_is_left_out_races_all_the_same(one: str, other: str, races: bool, tmp_path: Path) -> None:
    source = tmp_path / "two.c"
    source.write_text(TWO.format(f"static void *one(void *u) {one}\nstatic void *other(void *u) {other}"))
    for memory in ({}, {"memory": "sc"}):
        result = explored(built(source), **memory)
        assert {f.found.kind for f in result.findings} == ({"race"} if races else set())


# ---------------------------------------------------------------------------------------------- loops without end

ENDLESS = "{ for (int i = 0;; i++) atomic_store(&count, i); return u; }"


@pytest.mark.parametrize(("number", "found"), [(2, {"crash"}), (3, set())])
def test_a_loop_without_end_is_followed_as_far_as_asked(number: int, found: set[str], tmp_path: Path) -> None:
    """The other thread goes on where the loop is cut off, and sees all that was stored by then."""
    source = tmp_path / "endless.c"
    looks = f"{{ if (atomic_load(&count) == {number}) __builtin_trap(); return u; }}"
    source.write_text(TWO.format(f"static void *one(void *u) {ENDLESS}\nstatic void *other(void *u) {looks}"))
    result = explored(built(source), unroll=3)
    assert {f.found.kind for f in result.findings} == found
    assert "--unroll" in result.incomplete


# ---------------------------------------------------------------------------------------------- random programs

STATED = re.compile(r"k != (\d+)")


def what_was_found(result: CResult) -> WaitingBehaviour:
    """The ends that were reached, and whether threads wait for ever."""
    messages = [f.found.message for f in result.findings if f.found.kind == "assertion"]
    ends = [STATED.search(message) for message in messages]
    assert all(ends), f"an end that cannot be: {messages}"
    return WaitingBehaviour(
        frozenset(int(end[1]) for end in ends if end), any(f.found.kind == "deadlock" for f in result.findings)
    )


BEHIND = "what other threads do behind a failure"  # main alone fails here, at the end


def differences(
    seeds: Iterable[int], place: Path, *symmetries: str, plain: bool = False, inner: bool = False, rounds: bool = False,
    flags: bool = False, options: Mapping[str, str] | None = None,
) -> list[str]:  # fmt: skip
    """Where the search says something else than brute force."""
    known = [(seed, random_c_waits.make(seed, plain, inner, rounds, flags)) for seed in seeds]
    judged = [(s, p, b) for s, p in known if (b := behaviour(p)) is not None and len(b.ends) < 60]
    source = place / "waits.c"
    source.write_text(random_c_waits.text([p for _, p, _ in judged], [sorted(b.ends) for *_, b in judged]))
    path = built(source)
    found = []
    for number, (seed, _, truth) in enumerate(judged):
        for symmetry in symmetries:
            result = explored(path, symmetry, str(number), **(options or {}))
            incomplete = result.incomplete and not result.incomplete.startswith(BEHIND)
            kinds = {f.found.kind for f in result.findings} - {"assertion", "deadlock"}
            said = what_was_found(result)
            fewer = said.ends < truth.ends if symmetry == "discovered" else said.ends != truth.ends
            alike = said.ends <= truth.ends and bool(said.ends) == bool(truth.ends)
            wrong = not alike if fewer and symmetry == "discovered" else fewer
            if not incomplete and (kinds or wrong or said.waits_for_ever != truth.waits_for_ever):
                found.append(f"seed {seed}, {symmetry}: {said}, and brute force says {truth} {kinds}")
    return found


def test_random_programs_do_what_brute_force_says(tmp_path: Path) -> None:
    assert differences(range(12), tmp_path, "none", "discovered") == []


def test_random_programs_over_graphs(tmp_path: Path) -> None:
    """Also where a round does nothing but look at a lock, or at plain memory under one."""
    assert differences(range(10), tmp_path, "none", plain=True, options={"memory": "sc"}) == []


@pytest.mark.parametrize("options", [{}, {"memory": "sc"}], ids=["schedules", "graphs"])
@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(3000, 5000, 200))])
def test_random_programs_with_loops_inside_of_rounds(first: int, options: dict[str, str], tmp_path: Path) -> None:
    seeds = range(first, first + (200 if first else 6))
    assert differences(seeds, tmp_path, "none", "discovered", inner=True, options=options) == []


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(4000, 4500, 50))])
def test_random_programs_with_rounds_of_several_reads(first: int, tmp_path: Path) -> None:
    """What is foreseen of a round is compared with what whole graphs say (graphs/growing.h)."""
    seeds, memory = range(first, first + (50 if first else 6)), {"memory": "sc", "doubts": "1"}
    assert differences(seeds, tmp_path, "none", "discovered", rounds=True, options=memory) == []


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(5000, 6000, 50))])
def test_random_programs_with_flags_and_locks_of_three_states(first: int, tmp_path: Path) -> None:
    seeds, memory = range(first, first + (50 if first else 6)), {"memory": "sc", "max_time": "5"}
    assert differences(seeds, tmp_path, "none", "discovered", flags=True, options=memory) == []


ALL_READY = """
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int ready[3];
static void *work(void *me)
{
    atomic_store(&ready[(size_t)me], 1);
    for (int missing = 1; missing;) {
        missing = 0;
        for (int k = 0; k < 3; k++)
            missing += !atomic_load(&ready[k]);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[3];
    for (size_t i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}"""


@pytest.mark.parametrize("options", [{}, {"memory": "sc"}, {"memory": "rc11"}], ids=str)
def test_a_loop_inside_of_a_round_is_a_part_of_it(options: dict[str, str], tmp_path: Path) -> None:
    """Each sees at last that all are ready; it was followed for ever."""
    source = tmp_path / "ready.c"
    source.write_text(ALL_READY)
    result = explored(built(source), max_time="5", **options)
    assert (result.executions, result.incomplete) == (1, "")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10_000, 13_000, 200))
def test_many_random_programs(first: int, tmp_path: Path) -> None:
    assert differences(range(first, first + 200), tmp_path, "none", "discovered") == []


@pytest.mark.slow
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("first", range(20_000, 21_600, 200))
def test_many_random_programs_over_graphs(first: int, plain: bool, tmp_path: Path) -> None:
    seeds, memory = range(first, first + 200), {"memory": "sc"}
    assert differences(seeds, tmp_path, "none", "discovered", plain=plain, options=memory) == []


def test_who_tries_a_lock_again_and_again_waits_for_it() -> None:
    """As many executions over graphs as by interleavings, and no deadlock."""
    path = built(PROGRAMS / "c" / "backs_off.c")
    for memory in ("sc", "tso", "rc11"):
        result = explored(path, memory=memory)
        assert (result.executions, result.incomplete, result.findings) == (7, "", [])
    assert explored(path).executions == 7
