"""Random C programs whose threads are given numbers: directly, in a struct of their own, behind a pointer; in variables
of the file, of main, or in the heap.

They index arrays with it and with numbers made from it, copy it, compare it, pass it on, leave it in variables.  With
some probability something tells the threads apart, or only some of them: a constant, an order, arithmetic, a loop over
all of them, a ticket that each draws for himself.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.support.generators.random_c import HEAD

STRUCTS = {  # how main makes the structs of all threads, or that of one; and what that thread gets
    "struct": ("", "", "&work_{n}[i]"),
    "local": ("struct work_{n} own[{count}]; memset(own, 0, sizeof own);", "", "&own[i]"),
    "block": ("struct work_{n} *own;", "own = malloc(sizeof *own); own->other = 0; own->done_{n} = 0;", "own"),
    "wrapped": ("struct work_{n} *own;", "own = made_{n}(sizeof *own); own->other = 0; own->done_{n} = 0;", "own"),
    "blocks": ("struct work_{n} *own = calloc({count}, sizeof *own);", "", "&own[i]"),
}  # fmt: skip
POINTERS = {  # the same for plain numbers
    "pointer": ("", "", "&ids_{n}[i]"), "locals": ("int own[{count}];", "", "&own[i]"),
    "int": ("int *own;", "own = malloc(sizeof *own);", "own"),
}  # fmt: skip


CHOICES = {  # how a thread without a number chooses one of those that have one
    "store": "PUT(chosen_{n}, {k});", "exchange": "atomic_exchange(&chosen_{n}, {k});",
    "once": "number_{n} = {k}; pthread_once(&once_{n}, set_{n});",
    "thread": "pthread_t one; pthread_create(&one, NULL, choose_{n}, (void *){k}L); pthread_join(one, NULL);",
    "pointer": "pthread_t one; pthread_create(&one, NULL, chooses_{n}, (void *){k}L); pthread_join(one, NULL);",
}  # fmt: skip


class Writer:
    """One program."""

    def __init__(self, number: int, random: Random) -> None:
        self.number, self.random = number, random
        self.threads = random.choice((2, 3, 3))
        self.given = random.choice(("number", "number", *STRUCTS, *STRUCTS, *POINTERS))
        self.odd = random.random() < 0.45
        self.ring = random.random() < 0.3

    def text(self) -> str:
        n, count = self.number, self.threads
        declared = [
            f"struct work_{n} {{ int id; long done_{n}; int other; }};",
            f"static struct work_{n} work_{n}[{count}], *all_{n}[{count}], *lead_{n};",
            f"static int ids_{n}[{count}], plain_{n}[{count + 1}], names_{n}[{count}];",
            f"static int owner_{n} = -1, turn_{n}, sum_{n};",
            f"static atomic_int cell_{n}[{count + 1}], flag_{n}, ticket_{n};",
            f"static pthread_mutex_t lock_{n} = PTHREAD_MUTEX_INITIALIZER, locks_{n}[{count}];",
            f"static int same_{n}(int given) {{ return given; }}",
            f"static void *made_{n}(size_t size) {{ void *new = malloc(size); if (!new) abort(); return new; }}",
            f"static void touch_{n}(int who) {{ PUT(cell_{n}[who], GET(cell_{n}[who]) + 1); }}",
        ]
        return "\n".join([*declared, self.routine(), self.main()])

    # ---------------------------------------------------------------- threads

    def routine(self) -> str:
        r, n = self.random, self.number
        body = [self.statement(1) for _ in range(r.randint(2, 4))]
        body.insert(r.randint(1, len(body)), self.check())
        lines = [self.taken(), "int a = 0, b = 0, k = i;", "(void)a, (void)b, (void)k;", *body, "return NULL;"]
        return f"static void *run_{n}(void *given)\n{{\n    " + "\n    ".join(lines) + "\n}"

    def taken(self) -> str:
        """How a thread finds its number."""
        if self.given in STRUCTS:
            return f"struct work_{self.number} *own = given; int i = own->id;"
        return "int i = (int)(long)given;" if self.given == "number" else "int i = *(int *)given;"

    def index(self) -> str:
        r, n, count = self.random, self.number, self.threads
        some = ["i", "i", "i", "k", f"same_{n}(i)"]
        if self.ring:
            some += [f"(i + 1) % {count}", f"(k + {count - 1}) % {count}"]
        if self.odd and r.random() < 0.25:
            some = ["0", f"{count - 1} - i", "i / 2", "i ^ 1 & 1", f"(i * 2) % {count}"]
        return r.choice(some)

    def statement(self, depth: int) -> str:
        r, n = self.random, self.number
        common: list[Callable[[], str]] = [
            lambda: f"PUT(cell_{n}[{self.index()}], {r.choice(('a', 'b', '1'))});",
            lambda: f"{r.choice('ab')} = GET(cell_{n}[{self.index()}]);",
            lambda: f"{r.choice('ab')} = atomic_fetch_add(&flag_{n}, 1);",
            lambda: f"touch_{n}({self.index()});",
            self.locked,
            self.locked,
            lambda: f"k = {self.index()};",
            lambda: f"if (k == i) {self.inner(depth)}",
            lambda: f"if ({r.choice('ab')} == {r.randint(0, 2)}) {self.inner(depth)}",
        ]
        odd: list[Callable[[], str]] = [
            lambda: f"if (i == {r.randint(0, self.threads - 1)}) {self.inner(depth)}",
            lambda: f"if (i < {r.randint(1, 2)}) {self.inner(depth)}",
            lambda: "a += i;",
            lambda: f"PUT(cell_{n}[0], i);",
            lambda: f"k = atomic_fetch_add(&ticket_{n}, 1) % {self.threads};",
            lambda: f"for (int j = 0; j < {self.threads}; j++) b = b * 2 + GET(cell_{n}[j]);",
            lambda: f"{{ atomic_int *p = &cell_{n}[i]; a = GET(*p); a = GET(p[{r.randint(0, 1)}]); }}",
            lambda: "a = i > 1 ? i : k;",
            lambda: "switch (i) { case 0: a = 1; break; case 1: b = 1; break; default: a = 2; }",
        ]
        if self.given in STRUCTS:
            common += [
                lambda: "own->other = i;",
                lambda: f"if (own->id == k) {self.inner(depth)}",
                lambda: f"own->done_{n} += {r.choice(('1', 'a'))}; b = (int)own->done_{n};",
                lambda: f"touch_{n}(own->id);",
                lambda: f"all_{n}[own->id]->done_{n} = 1;",
            ]
            odd += [
                lambda: f"if (own->id == lead_{n}->id) {self.inner(depth)}",
                lambda: f"if (own->id == lead_{n}->id) a = 2;",
                lambda: f"own->id = {r.choice(('0', '(own->id + 1) % 2', 'k'))}; touch_{n}(own->id);",
                lambda: f"a = all_{n}[0] == own;",
                lambda: "a = (int)own->other;",
                lambda: f"{{ struct work_{n} copy = *own; if (copy.id == 1) a = 2; }}",
                lambda: f"{{ struct work_{n} other; other.id = 0; touch_{n}((&other)->id); }}",
                lambda: "{ int *raw = (int *)own; if (raw[0] == 1) b = 2; }",
            ]
        return r.choice(odd)() if self.odd and r.random() < 0.3 else r.choice(common)()

    def inner(self, depth: int) -> str:
        return "{ " + (self.statement(depth - 1) if depth else "a++;") + " }"

    def locked(self) -> str:
        """Under a lock that all share, or one of their own."""
        r, n = self.random, self.number
        which = f"lock_{n}" if r.random() < 0.7 else f"locks_{n}[{self.index()}]"
        inside = [
            f"owner_{n} = i;",
            f"a = owner_{n} == i;",
            f"names_{n}[turn_{n} % {self.threads}] = {r.choice(('i', '1'))}; turn_{n}++;",
            f"sum_{n} += 1;",
            f"b = sum_{n};",
            f"if (owner_{n} != i) sum_{n}++;",
            f"if (owner_{n} >= 0) plain_{n}[owner_{n}]++;",
        ]
        if which != f"lock_{n}":
            inside = ["a++;", "b = a;"]
        if self.odd:
            inside += [f"sum_{n} += i;", f"if (owner_{n} < i) a = 3;", f"a = names_{n}[0];"] if len(inside) > 2 else []
        return f"pthread_mutex_lock(&{which}); {r.choice(inside)} pthread_mutex_unlock(&{which});"

    def check(self) -> str:
        r, n = self.random, self.number
        odd = ["a != i", f"a != {r.randint(1, 3)} || i != {r.randint(0, 2)}"] if self.odd else []
        even = [f"a < {r.randint(1, 3)}", f"b != {r.randint(1, 3)}", "a != b + 1", f"GET(flag_{n}) < 3", "k == i"]
        return f"isospin_assert({r.choice([*even, *odd])});"

    # ---------------------------------------------------------------- main

    def starts(self, handles: str) -> list[str]:
        """Main makes what the threads get, and starts them."""
        n, count = self.number, self.threads
        first, each, argument = (STRUCTS | POINTERS).get(self.given, ("", "", "(void *)(long)i"))
        first, each, argument = (text.format(n=n, count=count) for text in (first, each, argument))
        number = f"int *id = {argument}; *id = i;" if self.given in POINTERS else ""
        if self.given in STRUCTS:
            number = f"struct work_{n} *mine = {argument}; mine->id = i; all_{n}[i] = mine;"
        lead = f"lead_{n} = calloc(1, sizeof *lead_{n}); lead_{n}->id = {self.number % 3};"
        return [
            first,
            lead if self.given in STRUCTS else "",
            f"for (int i = 0; i < {count}; i++) pthread_mutex_init(&locks_{n}[i], NULL);",
            f"for (int i = 0; i < {count}; i++) {{ {each} {number} "
            f"pthread_create(&{handles}[i], NULL, run_{n}, {argument}); }}",
        ]

    def main(self) -> str:
        r, n, count = self.random, self.number, self.threads
        lines = [
            "pthread_t t[8];",
            *self.starts("t"),
            f"for (int i = 0; i < {count}; i++) pthread_join(t[i], NULL);",
            r.choice(["", "", f"isospin_assert(sum_{n} < {r.randint(1, 4)});", f"isospin_assert(GET(flag_{n}) != 2);"]),
            r.choice(["", "", f"isospin_assert(GET(cell_{n}[{r.randint(0, count - 1)}]) < 2);"]) if self.odd else "",
            f"for (int i = 0; i < {count}; i++) isospin_assert(GET(cell_{n}[i]) < 3);" if r.random() < 0.15 else "",
            f"isospin_assert(owner_{n} != 1);" if self.odd and r.random() < 0.3 else "",
        ]
        return f"static void main_{n}(void)\n{{\n    " + "\n    ".join(line for line in lines if line) + "\n}"


class ChoosingWriter(Writer):
    """One in which another thread chooses by number, or one that main starts beside them, or main."""

    def __init__(self, number: int, random: Random) -> None:
        super().__init__(number, random)
        self.when = random.choice(("first", "last", "late", "main"))
        self.odd = random.random() < 0.1

    def text(self) -> str:
        n = self.number
        declared = [
            f"static atomic_long chosen_{n} = 9; static long number_{n}; static pthread_once_t once_{n};",
            f"static void set_{n}(void) {{ PUT(chosen_{n}, number_{n}); }}",
            f"static void *choose_{n}(void *given) {{ PUT(chosen_{n}, (long)given); return NULL; }}",
            f"static void *(*chooses_{n})(void *) = choose_{n};",
        ]
        return "\n".join([*declared, super().text()])

    def statement(self, depth: int) -> str:
        n = self.number
        if self.random.random() < 0.3:
            return f"if (GET(chosen_{n}) == i) {self.inner(depth)}"
        return super().statement(depth)

    def check(self) -> str:
        """Mostly: the chosen one does not come at that time."""
        r, n = self.random, self.number
        drawn = f"a = atomic_fetch_add(&ticket_{n}, 1); "
        return f"{drawn if r.random() < 0.8 else ''}isospin_assert(GET(chosen_{n}) != i || a != {r.randint(0, 1)});"

    def choice(self) -> str:
        """What the chooser does, and perhaps only if it has seen something."""
        r, n = self.random, self.number
        seen = f"if (GET(flag_{n}) == {r.randint(1, 2)}) " if r.random() < 0.6 else ""
        what = CHOICES[r.choice(list(CHOICES))].format(n=n, k=r.choice((0, 0, 1, 5)))
        return f"{seen}{{ {what} }}"

    def starts(self, handles: str) -> list[str]:
        n = self.number
        every = super().starts(handles)
        other = f"pthread_create(&{handles}[7], NULL, chooser_{n}, NULL);"
        join = f"pthread_join({handles}[7], NULL);"
        if self.when == "first":
            return [other, *every, join]
        if self.when == "last":
            return [*every, other, join]
        if self.when == "main":
            return [*every, self.choice()]
        return [*every, f"if (GET(flag_{n})) {{ {other} {join} }}"]

    def main(self) -> str:
        n = self.number
        return f"static void *chooser_{n}(void *given) {{ {self.choice()} return given; }}\n{super().main()}"


class HandingWriter(Writer):
    """One in which threads hand on their numbers, or where their structs are, by atomic variables."""

    def text(self) -> str:
        n = self.number
        declared = [
            f"struct work_{n};",
            f"static atomic_int said_{n} = -1; static atomic_uchar short_{n} = 9;",
            f"static struct work_{n} *_Atomic best_{n};",
            f"static struct {{ int before; atomic_int at; }} inside_{n} = {{0, 5}};",
            f"static void *hidden_{n} = &said_{n};",
        ]
        return "\n".join([*declared, super().text()])

    def statement(self, depth: int) -> str:
        r, n, count = self.random, self.number, self.threads
        if r.random() < 0.45:
            return super().statement(depth)
        place = r.choice((f"said_{n}", f"said_{n}", f"short_{n}", f"inside_{n}.at", f"*(atomic_int *)hidden_{n}"))
        seen = f"(int)GET({place})"
        expected, put = r.choice(("i", "8")), r.choice(("i", "8"))
        exchange = f"atomic_compare_exchange_strong(&said_{n}, &e"
        some = [
            f"atomic_store(&{place}, {self.index()});",
            f"atomic_store(&{place}, {self.index()});",
            f"if (atomic_exchange(&{place}, {self.index()}) == i) {self.inner(depth)}",
            f"k = atomic_exchange(&{place}, i) == k ? k : i;",
            f"{{ int e = {seen}; if (e >= 0 && e < {count}) touch_{n}(e); }}",
            f"if ({seen} == {self.index()}) {self.inner(depth)}",
            f"{{ int e = {expected}; {exchange}, {put}); if (e == i) {self.inner(depth)} }}",
            f"{{ int e = 8; {exchange}, 8); if (e >= 0 && e < {count}) touch_{n}(e); }}",
            f"a = {seen} >= {count};",
        ]
        if self.given in STRUCTS:
            some += [
                f"atomic_store(&best_{n}, own);",
                f"if (atomic_exchange(&best_{n}, own) == own) {self.inner(depth)}",
                f"{{ struct work_{n} *one = GET(best_{n}); if (one) {{ a = one->id == i; touch_{n}(one->id); }} }}",
            ]
        return r.choice(some)

    def main(self) -> str:
        r, n, count = self.random, self.number, self.threads
        place = r.choice((f"said_{n}", f"short_{n}", f"inside_{n}.at"))
        cell = f"isospin_assert(GET(cell_{n}[e]) != {r.randint(0, 2)});"
        ends = [
            f"isospin_assert(GET({place}) != {r.randint(0, count - 1)});",
            f"{{ int e = (int)GET({place}); if (e >= 0 && e < {count}) {cell} }}",
            f"isospin_assert(GET({place}) < {count});",
            "",
        ]
        return super().main().removesuffix("}") + f"    {r.choice(ends)}\n}}"


def handing(seeds: list[int]) -> str:
    """The same, with threads that hand on their numbers."""
    return text(seeds, HandingWriter)


def choosers(seeds: list[int]) -> str:
    """The same, with threads that choose."""
    return text(seeds, ChoosingWriter)


def text(seeds: list[int], writer: type[Writer] = Writer) -> str:
    """A file with a program for each seed; which one is run the argument says."""
    programs = [writer(number, Random(f"numbers {seed}")).text() for number, seed in enumerate(seeds)]
    cases = "\n".join(f"    case {number}: main_{number}(); break;" for number in range(len(seeds)))
    choice = f"    switch (count > 1 ? atoi(words[1]) : 0) {{\n{cases}\n    }}\n    return 0;\n"
    return "\n\n".join([HEAD, *programs, f"int main(int count, char **words)\n{{\n{choice}}}\n"])
