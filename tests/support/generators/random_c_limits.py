"""Random C programs whose loops wait until a limit that is in the memory of their own thread, and changes meanwhile.

The same loop, with the same registers and the same stack, goes on with another value the second time.  What each thread
has in the end is told, and so is what is there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

__all__ = ["text"]

HEAD = """#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct own { int seen, phase, other; };
#define LOAD(v) atomic_load(&v)
#define STORE(v, to) atomic_store(&v, to)
#define CAS(v, from, to) atomic_compare_exchange_strong(&v, &from, to)
"""
NAMES = re.compile(r"\b([xyz]|body\d|program)\b")
WAITS = """static void *body{number}(void *u)
{{
    struct own *own = malloc(sizeof *own);
    int a = 0, b = 0, c = 0;
    own->seen = {seen}, own->other = {other}, own->phase = 0;
    {before}
    while (own->phase < 2) {{
        {loop}
        {change}
        own->phase++;
        {after}
    }}
    isospin_outcome("{number}: %d %d", own->seen, own->other);
    (void)a, (void)b, (void)c;
    free(own);
    return u;
}}
"""


def _loop(rng: random.Random) -> str:
    limit = rng.choice(["own->seen", "own->other", "own->seen + own->other"])
    both, seldom = "a = LOAD(x); b = LOAD(y);", f"a == {rng.choice([1, 1, 2])} ? {limit}"
    return rng.choice([
        f"do {{ {both} }} while (a + b <= {limit});",
        f"do {{ {both} }} while (a != {limit} && b != {limit});",
        f"do {{ {both} }} while (a <= {limit} || LOAD(x) != a);",
        f"do {{ a = LOAD(x); if (a > {limit}) break; b = LOAD(y); }} while (b <= {limit});",
        f"do {{ {both} }} while (a == {limit} || b == {limit});",
        f"do {{ {both} }} while (!CAS(x, a, a + b + {limit}));",
        f"do {{ a = LOAD(x); c = {seldom} : 7; b = LOAD(y); }} while (b == c);",
        f"do {{ a = LOAD(x); c = {seldom} : 7; b = LOAD(y); }} while (b <= c && c != 7);",
        f"do {{ a = LOAD(x); c = {seldom} : 7; b = LOAD(y); }} while (b != c || LOAD(x) != a);",
        f"do {{ a = LOAD(x); c = {seldom} : 0; b = LOAD(y); }} while (b < c || (c && LOAD(x) != a));",
    ])  # fmt: skip


def _store(rng: random.Random, names: str = "xy") -> str:
    return f"STORE({rng.choice(names)}, {rng.randrange(4)});"


def _waits(rng: random.Random, number: int) -> str:
    changes = ["own->seen++;", "own->other++;", "own->seen = 1 - own->seen;", "own->seen = LOAD(z);"]
    return WAITS.format(
        number=number, seen=rng.randrange(2), other=rng.randrange(2), before=rng.choice(["", _store(rng, "xyz")]),
        loop=_loop(rng), change=rng.choice(changes), after=rng.choice(["", "STORE(z, own->phase);"]),
    )  # fmt: skip


def _writes(rng: random.Random, number: int) -> str:
    count = rng.choice([2, 3, 4])
    adds = f"atomic_fetch_add(&{rng.choice('xy')}, 1);"
    lines = [rng.choice([_store(rng), _store(rng), "(void)LOAD(z);", adds]) for _ in range(count)]
    return f"static void *body{number}(void *u) {{ {' '.join(lines)} return u; }}\n"


def _program(seed: int) -> str:
    rng = random.Random(f"limits {seed}")
    waiters = rng.choice([1, 1, 2])
    count = waiters + (1 if waiters == 2 else rng.choice([1, 2]))
    bodies = [(_waits if number < waiters else _writes)(rng, number) for number in range(count)]
    order = rng.sample(range(count), count)
    starts = " ".join(f"pthread_create(&t[{i}], 0, body{n}, 0);" for i, n in enumerate(order))
    joins = " ".join(f"pthread_join(t[{i}], 0);" for i in range(count))
    end = 'isospin_outcome("end: %d %d %d", LOAD(x), LOAD(y), LOAD(z));'
    main = f"static void program(void)\n{{\n    pthread_t t[{count}];\n    {starts}\n    {joins}\n    {end}\n}}\n"
    return "".join(["static atomic_int x, y, z;\n", *bodies, main])


def text(seeds: Iterable[int]) -> str:
    """All of them; the argument of the program says which one is run."""
    programs = [NAMES.sub(rf"\g<1>_{number}", _program(seed)) for number, seed in enumerate(seeds)]
    calls = "".join(f"    if (which == {number}) program_{number}();\n" for number in range(len(programs)))
    head = "int main(int argc, char **argv)\n{\n    int which = argc > 1 ? atoi(argv[1]) : 0;\n"
    return "\n".join([HEAD, *programs, f"{head}{calls}    return 0;\n}}\n"])
