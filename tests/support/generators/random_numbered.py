"""Random C programs whose threads do the same, with numbers and cells of their own: many in one file."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

HEAD = """#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
"""
ORDERS = {"S": ("relaxed", "release", "seq_cst"), "L": ("relaxed", "acquire", "seq_cst"),
          "A": ("relaxed", "acquire", "release", "acq_rel", "seq_cst")}  # fmt: skip
TELLS = ("nothing", "nothing", "nothing", "sum", "each")


def random_statement(random: Random, places: Sequence[str]) -> str:
    """What a thread does with `all`, all that it saw so far, and a place."""
    kind, place = random.choice("SSLLLAC"), random.choice(places)
    order = f"memory_order_{random.choice(ORDERS.get(kind, ('',)))}"
    match kind:
        case "S":
            return f"atomic_store_explicit(&{place}, {random.randint(1, 2)}, {order});"
        case "L":
            return f"all = 4 * all + atomic_load_explicit(&{place}, {order});"
        case "A":
            return f"all = 4 * all + atomic_fetch_add_explicit(&{place}, 1, {order});"
    return f"found = 0; all = 4 * all + atomic_compare_exchange_strong(&{place}, &found, 1);"


def random_numbered(random: Random, index: int) -> str:
    """One program: a function that runs it.  Main may tell what each thread saw, which tells them apart."""
    count, beside = random.choice((2, 2, 3)), random.random() < 0.4
    p = f"p{index}_"
    shared, own = [f"{p}x", f"{p}y"], [f"{p}cell[i]"]
    if count == 2 and random.random() < 0.5:
        own += [f"{p}cell[1 - i]"] * 2
    steps = random.randint(1, 3 if count == 2 else 2)
    body = [random_statement(random, [*shared, *own]) for _ in range(steps)]
    other = [random_statement(random, shared) for _ in range(random.randint(1, 2))]
    tells = random.choice(TELLS)
    locked = random.random() < 0.25
    section = f"pthread_mutex_lock(&{p}m); {p}plain += {p}mine[i]; pthread_mutex_unlock(&{p}m);" if locked else ""
    lines = [
        f"static atomic_int {p}x, {p}y, {p}cell[{count}];",
        f"static int {p}mine[{count}], {p}saw[{count}], {p}plain, {p}other;",
        f"static pthread_mutex_t {p}m = PTHREAD_MUTEX_INITIALIZER;",
        f"static void *{p}work(void *number)",
        "{",
        "    int i = (int)(intptr_t)number, all = 0, found = 0;",
        f"    {p}mine[i]++;",
        *(f"    {line}" for line in body),
        f"    {section}",
        f"    {p}saw[i] = all;" if tells != "nothing" else "",
        f"    if (all > 20) atomic_store_explicit(&{p}x, all, memory_order_relaxed);" if random.random() < 0.5 else "",
        "    return NULL;",
        "}",
        f"static void *{p}beside(void *unused)",
        "{",
        "    int all = 0, found = 0;",
        *(f"    {line}" for line in other),
        f"    {p}other = all + found;",
        "    return unused;",
        "}",
        f"static void {p}run(void)",
        "{",
        f"    pthread_t thread[{count}], other; int sum = 0;",
        f"    pthread_create(&other, NULL, {p}beside, NULL);" if beside else "",
        f"    for (int i = 0; i < {count}; i++) pthread_create(&thread[i], NULL, {p}work, (void *)(intptr_t)i);",
        f"    for (int i = 0; i < {count}; i++) pthread_join(thread[i], NULL);",
        "    pthread_join(other, NULL);" if beside else "",
        f"    for (int i = 0; i < {count}; i++) sum += {p}saw[i];" if tells == "sum" else "",
        f'    for (int i = 0; i < {count}; i++) isospin_outcome("%d:%d", i, {p}saw[i]);' if tells == "each" else "",
        f'    isospin_outcome("%d %d %d %d %d", sum, {p}x, {p}y, {p}plain, {p}other);',
        "}",
    ]
    return "\n".join(filter(None, lines))


def numbered_file(first: int, count: int) -> str:
    """Many of them; the first argument says which one runs."""
    programs = [random_numbered(Random(first + i), i) for i in range(count)]
    calls = " ".join(f"case {i}: p{i}_run(); break;" for i in range(count))
    main = f"int main(int count, char **words) {{ switch (count > 1 ? atoi(words[1]) : 0) {{ {calls} }} }}"
    return "\n".join([HEAD, *programs, main, ""])
