"""Random C programs whose threads share cells that they know by pointers: rings, private cells, common ones.

The cells are elements of an array, variables, blocks of the heap or locals of main; what each thread gets is in a
struct that lies in one of these places, too.  Something may tell the threads apart: a value in a cell, a number, a
thread that is stored, code that names a cell or goes from one to the next, main that looks at one of them in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.support.generators.random_c import HEAD

MORE = """\
#define ADD(cell, value) atomic_fetch_add_explicit(&(cell), value, memory_order_relaxed)
struct cell { atomic_long v; long plain; struct cell *_Atomic link; pthread_mutex_t lock; _Atomic uintptr_t who; };
struct seat { struct cell *mine, *next, *common; long tag; };
"""
PLACES = ("global", "global", "local", "heap", "alone")


class Writer:
    """One program."""

    def __init__(self, number: int, random: Random) -> None:
        self.number, self.random = number, random
        self.threads = random.choice((2, 2, 3))
        self.cells, self.seats = random.choice(PLACES), random.choice(PLACES)
        self.odd = random.random() < 0.5  # something of what follows tells the threads apart, perhaps

    def text(self) -> str:
        return "\n".join([*self.declared("cell"), *self.declared("seat"), self.routine(), self.main()])

    # ---------------------------------------------------------------- cells and seats

    def count(self, kind: str) -> int:
        return self.threads + 1 if kind == "cell" else self.threads

    def kept(self, kind: str) -> str:
        return self.cells if kind == "cell" else self.seats

    def declared(self, kind: str) -> list[str]:
        """Variables of the file: an array, or one by one."""
        n, where = self.number, self.kept(kind)
        if where == "global":
            return [f"static struct {kind} {kind}_{n}[{self.count(kind) + 1}];"]
        names = ", ".join(f"{kind}_{n}_{k}" for k in range(self.count(kind)))
        return [f"static struct {kind} {names};"] if where == "alone" else []

    def made(self, kind: str) -> list[str]:
        """In main: pointers to all of them."""
        n, count, where = self.number, self.count(kind), self.kept(kind)
        each = {
            "global": f"&{kind}_{n}[%d]", "local": f"&own_{kind}[%d]", "alone": f"&{kind}_{n}_%d",
            "heap": f"calloc(1, sizeof(struct {kind}))",
        }[where]  # fmt: skip
        array = [f"struct {kind} own_{kind}[{count + 1}]; memset(own_{kind}, 0, sizeof own_{kind});"]
        given = [f"{kind}[{k}] = {each.replace('%d', str(k))};" for k in range(count)]
        return [*(array if where == "local" else []), f"struct {kind} *{kind}[{count}];", *given]

    # ---------------------------------------------------------------- threads

    def routine(self) -> str:
        r = self.random
        body = [self.statement(1) for _ in range(r.randint(3, 5))]
        body.insert(r.randint(1, len(body)), self.check())
        ends = "free(seat);" if self.seats == "heap" and r.random() < 0.5 else ""
        lines = ["struct seat *seat = given;", "long a = 0, b = 0;", "(void)a, (void)b;", *body, ends, "return NULL;"]
        return f"static void *run_{self.number}(void *given)\n{{\n    " + "\n    ".join(lines) + "\n}"

    def statement(self, depth: int) -> str:
        r = self.random
        common: list[Callable[[], str]] = [
            lambda: f"{r.choice('ab')} = GET({self.cell()}->v);",
            lambda: f"PUT({self.cell()}->v, {r.choice('ab')} + {r.randint(1, 2)});",
            lambda: f"{r.choice('ab')} = ADD({self.cell()}->v, 1);",
            self.guarded,
            lambda: f"if ({self.cell()} == {self.cell()}) {self.inner(depth)}",
            lambda: f"if ({r.choice('ab')} == {r.randint(0, 2)}) {self.inner(depth)}",
        ]
        return r.choice(self.odd_statements(depth) if self.odd and r.random() < 0.4 else common)()

    def odd_statements(self, depth: int) -> list[Callable[[], str]]:
        r, n = self.random, self.number
        found: list[Callable[[], str]] = [
            lambda: f"{r.choice('ab')} = seat->tag;",
            lambda: f"PUT({self.cell()}->link, {self.cell()});",
            lambda: f"if (GET({self.cell()}->link) == {self.cell()}) {self.inner(depth)}",
            lambda: f"PUT({self.cell()}->who, (uintptr_t)pthread_self());",
            lambda: f"if (GET({self.cell()}->who) == (uintptr_t)pthread_self()) {self.inner(depth)}",
            lambda: f"{self.cell()}->plain++;",
            self.published,
            self.observed,
        ]
        if self.cells in ("global", "local"):
            found += [
                lambda: f"{r.choice('ab')} = ADD(seat->mine[1].v, 1);",
                lambda: f"{{ struct cell *other = seat->mine + 1; PUT(other->v, {r.randint(1, 2)}); }}",
                lambda: f"{r.choice('ab')} = seat->next - seat->mine;",
                lambda: "{ struct cell *p = seat->mine; for (a = 0; a < 2; a++) ADD((p++)->v, 1); }",
            ]
        if self.cells == "global":
            found += [
                lambda: f"PUT(cell_{n}[{r.randint(0, 1)}].v, {r.randint(1, 2)});",
                lambda: f"b = seat->mine - cell_{n};",
            ]
        return found

    def cell(self) -> str:
        return self.random.choice(("seat->mine", "seat->next", "seat->next", "seat->common"))

    def guarded(self) -> str:
        """Under the lock of a cell, mostly the same one."""
        of, what = self.cell(), self.random.choice(("a = p->plain;", "p->plain++;", "p->plain = b + 1;"))
        return f"{{ struct cell *p = {of}; pthread_mutex_lock(&p->lock); {what} pthread_mutex_unlock(&p->lock); }}"

    def published(self) -> str:
        """Without a lock, and whoever sees it may know or not."""
        order = self.random.choice(("release", "relaxed"))
        store = f"atomic_store_explicit(&p->v, 3, memory_order_{order});"
        return f"{{ struct cell *p = {self.cell()}; p->plain = 1; {store} }}"

    def observed(self) -> str:
        order, of = self.random.choice(("acquire", "relaxed")), self.cell()
        return f"if (atomic_load_explicit(&{of}->v, memory_order_{order}) == 3) b = {of}->plain;"

    def inner(self, depth: int) -> str:
        return "{ " + (self.statement(depth - 1) if depth > 0 else "a++;") + " }"

    def check(self) -> str:
        a, b = self.random.randint(0, 2), self.random.randint(0, 2)
        return self.random.choice((f"isospin_assert(a != {a} || b != {b});", f"isospin_assert(a + b != {a + b + 1});"))

    # ---------------------------------------------------------------- main

    def main(self) -> str:
        n, r, count = self.number, self.random, self.threads
        lines = [f"pthread_t t[{count}];", *self.made("cell"), *self.made("seat")]
        lines.append(f"for (int i = 0; i < {count + 1}; i++) pthread_mutex_init(&cell[i]->lock, NULL);")
        lines += [self.wired(k) for k in range(count)]
        if self.odd and r.random() < 0.3:
            lines.append(f"cell[{r.randrange(count)}]->{r.choice(('v', 'plain'))} = {r.randint(1, 2)};")
        creates = [f"pthread_create(&t[{k}], NULL, run_{n}, seat[{k}]);" for k in range(count)]
        if self.odd and r.random() < 0.15:
            creates.insert(1, "PUT(cell[0]->v, 2);")
        lines += [*creates, f"for (int i = 0; i < {count}; i++) pthread_join(t[i], NULL);", self.last()]
        return f"static void program_{n}(void)\n{{\n    " + "\n    ".join(lines) + "\n}"

    def wired(self, k: int) -> str:
        r, count = self.random, self.threads
        neighbour = (k + 1) % count if not self.odd or r.random() < 0.8 else r.randrange(count)
        tag = r.randint(0, 1) if self.odd and r.random() < 0.3 else 0
        return f"*seat[{k}] = (struct seat){{cell[{k}], cell[{neighbour}], cell[{count}], {tag}}};"

    def last(self) -> str:
        r, n = self.random, self.number
        if not self.odd or r.random() < 0.5:
            return ""
        k, value = r.randrange(self.threads), r.randint(1, 3)
        named = f"cell_{n}[{k}].v" if self.cells == "global" and r.random() < 0.5 else f"cell[{k}]->v"
        return f"isospin_assert(GET({named}) != {value});"


def text(seeds: list[int]) -> str:
    """A file with a program for each seed; its first argument says which one runs."""
    parts = [Writer(n, Random(seed)).text() for n, seed in enumerate(seeds)]
    cases = "\n".join(f"    case {n}: program_{n}(); break;" for n in range(len(seeds)))
    choice = f"    switch (count > 1 ? atoi(words[1]) : 0) {{\n{cases}\n    }}\n    return 0;\n"
    return HEAD + MORE + "\n\n".join(parts) + f"\n\nint main(int count, char **words)\n{{\n{choice}}}\n"
