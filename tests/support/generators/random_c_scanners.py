"""Random C programs in the shape of a file scanner: main puts items into a queue, workers take them, allocate and free.

Workers have the same text, read and write the item that they took, mostly without a lock, hand blocks of their own to
each other, and keep pointers longer than what they point to.  So there are races, uses after free, and double frees;
and the sum in the end, of which each value is an assertion of its own, tells the final states apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

SUMS = 6
HEAD = """\
#include <isospin.h>
#include <pthread.h>
#include <stdlib.h>
struct item { long a, b; int turns; pthread_mutex_t lock; };
struct cell { pthread_mutex_t lock; long value; };
"""
QUEUE = """\
static struct item *ring_N[8], *shared_N;
static int first_N, last_N, closed_N;
static long total_N, *slot_N;
static struct cell *place_N;
static pthread_mutex_t queue_N = PTHREAD_MUTEX_INITIALIZER, sums_N = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more_N = PTHREAD_COND_INITIALIZER;
static struct item *take_N(void)
{
    struct item *found = NULL;
    pthread_mutex_lock(&queue_N);
    WAIT
    if (first_N < last_N) found = ring_N[first_N++];
    pthread_mutex_unlock(&queue_N);
    return found;
}
static void put_N(struct item *item)
{
    pthread_mutex_lock(&queue_N);
    ring_N[last_N++] = item;
    SIGNAL
    pthread_mutex_unlock(&queue_N);
}
"""
WAIT = "while (first_N == last_N && !closed_N) pthread_cond_wait(&more_N, &queue_N);"
CLOSE = """\
pthread_mutex_lock(&queue_N);
    closed_N = 1;
    pthread_cond_broadcast(&more_N);
    pthread_mutex_unlock(&queue_N);"""


class Scanner:
    """One program: two workers, one or two items."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.waits = random.random() < 0.3
        self.items = 1 if self.waits else random.choice((1, 2, 2))
        self.locks = 0  # more of them in a round, and there are too many executions

    def text(self) -> str:
        queue = QUEUE.replace("WAIT", WAIT if self.waits else "")
        queue = queue.replace("SIGNAL", "pthread_cond_signal(&more_N);" if self.waits else "")
        return "\n".join([queue, self.worker(), self.main()])

    def worker(self) -> str:
        r = self.random
        declared = "long v = 0, *buf = NULL, *keep = NULL, *old = NULL; "
        declared += "struct item *other = NULL; struct cell *cell = NULL;"
        used = "(void)v, (void)buf, (void)keep, (void)old, (void)other, (void)cell;"
        before, inside = (declared + used, "") if r.random() < 0.4 else ("", declared + used)
        body = [self.statement() for _ in range(r.randint(3, 7))]
        end = [r.choice(("free(buf); buf = NULL;", "free(buf); buf = NULL;", "free(buf);", "")),
               r.choice(("free(keep); keep = NULL;", "free(keep);", "")),
               r.choice(("", "", "free(item);"))]  # fmt: skip
        lines = "\n        ".join(line for line in [inside, *body, *end] if line)
        return (
            "static void *work_N(void *given)\n{\n    struct item *item;\n    " + before + "\n    "
            "while ((item = take_N())) {\n        " + lines + "\n    }\n    return NULL;\n}"
        )

    def main(self) -> str:
        r = self.random
        made = [
            f"items[{i}] = calloc(1, sizeof *items[{i}]); items[{i}]->a = {r.randint(1, 2)}; "
            f"pthread_mutex_init(&items[{i}]->lock, NULL); put_N(items[{i}]);"
            for i in range(self.items)
        ]
        births = ["for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work_N, NULL);"]
        after = self.waits or r.random() < 0.4
        steps = births + made if after else made + births
        if after and r.random() < 0.2:
            steps.append("items[0]->b = 5;")
        if self.waits:
            steps.append(CLOSE)
        steps.append("for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);")
        if r.random() < 0.3:
            steps.append("total_N += items[0]->b;")
        steps += [f"isospin_assert(total_N % {SUMS} != {k});" for k in range(SUMS)]
        joined = "\n    ".join(["pthread_t t[2];", "struct item *items[2];", *steps])
        return f"static void program_N(void)\n{{\n    {joined}\n}}"

    # ---------------------------------------------------------------- what workers do

    def statement(self) -> str:
        r = self.random
        plain = [
            "v = item->a;", "v += item->b;", "item->b = v + 1;", "item->a++;", "item->turns++;",
            f"if (!buf) {{ buf = malloc({r.choice((8, 16, 40))}); buf[0] = v; }}", "if (buf) v += buf[0];",
            "if (buf) { free(buf); buf = NULL; }", "if (buf) { old = buf; free(buf); buf = NULL; }",
            f"if (!keep) {{ keep = calloc(1, {r.choice((16, 24))}); keep[1] = v; }}", "if (keep) v += keep[1];",
            "if (other) v += other->a;", "if (other) other->b = v;", "if (old == buf) v++;",
            "if (old && v == 3) v += *old;",
            "{ long *more = malloc(16); more[0] = v; v += more[0]; free(more); }",
            "if (v == 2) { free(keep); keep = malloc(24); keep[1] = 1; }",
        ]  # fmt: skip
        locked = [
            "total_N += v;", "total_N += item->b;", "total_N += v; v = total_N & 3;", "shared_N = item;",
            "other = shared_N;", "{ long *t = slot_N; slot_N = buf; buf = t; }", "slot_N = buf;",
            "if (slot_N == buf) v++;",
            "if (slot_N) v += *slot_N;", "{ struct cell *t = place_N; place_N = cell; cell = t; }",
        ]  # fmt: skip
        own = [
            "if (!cell) { cell = calloc(1, sizeof *cell); pthread_mutex_init(&cell->lock, NULL); }",
            "if (cell) { pthread_mutex_lock(&cell->lock); cell->value += v; pthread_mutex_unlock(&cell->lock); }",
            "if (cell) { free(cell); cell = NULL; }",
            "pthread_mutex_lock(&item->lock); item->b++; pthread_mutex_unlock(&item->lock);",
            "if (item->turns++ == 0) put_N(item);",
        ]
        kind = r.random()
        if kind < 0.6 or self.locks == 3:
            return r.choice(plain)
        self.locks += 1
        if kind < 0.85:
            return f"pthread_mutex_lock(&sums_N); {r.choice(locked)} pthread_mutex_unlock(&sums_N);"
        return r.choice(own)


