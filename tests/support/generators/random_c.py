"""Random C programs whose threads are nearly the same: to find out whether symmetry is believed too easily.

Threads have the same text, or copies with other declarations in front, and something that may tell them apart: an
argument, a cell of the heap, thread-local storage, a variable that names a thread or points into its stack.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

HEAD = """\
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define GET(cell) atomic_load_explicit(&(cell), memory_order_relaxed)
#define PUT(cell, value) atomic_store_explicit(&(cell), value, memory_order_relaxed)
"""


class Writer:
    """One program: variables `g`, `who`, `where` of its own, and two or three threads."""

    def __init__(self, number: int, random: Random) -> None:
        self.number, self.random = number, random
        self.threads = random.choice((2, 2, 3))

    def text(self) -> str:
        n = self.number
        body = [self.statement(2) for _ in range(self.random.randint(2, 4))]
        body.insert(self.random.randint(1, len(body)), self.check())
        start = [self.statement(1) for _ in range(self.random.randint(0, 1))]
        routines = [self.routine(k, start, body) for k in range(self.threads)]
        same = self.random.random() < 0.6
        names = [f"run_{n}_{0 if same else k}" for k in range(self.threads)]
        return "\n".join([self.variables(), *(routines[:1] if same else routines), self.main(names)])

    def variables(self) -> str:
        n = self.number
        return (
            f"static atomic_long g_{n}[2];\nstatic _Atomic uintptr_t who_{n};\nstatic atomic_long *_Atomic where_{n};\n"
            f"static __thread long mine_{n};\n"
            f"static void help_{n}(long value) {{ PUT(g_{n}[value & 1], value & 3); }}\n"
            f"static void other_{n}(long value) {{ PUT(g_{n}[value & 1], value & {self.random.choice((3, 3, 1))}); }}\n"
        )

    def routine(self, k: int, start: list[str], body: list[str]) -> str:
        n = self.number
        declared = ["long a = 0;", "long b = 0;", "long argument = (long)given;"]
        shared = ["atomic_long own = 0;", "long *cell = calloc(1, 16);"]
        self.random.shuffle(declared)
        lines = [*declared, *shared, "(void)a, (void)b, (void)argument, (void)own;"]
        lines += start if self.random.random() < 0.5 else []
        changed = list(body)
        if self.random.random() < 0.2:
            changed[self.random.randrange(len(changed))] = self.statement(2)
        if self.random.random() < 0.3:
            changed = [line.replace("help_", "other_") for line in changed]
        text = "\n    ".join([*lines, *changed, "free(cell);", f"return {self.random.choice(('NULL', '(void *)b'))};"])
        return f"static void *run_{n}_{k}(void *given)\n{{\n    {text}\n}}"

    def main(self, names: list[str]) -> str:
        n, r = self.number, self.random
        given = r.choice(("NULL", "(void *)%d", "(void *)(%dl & 2)"))
        creates = [
            f"pthread_create(&t[{k}], NULL, {name}, {given.replace('%d', str(k))});" for k, name in enumerate(names)
        ]
        if r.random() < 0.2:
            creates.insert(1, f"PUT(g_{n}[0], 2);")
        where = r.choice((f"pthread_t t[{len(names)}];", f"static pthread_t t[{len(names)}];",
                          f"pthread_t *t = malloc({len(names)} * sizeof *t);"))  # fmt: skip
        joins = f"for (int i = 0; i < {len(names)}; i++) pthread_join(t[i], NULL);"
        if r.random() < 0.15:
            joins = f"pthread_join(t[0], NULL); PUT(g_{n}[1], 3); " + joins.replace("i = 0", "i = 1")
        if "malloc" in where and r.random() < 0.7:
            joins += " free(t);"
        check = r.choice(("", f"isospin_assert(GET(g_{n}[0]) + GET(g_{n}[1]) != {r.randint(2, 6)});"))
        return f"static void program_{n}(void)\n{{\n    {where} {' '.join(creates)}\n    {joins} {check}\n}}"

    # ---------------------------------------------------------------- statements

    def statement(self, depth: int) -> str:
        n, r = self.number, self.random
        local = partial(r.choice, "ab")
        kinds: list[Callable[[], str]] = [
            lambda: f"{local()} = GET(g_{n}[{r.randint(0, 1)}]);",
            lambda: f"{local()} = GET(g_{n}[{local()} & 1]);",
            lambda: f"PUT(g_{n}[{r.randint(0, 1)}], {local()} + {r.randint(0, 2)});",
            lambda: f"PUT(g_{n}[{local()} & 1], {r.randint(1, 3)});",
            lambda: f"{local()} = atomic_fetch_add_explicit(&g_{n}[{r.randint(0, 1)}], 1, memory_order_relaxed);",
            lambda: f"{local()} = {r.choice(('argument', 'argument & 1', 'a + b', 'cell[0]', f'mine_{n}', '0'))};",
            lambda: f"cell[{r.randint(0, 1)}] = {r.choice('ab')};",
            lambda: f"mine_{n} = {r.choice(('a', 'b', 'argument'))};",
            lambda: f"{r.choice(('help', 'other'))}_{n}({local()});",
            lambda: f"PUT(who_{n}, (uintptr_t)pthread_self());",
            lambda: f"PUT(where_{n}, &own);",
            lambda: f"if (GET(where_{n}) == &own) {self.inner(depth)}",
            lambda: f"if (GET(who_{n}) == (uintptr_t)pthread_self()) {self.inner(depth)}",
            lambda: f"if ({local()} == {r.randint(0, 2)}) {self.inner(depth)}",
            lambda: f"for (int i = 0; i < 2; i++) {self.inner(depth)}",
        ]
        return r.choice(kinds)()

    def check(self) -> str:
        a, b = self.random.randint(0, 2), self.random.randint(0, 2)
        return self.random.choice((f"isospin_assert(a != {a} || b != {b});", f"isospin_assert(a + b != {a + b + 1});"))

    def inner(self, depth: int) -> str:
        return "{ " + (self.statement(depth - 1) if depth > 0 else "a++;") + " }"


def text(seeds: list[int]) -> str:
    """A file with a program for each seed; its first argument says which one runs."""
    parts = [Writer(n, Random(seed)).text() for n, seed in enumerate(seeds)]
    cases = "\n".join(f"    case {n}: program_{n}(); break;" for n in range(len(seeds)))
    choice = f"    switch (count > 1 ? atoi(words[1]) : 0) {{\n{cases}\n    }}\n    return 0;\n"
    main = f"int main(int count, char **words)\n{{\n{choice}}}\n"
    return HEAD + "\n\n".join(parts) + "\n\n" + main
