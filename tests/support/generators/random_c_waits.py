"""Random C programs whose loops wait: for flags, for locks made of atomics, for exchanges that succeed, with pauses.

Each statement comes twice: as C, and as instructions of a small machine, on which `oracles/brute_waits.py` computes all
that can happen without any of our code.  What a thread saw is summed up in its number `l`, which is part of the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

HEAD = """\
#include <isospin.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
"""
VARIABLES, PLAIN, MODULUS = 3, 2, 23  # atomic ones; behind them those that are accessed under a mutex each
Instruction = tuple[str, int, int, int]
"""What, of which variable, a number, and a register or a target:

    load v - r, store v c -, add v c r, exchange v c r
    compare v c r               r holds what is expected, 4 + r gets whether it was there; c is added to it then
    update v c r                the same, and r gets what was there
    lock v - -, unlock v - -, try v - r
    note - - r, set - c r       of the thread's own
    if r c target, unless r c target, differ r r target
"""


@dataclass
class WaitingThread:
    """The code of one thread, in both languages."""

    code: list[Instruction] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def add(self, text: str, *code: Instruction) -> None:
        """Jumps count from the first instruction that is added."""
        base = len(self.code)
        self.text.append(text)
        self.code += [(k, v, c, t + base if k in ("if", "unless", "differ") else t) for k, v, c, t in code]


@dataclass
class WaitingProgram:
    """Threads over a few atomic variables and two mutexes."""

    threads: list[WaitingThread]
    initial: tuple[int, ...]


def _simple(random: Random, thread: WaitingThread) -> None:
    v, c = random.randrange(VARIABLES), random.randrange(1, 3)
    choice = random.randrange(6)
    if choice == 0:
        thread.add(f"l = (l * 3 + atomic_load(&v[{v}])) % {MODULUS};", ("load", v, 0, 0), ("note", 0, 0, 0))
    elif choice in (1, 2):
        thread.add(f"atomic_store(&v[{v}], {c});", ("store", v, c, 0))
    elif choice == 3:
        thread.add(f"atomic_fetch_add(&v[{v}], {c});", ("add", v, c, 3))
    elif choice == 4:
        thread.add(f"l = (l * 3 + atomic_fetch_add(&v[{v}], 1)) % {MODULUS};", ("add", v, 1, 0), ("note", 0, 0, 0))
    else:
        thread.add(
            f"e = {c}; b = atomic_compare_exchange_strong(&v[{v}], &e, e + 1); l = (l * 3 + b) % {MODULUS};",
            ("set", 0, c, 1), ("compare", v, 1, 1), ("note", 0, 0, 5),
        )  # fmt: skip


PAUSES = (";", "sched_yield();", "for (volatile int i = 0; i < 3; i++) ;")


def _waits(random: Random, thread: WaitingThread) -> None:
    v, w = random.sample(range(VARIABLES), 2)
    c, d = random.randrange(1, 3), random.randrange(0, 3)
    pause = random.choice(PAUSES)
    choice = random.randrange(9)
    if choice == 0:
        thread.add(f"while (atomic_load(&v[{v}]) != {c}) {pause}", ("load", v, 0, 0), ("unless", 0, c, 0))
    elif choice == 1:
        thread.add(f"while (atomic_load(&v[{v}]) == {d}) {pause}", ("load", v, 0, 0), ("if", 0, d, 0))
    elif choice == 2:
        thread.add(
            f"while (atomic_load(&v[{v}]) != {c} || atomic_load(&v[{w}]) == {d}) {pause}",
            ("load", v, 0, 0), ("unless", 0, c, 0), ("load", w, 0, 1), ("if", 1, d, 0),
        )  # fmt: skip
    elif choice == 3:
        thread.add(
            f"do {{ a = atomic_load(&v[{v}]); b = atomic_load(&v[{w}]); }} while (a != {c} && b != {d}); "
            f"l = (l * 3 + a) % {MODULUS};",
            ("load", v, 0, 0), ("load", w, 0, 1), ("if", 0, c, 4), ("unless", 1, d, 0), ("note", 0, 0, 0),
        )  # fmt: skip
    elif choice == 4:
        thread.add(
            f"do a = atomic_load(&v[{v}]); while (!atomic_compare_exchange_strong(&v[{v}], &a, a + 1));",
            ("load", v, 0, 0), ("compare", v, 1, 0), ("unless", 4, 1, 0),
        )  # fmt: skip
    elif choice == 5:
        thread.add(
            f"e = atomic_load(&v[{v}]); while (!atomic_compare_exchange_weak(&v[{v}], &e, e + 1)) {pause} "
            f"l = (l * 3 + e) % {MODULUS};",
            ("load", v, 0, 1), ("update", v, 1, 1), ("unless", 5, 1, 1), ("note", 0, 0, 1),
        )  # fmt: skip
    elif choice == 6:
        thread.add(
            f"do {{ a = atomic_load(&v[{v}]); b = atomic_load(&v[{w}]); }} while (atomic_load(&v[{v}]) != a); "
            f"l = (l * 3 + b) % {MODULUS};",
            ("load", v, 0, 0), ("load", w, 0, 1), ("load", v, 0, 2), ("differ", 0, 2, 0), ("note", 0, 0, 1),
        )  # fmt: skip
    else:
        tries, gives = ("exchange", v, 1, 0), ("store", v, 0, 0)
        looks = choice == 7
        before = f"while (atomic_load(&v[{v}])) {pause}" if looks else ";"
        thread.add(
            f"do {{ {before} }} while (atomic_exchange(&v[{v}], 1)); l = (l * 3 + atomic_load(&v[{w}])) % {MODULUS}; "
            f"atomic_store(&v[{w}], {c}); atomic_store(&v[{v}], 0);",
            *([("load", v, 0, 0), ("unless", 0, 0, 0)] if looks else []),
            tries, ("unless", 0, 0, 0), ("load", w, 0, 0), ("note", 0, 0, 0), ("store", w, c, 0), gives,
        )  # fmt: skip


def _locks(random: Random, thread: WaitingThread) -> None:
    m, v, c = random.randrange(2), random.randrange(VARIABLES), random.randrange(1, 3)
    if random.randrange(2):
        thread.add(
            f"while (pthread_mutex_trylock(&m[{m}])) ; atomic_store(&v[{v}], {c}); pthread_mutex_unlock(&m[{m}]);",
            ("try", m, 0, 0), ("unless", 0, 1, 0), ("store", v, c, 0), ("unlock", m, 0, 0),
        )  # fmt: skip
    else:
        thread.add(
            f"pthread_mutex_lock(&m[{m}]); l = (l * 3 + atomic_load(&v[{v}])) % {MODULUS}; "
            f"atomic_store(&v[{v}], {c}); pthread_mutex_unlock(&m[{m}]);",
            ("lock", m, 0, 0), ("load", v, 0, 0), ("note", 0, 0, 0), ("store", v, c, 0), ("unlock", m, 0, 0),
        )  # fmt: skip


def _looks_under_lock(random: Random, thread: WaitingThread) -> None:
    """Add to a plain variable under its mutex, or wait until it is so much."""
    m, c = random.randrange(PLAIN), random.randrange(1, 3)
    if random.randrange(2):
        thread.add(
            f"pthread_mutex_lock(&m[{m}]); p[{m}]++; pthread_mutex_unlock(&m[{m}]);",
            ("lock", m, 0, 0), ("add", VARIABLES + m, 1, 3), ("unlock", m, 0, 0),
        )  # fmt: skip
    else:
        look = f"pthread_mutex_lock(&m[{m}]); a = p[{m}]; pthread_mutex_unlock(&m[{m}]);"
        thread.add(
            f"do {{ {look} }} while (a != {c});",
            ("lock", m, 0, 0), ("load", VARIABLES + m, 0, 0), ("unlock", m, 0, 0), ("unless", 0, c, 0),
        )  # fmt: skip


def _waits_for_all(random: Random, thread: WaitingThread) -> None:
    """A loop inside of a round goes over several variables; the first that is not right ends it, or the last."""
    count, d = random.randrange(2, VARIABLES + 1), random.randrange(0, 2)
    loads = [("load", v, 0, v) for v in range(count)]
    looks = [("if", v, d, 0) for v in range(count)]
    if random.randrange(2):
        body = f"a = atomic_load(&v[k]); b |= a == {d};"
        code = [*loads, *looks]
    else:
        body = f"if ((b = atomic_load(&v[k]) == {d})) break;"
        code = [step for pair in zip(loads, looks, strict=True) for step in pair]
    thread.add(f"do {{ b = 0; for (int k = 0; k < {count}; k++) {{ {body} }} }} while (b);", *code)


def _rounds(random: Random, thread: WaitingThread) -> None:
    """A round of several reads that has to be confirmed by its last one; and what makes others begin anew."""
    v, w = random.sample(range(VARIABLES), 2)
    c, d = random.randrange(1, 3), random.randrange(0, 3)
    note = f"l = (l * 3 + b) % {MODULUS};"
    choice = random.randrange(6)
    if choice == 0:
        thread.add(
            f"do {{ a = atomic_load(&v[{v}]); b = atomic_load(&v[{w}]); }} while (atomic_load(&v[{v}]) != a); {note}",
            ("load", v, 0, 0), ("load", w, 0, 1), ("load", v, 0, 2), ("differ", 0, 2, 0), ("note", 0, 0, 1),
        )  # fmt: skip
    elif choice == 1:
        thread.add(
            f"do {{ a = atomic_load(&v[{v}]); b = atomic_load(&v[{w}]); }} "
            f"while (a == {d} || atomic_load(&v[{v}]) != a); {note}",
            ("load", v, 0, 0), ("load", w, 0, 1), ("if", 0, d, 0), ("load", v, 0, 2), ("differ", 0, 2, 0),
            ("note", 0, 0, 1),
        )  # fmt: skip
    elif choice == 2:
        thread.add(
            f"do {{ a = atomic_load(&v[{v}]); b = atomic_load(&v[{w}]); }} "
            f"while (!atomic_compare_exchange_strong(&v[{v}], &a, a + {c})); {note}",
            ("load", v, 0, 0), ("load", w, 0, 1), ("compare", v, c, 0), ("unless", 4, 1, 0), ("note", 0, 0, 1),
        )  # fmt: skip
    elif choice == 3:
        thread.add(f"atomic_store(&v[{v}], 1); atomic_store(&v[{v}], 0);", ("store", v, 1, 0), ("store", v, 0, 0))
    elif choice == 4:
        thread.add(f"atomic_store(&v[{v}], {c}); atomic_store(&v[{w}], {c});", ("store", v, c, 0), ("store", w, c, 0))
    else:
        thread.add(
            f"while (atomic_load(&v[{v}]) != {c} || atomic_load(&v[{w}]) == {d}) ;",
            ("load", v, 0, 0), ("unless", 0, c, 0), ("load", w, 0, 1), ("if", 1, d, 0),
        )  # fmt: skip


ALWAYS = ("if", 7, 0)  # a register that nobody sets


def _flags(random: Random, thread: WaitingThread) -> None:
    """Flags that are set and taken back at once, or only if it is so; and who waits for several of them."""
    v, w = random.sample(range(VARIABLES), 2)
    c, d = random.randrange(1, 3), random.randrange(0, 3)
    choice = random.randrange(6)
    set_flag, unset, sees = ("store", v, 1, 0), ("store", v, 0, 0), ("load", w, 0, 0)
    note = f"l = (l * 3 + a) % {MODULUS};"
    if choice == 0:
        thread.add(
            f"atomic_store(&v[{v}], 1); a = atomic_load(&v[{w}]); {note} atomic_store(&v[{v}], 0);",
            set_flag, sees, ("note", 0, 0, 0), unset,
        )  # fmt: skip
    elif choice == 1:
        thread.add(
            f"atomic_store(&v[{v}], 1); while (atomic_load(&v[{w}]) == {d}) ; atomic_store(&v[{v}], 0);",
            set_flag, sees, ("if", 0, d, 1), unset,
        )  # fmt: skip
    elif choice == 2:
        thread.add(
            f"atomic_store(&v[{v}], 1); a = atomic_load(&v[{w}]); if (a == {d}) atomic_store(&v[{v}], 0);",
            set_flag, sees, ("unless", 0, d, 4), unset,
        )  # fmt: skip
    elif choice == 3:
        thread.add(
            f"a = atomic_fetch_add(&v[{v}], {c}); {note} a = atomic_load(&v[{w}]); {note} atomic_store(&v[{v}], 0);",
            ("add", v, c, 0), ("note", 0, 0, 0), sees, ("note", 0, 0, 0), unset,
        )  # fmt: skip
    elif choice == 4:
        thread.add(
            f"for (int k = 0; k < {VARIABLES}; k++) while (atomic_load(&v[k]) == {c}) ;",
            *[step for k in range(VARIABLES) for step in (("load", k, 0, 0), ("if", 0, c, 2 * k))],
        )  # fmt: skip
    else:
        thread.add(
            f"while ((a = atomic_load(&v[{v}])) == {d}) ; {note} atomic_store(&v[{w}], {c});",
            ("load", v, 0, 0), ("if", 0, d, 0), ("note", 0, 0, 0), ("store", w, c, 0),
        )  # fmt: skip


def _nested(random: Random, thread: WaitingThread) -> None:
    """A lock of three states, whose rounds exchange, and wait in a loop of their own; it may look at another one."""
    v, w = random.sample(range(VARIABLES), 2)
    d, looked = random.randrange(1, 3), random.choice((v, v, w))
    tries = f"while (atomic_exchange(&v[{v}], 2)) while (atomic_load(&v[{looked}]) == {d}) ;"
    code = [("exchange", v, 2, 0), ("if", 0, 0, 5), ("load", looked, 0, 1), ("if", 1, d, 2), (*ALWAYS, 0)]
    if random.randrange(3):
        tries = f"e = 0; if (!atomic_compare_exchange_strong(&v[{v}], &e, 1)) {tries}"
        code = [(k, x, y, t + 3 if k in ("if", "unless") else t) for k, x, y, t in code]
        code = [("set", 0, 0, 1), ("compare", v, 1, 1), ("if", 5, 1, 8), *code]
    inside, does = random.choice((
        (f"l = (l * 3 + atomic_load(&v[{w}])) % {MODULUS};", [("load", w, 0, 0), ("note", 0, 0, 0)]),
        (f"atomic_store(&v[{w}], {d});", [("store", w, d, 0)]),
        ("", []),
    ))  # fmt: skip
    leaves = random.randrange(5) > 0
    give = f"atomic_store(&v[{v}], 0);" if leaves else ""
    thread.add(f"{tries} {inside} {give}", *code, *does, *([("store", v, 0, 0)] if leaves else []))


def make(
    seed: int, plain: bool = False, inner: bool = False, rounds: bool = False, flags: bool = False
) -> WaitingProgram:
    """Two or three threads of a few statements; sometimes two of them run the same code, sometimes nobody waits.
    `plain`: some wait for what others do under a mutex; `inner`: some for several variables, in a loop over them;
    `rounds`: most are rounds of several reads; `flags`: most are flags and locks of three states."""
    random = Random(seed)
    kinds = [_simple, _simple, _waits, _waits, _locks] if seed % 3 else [_simple, _simple, _locks]
    if plain:
        kinds = [_simple, _waits, _locks, *[_looks_under_lock] * 4]
    if inner:
        kinds = [_simple, _simple, _waits, _waits_for_all, _waits_for_all]
    if rounds:
        kinds = [_rounds, _rounds, _rounds, _rounds, _simple, _waits]
    if flags:
        kinds = [_flags, _flags, _flags, _nested, _nested, _waits]
    threads: list[WaitingThread] = []
    for _ in range(random.choice((2, 2, 3))):
        if threads and random.random() < 0.4:
            threads.append(threads[-1])
            continue
        thread = WaitingThread()
        for _ in range(random.choice((1, 2, 2, 3))):
            random.choice(kinds)(random, thread)
        threads.append(thread)
    initial = tuple(random.choice((0, 0, 1)) for _ in range(VARIABLES))
    return WaitingProgram(threads, initial + (0,) * PLAIN)


def key(memory: Sequence[int], noted: Sequence[int]) -> int:
    """The end of an execution as a number; the C program computes the same."""
    found = 0
    for value in (*memory, *noted):
        found = found * 29 + value
    return found


def text(programs: Sequence[WaitingProgram], ends: Sequence[Sequence[int]]) -> str:
    """All of them as one C program, which is told by its argument which to run; it fails at each end, by its number."""
    lines = [HEAD]
    for n, program in enumerate(programs):
        lines += _program_text(n, program, ends[n])
    lines.append("int main(int count, char **words) { (void)count; switch (atoi(words[1])) {")
    lines += [f"case {n}: return program{n}();" for n in range(len(programs))]
    return "\n".join([*lines, "} return 2; }\n"])


def _program_text(n: int, program: WaitingProgram, ends: Sequence[int]) -> list[str]:
    lines = [f"static atomic_int v{n}[{VARIABLES}] = {{{', '.join(map(str, program.initial[:VARIABLES]))}}};"]
    lines += [f"static int p{n}[{PLAIN}];"]
    lines += [f"static pthread_mutex_t m{n}[2] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};"]
    bodies: list[list[str]] = []
    for thread in program.threads:
        if thread.text not in bodies:
            body = "\n    ".join(thread.text).replace("&v[", f"&v{n}[").replace("&m[", f"&m{n}[")
            body = body.replace(" p[", f" p{n}[")
            lines.append(f"static void *body{n}_{len(bodies)}(void *unused) {{\n    int a = 0, b = 0, e = 0;")
            lines.append(f"    long l = 0; (void)a, (void)b, (void)e, (void)unused;\n    {body}")
            lines.append("    return (void *)l;\n}")
            bodies.append(thread.text)
    count = len(program.threads)
    starts = [f"pthread_create(&t[{i}], 0, body{n}_{bodies.index(x.text)}, 0);" for i, x in enumerate(program.threads)]
    joins = [f"pthread_join(t[{i}], &r[{i}]);" for i in range(count)]
    lines.append(f"static int program{n}(void) {{\n    pthread_t t[{count}]; void *r[{count}]; long k = 0;")
    lines.append(f"    {' '.join(starts)}\n    {' '.join(joins)}")
    lines.append(f"    for (int i = 0; i < {VARIABLES}; i++) k = k * 29 + v{n}[i];")
    lines.append(f"    for (int i = 0; i < {PLAIN}; i++) k = k * 29 + p{n}[i];")
    lines.append(f"    for (int i = 0; i < {count}; i++) k = k * 29 + (long)r[i];")
    lines += [f"    if (k == {end}) isospin_assert(k != {end});" for end in ends]
    known = " || ".join(f"k == {end}" for end in ends) or "0"
    return [*lines, f"    isospin_assert({known});\n    return 0;\n}}"]