GIVING = """\
static int give_N(struct item **item, long *count)
{
    int got = 0;
    pthread_mutex_lock(&queue_N);
    WAIT
    if (first_N < last_N) { *item = ring_N[first_N++]; got = 1; COUNT }
    pthread_mutex_unlock(&queue_N);
    return got;
}
static void fill_N(long *to, long value) { if (value & 1) *to = value; }
static long look_N(long *from) { return *from; }
"""


class Lender(Scanner):
    """Workers give away the addresses of their variables: what is in them may be old, and is read all the same."""

    def text(self) -> str:
        queue = QUEUE.replace("WAIT", WAIT if self.waits else "")
        queue = queue.replace("SIGNAL", "pthread_cond_signal(&more_N);" if self.waits else "")
        giving = GIVING.replace("WAIT", WAIT if self.waits else "")
        giving = giving.replace("COUNT", self.random.choice(("", "*count = first_N;", "*count += 1;")))
        taking = queue.replace("static struct item *take_N", "static __attribute__((unused)) struct item *take_N")
        return "\n".join([taking, giving, self.worker(), self.main()])

    def worker(self) -> str:
        r = self.random
        before = ["struct item *item = NULL; long v = 0, n = 0, m = 0;", "(void)v, (void)n, (void)m;"]
        body = [self.statement() for _ in range(r.randint(2, 5))]
        ends = ("", "", "v = item ? 1 : 2;", "v = n;", "v = look_N(&m);", "if (m == 1) v += n;", "if (m > 1) v = n;")
        told = "pthread_mutex_lock(&sums_N); total_N = 2 * total_N + v; pthread_mutex_unlock(&sums_N);"
        after = [r.choice(ends), r.choice(("", told, told))]
        lines = "\n        ".join(body)
        return (
            "static void *work_N(void *unused)\n{\n    (void)unused;\n    " + "\n    ".join(before) + "\n    "
            "while (give_N(&item, &n)) {\n        " + lines + "\n    }\n    "
            + "\n    ".join(after) + "\n    return NULL;\n}"
        )

    def statement(self) -> str:
        r = self.random
        plain = [
            "v = item->a;", "item->b = v + 1;", "v += n;", "n = v;", "fill_N(&n, v);", "fill_N(&m, item->a);",
            "v += look_N(&m);", "if (v == 2) v += n;", "if (v == 1) m = 3;", "m = n;", "v = 0;", "n++;",
        ]  # fmt: skip
        locked = [
            "total_N += v;", "total_N = 2 * total_N + n;", "v = total_N & 3;", "fill_N(&m, total_N);", "n = total_N;",
        ]  # fmt: skip
        if r.random() < 0.6 or self.locks == 2:
            return r.choice(plain)
        self.locks += 1
        return f"pthread_mutex_lock(&sums_N); {r.choice(locked)} pthread_mutex_unlock(&sums_N);"


def lenders(seeds: list[int]) -> str:
    """The same with workers that give away addresses of their variables."""
    return _text([Lender(Random(seed)) for seed in seeds])


def text(seeds: list[int]) -> str:
    """A file with a program for each seed; its first argument says which one runs."""
    return _text([Scanner(Random(seed)) for seed in seeds])


def _text(programs: Sequence[Scanner]) -> str:
    parts = [program.text().replace("_N", f"_{n}") for n, program in enumerate(programs)]
    cases = "\n".join(f"    case {n}: program_{n}(); break;" for n in range(len(programs)))
    choice = f"    switch (count > 1 ? atoi(words[1]) : 0) {{\n{cases}\n    }}\n    return 0;\n"
    return HEAD + "\n\n".join(parts) + f"\n\nint main(int count, char **words)\n{{\n{choice}}}\n"
