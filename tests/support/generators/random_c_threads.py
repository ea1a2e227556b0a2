"""Random C programs with all that threads use: conditions, read-write locks, trylock, time-outs, heap, tosses, races.

Threads run the same function after a beginning of their own, so that many become symmetric on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

HEAD = """\
#include <isospin.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static const struct timespec soon = {2000000000, 0};
struct node { long value; pthread_t owner; struct node *next; };
"""
GLOBALS = """\
static pthread_mutex_t m{n}[2];
static pthread_cond_t c{n};
static pthread_rwlock_t w{n};
static sem_t s{n};
static atomic_long a{n}[2];
static long x{n}[2];
static struct node *list{n};
"""
STATEMENTS = (
    "pthread_mutex_lock(&m{n}[{i}]); l += x{n}[{i}]; pthread_mutex_unlock(&m{n}[{i}]);",
    "pthread_mutex_lock(&m{n}[{i}]); x{n}[{i}] += {v}; pthread_mutex_unlock(&m{n}[{i}]);",
    "if (pthread_mutex_trylock(&m{n}[{i}]) == 0) {{ x{n}[{i}]++; pthread_mutex_unlock(&m{n}[{i}]); }} else l = {v};",
    "l = atomic_load_explicit(&a{n}[{i}], memory_order_{o});",
    "atomic_store_explicit(&a{n}[{i}], l + {v}, memory_order_{r});",
    "l = atomic_fetch_add_explicit(&a{n}[{i}], {v}, memory_order_relaxed);",
    "pthread_mutex_lock(&m{n}[0]); x{n}[0]++; pthread_cond_{k}(&c{n}); pthread_mutex_unlock(&m{n}[0]);",
    "pthread_mutex_lock(&m{n}[0]); while (x{n}[0] < {v}) pthread_cond_wait(&c{n}, &m{n}[0]); x{n}[0]--; "
    "pthread_mutex_unlock(&m{n}[0]);",
    "pthread_rwlock_rdlock(&w{n}); l = x{n}[1]; pthread_rwlock_unlock(&w{n});",
    "pthread_rwlock_wrlock(&w{n}); x{n}[1]++; pthread_rwlock_unlock(&w{n});",
    "sem_post(&s{n});",
    "sem_wait(&s{n});",
    "if (l == {v}) atomic_fetch_add_explicit(&a{n}[{i}], 1, memory_order_relaxed);",
    "isospin_assert(l != {v});",
    "l = isospin_toss(2);",
    "{{ struct node *new = malloc(sizeof *new); new->value = {v}; new->owner = pthread_self(); "
    "pthread_mutex_lock(&m{n}[1]); new->next = list{n}; list{n} = new; pthread_mutex_unlock(&m{n}[1]); }}",
    "pthread_mutex_lock(&m{n}[1]); if (list{n}) {{ l = list{n}->value + pthread_equal(list{n}->owner, pthread_self()); "
    "struct node *old = list{n}; list{n} = old->next; free(old); }} pthread_mutex_unlock(&m{n}[1]);",
    "if (sem_trywait(&s{n}) != 0) l = {v};",
    "if (sem_timedwait(&s{n}, &soon) != 0) l = {v};",
    "if (pthread_mutex_timedlock(&m{n}[{i}], &soon) == 0) {{ x{n}[{i}]++; pthread_mutex_unlock(&m{n}[{i}]); }} "
    "else l = {v};",
    "if (pthread_rwlock_try{w}lock(&w{n}) == 0) {{ l = a{n}[0]; pthread_rwlock_unlock(&w{n}); }} else l = {v};",
    "if (pthread_rwlock_timed{w}lock(&w{n}, &soon) == 0) {{ l = a{n}[0]; pthread_rwlock_unlock(&w{n}); }} "
    "else l = {v};",
    "pthread_mutex_lock(&m{n}[0]); if (x{n}[0] < {v} && pthread_cond_timedwait(&c{n}, &m{n}[0], &soon)) l = x{n}[0]; "
    "pthread_mutex_unlock(&m{n}[0]);",
    "x{n}[{i}] = {v};",
    "l = x{n}[{i}];",
)
PLAIN = 2  # the last ones race


def statement(random: Random, number: int, racy: bool) -> str:
    chosen = random.choice(STATEMENTS if racy else STATEMENTS[:-PLAIN])
    return "    " + chosen.format(
        n=number, i=random.randrange(2), v=random.randint(1, 2), k=random.choice(("signal", "broadcast")),
        o=random.choice(("relaxed", "acquire")), r=random.choice(("relaxed", "release")), w=random.choice(("rd", "wr")),
    )  # fmt: skip


def one(number: int, seed: int) -> str:
    random = Random(seed)
    racy, count = random.random() < 0.3, random.choice((2, 2, 3))
    shared = [statement(random, number, racy) for _ in range(random.randint(1, 3 if count == 2 else 2))]
    lines = [GLOBALS.format(n=number), f"static long rest{number}(long l)", "{", *shared, "    return l;", "}"]
    for t in range(count):
        own = [statement(random, number, racy) for _ in range(random.choice((0, 0, 0, 1)))]
        lines += [f"static void *run{number}_{t}(void *unused)", "{", "    long l = 0;", *own]
        lines += [f"    rest{number}(l);", "    return unused;", "}"]
    names = [f"run{number}_{t if random.random() < 0.6 else 0}" for t in range(count)]
    return "\n".join([*lines, *starter(number, names)])


def starter(number: int, names: Sequence[str]) -> list[str]:
    lines = [f"static void program{number}(void)", "{", f"    pthread_t threads[{len(names)}];"]
    lines += [f"    pthread_mutex_init(&m{number}[{i}], NULL);" for i in range(2)]
    lines += [f"    pthread_cond_init(&c{number}, NULL);", f"    pthread_rwlock_init(&w{number}, NULL);"]
    lines.append(f"    sem_init(&s{number}, 0, 1);")
    lines += [f"    pthread_create(&threads[{t}], NULL, {name}, NULL);" for t, name in enumerate(names)]
    return [*lines, f"    for (int i = 0; i < {len(names)}; i++)", "        pthread_join(threads[i], NULL);", "}"]


# Threads that wait for what others make, beside a main that makes something, too: who is woken is a choice.
WAITING = (
    "pthread_mutex_lock(&m{n}[0]); while (x{n}[0] < 1 && !closed{n}) pthread_cond_wait(&c{n}, &m{n}[0]); "
    "if (x{n}[0]) {{ x{n}[0]--; l++; }} pthread_mutex_unlock(&m{n}[0]);",
    "pthread_mutex_lock(&m{n}[0]); if (!x{n}[0]) pthread_cond_wait(&c{n}, &m{n}[0]); pthread_mutex_unlock(&m{n}[0]);",
    "pthread_mutex_lock(&m{n}[0]); x{n}[0]++; pthread_cond_{k}(&c{n}); pthread_mutex_unlock(&m{n}[0]);",
    "pthread_mutex_lock(&m{n}[1]); x{n}[1] += l; isospin_assert(x{n}[1] < {v}); pthread_mutex_unlock(&m{n}[1]);",
    "if (l == {v}) a{n}[{i}]++;",
    "isospin_assert(l < {v});",
    "other{n} = l;",
)


def waiters(number: int, seed: int) -> str:
    """A program of threads that wait, and are the same but for a number with which some of them begin."""
    random = Random(seed)
    kinds, count = WAITING[: -1 if random.random() < 0.7 else len(WAITING)], random.choice((2, 2, 3))

    def chosen(kinds: Sequence[str]) -> str:
        k, v = random.choice(("signal", "signal", "broadcast")), random.randint(1, 3)
        return "    " + random.choice(kinds).format(n=number, k=k, v=v, i=random.randrange(2))

    body = [chosen(kinds[:1]), *(chosen(kinds) for _ in range(random.randint(1, 3 if count == 2 else 2)))]
    lines = [GLOBALS.format(n=number), f"static long other{number}; static int closed{number};"]
    lines += [f"static void *rest{number}(long l)", "{", *body, "    return NULL;", "}"]
    for own in range(2):
        lines.append(f"static void *run{number}_{own}(void *unused) {{ (void)unused; return rest{number}({own}); }}")
    beside = [chosen(kinds[2:3]) for _ in range(random.randint(0, 2 if count == 2 else 1))]
    close = random.choice(("broadcast", "broadcast", "signal"))
    beside.append(
        f"    pthread_mutex_lock(&m{number}[0]); closed{number} = 1; pthread_cond_{close}(&c{number}); "
        f"pthread_mutex_unlock(&m{number}[0]);"
    )
    start = starter(number, [f"run{number}_{random.choice((0, 0, 1))}" for _ in range(count)])
    return "\n".join([*lines, *start[:-3], *beside, *start[-3:]])


def text(seeds: Sequence[int], one: Callable[[int, int], str] = one) -> str:
    parts = [HEAD, *(one(number, seed) for number, seed in enumerate(seeds))]
    cases = "".join(f"    case {n}: program{n}(); break;\n" for n in range(len(seeds)))
    choose = f"    switch (argc > 1 ? atoi(argv[1]) : 0) {{\n{cases}    }}\n"
    return "\n".join([*parts, f"int main(int argc, char **argv)\n{{\n{choose}}}\n"])
