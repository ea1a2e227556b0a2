"""Random C programs whose rounds read plain memory: nodes of stacks and queues, and what a thread has put aside.

Some nodes are written again after they were given away, or freed, so that there are races, some of them only in rounds
that fail.  What each thread saw is told, and so is what is there at the end.
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
struct node { int value; struct node *next; };
struct own { int seen, twice; };
static struct node *const nobody;
#define LOAD(v) atomic_load(&v)
#define STORE(v, to) atomic_store(&v, to)
#define CAS(v, from, to) atomic_compare_exchange_strong(&v, &from, to)
"""
VARIABLES = """
static struct node pool[4];
static _Atomic(struct node *) top, last;
static atomic_int x, y;
static int data, more;
"""
NAMES = re.compile(r"\b(pool|top|last|x|y|data|more|body\d|program)\b")
BODY = """static void *body%d(void *u)
{
    struct node *n = nobody, *p = nobody, *q = nobody;
    struct own *own = malloc(sizeof *own);
    int a = 0, b = 0, c = 0, d = 0;
    own->seen = own->twice = 0;
%s
    isospin_outcome("%d: %%d %%d %%d %%d", a, b, c, d);
    (void)n, (void)p, (void)q;
    return u;
}
"""


class _Thread:
    """One thread: a few of these in a row."""

    def __init__(self, rng: random.Random, number: int, heap: bool) -> None:
        self.rng, self.number, self.heap = rng, number, heap

    def node(self) -> str:
        rng = self.rng
        where = "malloc(sizeof *n)" if self.heap or rng.random() < 0.3 else f"&pool[{self.number % 4}]"
        return f"n = {where}; n->value = {rng.randint(1, 3)}; n->next = nobody;"

    def push(self) -> str:
        again = "n->value = 4;" if self.rng.random() < 0.06 else ""
        return f"{self.node()} p = LOAD(top); do n->next = p; while (!CAS(top, p, n)); {again}"

    def give(self) -> str:
        again = "n->value = 4;" if self.rng.random() < 0.06 else ""
        return f"{self.node()} STORE({self.rng.choice(['top', 'last'])}, n); {again}"

    def pop(self) -> str:
        rng = self.rng
        looks = rng.choice(["a = p->value;", "", "a = p->value; b = p->next ? p->next->value : 9;"])
        first = "while (!(p = LOAD(top))) ;" if rng.random() < 0.3 else "p = LOAD(top); if (!p) break;"
        after = rng.choices(["", "if (p) p->value = 5;", "free(p);" if self.heap else ""], [8, 1, 1])[0]
        return f"do {{ {first} {looks} }} while (!CAS(top, p, p->next)); {after}"

    def look(self) -> str:
        """A round of several reads, with plain ones between them."""
        rng = self.rng
        one, other = rng.sample(["top", "last"], 2)
        middle = rng.choice([f"q = LOAD({other});", "c = LOAD(x);", "c = LOAD(x); d = LOAD(y);"])
        until = rng.choice([f"LOAD({one}) != p", f"b == {rng.randint(0, 3)}", "c == 0", f"p != LOAD({one}) || b == 1"])
        return f"do {{ p = LOAD({one}); b = p ? p->value : 0; {middle} }} while ({until});"

    def flag(self) -> str:
        rng = self.rng
        which = rng.choice(["data", "more"])
        again = f"{which} = 7;" if rng.random() < 0.05 else ""
        return f"{which} = {rng.randint(1, 3)}; STORE({rng.choice('xy')}, {rng.randint(1, 2)}); {again}"

    def guarded(self) -> str:
        rng = self.rng
        f, g = rng.sample("xy", 2)
        which = rng.choice(["data", "more"])
        until = rng.choice([f"LOAD({f}) != a", "!a", f"b == {rng.randint(0, 2)}", f"a && d == {rng.randint(1, 3)}"])
        return f"do {{ a = LOAD({f}); if (a) d = {which}; b = LOAD({g}); }} while ({until});"

    def phases(self) -> str:
        """A loop that waits for more the second time, and knows that from its own memory."""
        rng = self.rng
        v = rng.choice("xy")
        test = rng.choice(["== own->seen", "<= own->seen", "== 2 * own->seen"])
        return (
            f"for (own->twice = 0; own->twice < 2; own->twice++) {{ while ((c = LOAD({v})) {test}) ; "
            f"own->seen {rng.choice(['++', '= c', '+= 2'])}; }}"
        )

    def store(self) -> str:
        return f"STORE({self.rng.choice('xy')}, {self.rng.randint(1, 3)});"

    def add(self) -> str:
        rng = self.rng
        v = rng.choice("xy")
        return f"c = LOAD({v}); while (!CAS({v}, c, c + 1)) {rng.choice([';', 'd = c;', 'd = data;'])}"

    def statement(self) -> str:
        kinds = [self.push, self.give, self.pop, self.look, self.flag, self.guarded, self.phases, self.store, self.add]
        return self.rng.choices(kinds, [4, 3, 4, 4, 3, 3, 3, 2, 2])[0]()


def _program(seed: int) -> str:
    rng = random.Random(f"nodes {seed}")
    count = rng.choice([2, 3, 3, 3, 4])
    heap = rng.random() < 0.4
    first = "pool[3].value = 6; STORE(top, &pool[3]);" if not heap and rng.random() < 0.6 else ""
    bodies = []
    for number in range(count):
        thread = _Thread(rng, number, heap)
        lines = [thread.statement() for _ in range(rng.choice([1, 1, 2] if count > 2 else [1, 2, 2, 3]))]
        bodies.append(BODY % (number, "\n".join("    " + line for line in lines), number))
    starts = "".join(f"    pthread_create(&t[{n}], 0, body{n}, 0);\n" for n in range(count))
    joins = "".join(f"    pthread_join(t[{n}], 0);\n" for n in range(count))
    end = '    isospin_outcome("end: %d %d", x, y);\n'
    main = f"static void program(void)\n{{\n    pthread_t t[{count}];\n    {first}\n{starts}{joins}{end}}}\n"
    return "".join([VARIABLES, *bodies, main])


def text(seeds: Iterable[int]) -> str:
    """All of them; the argument of the program says which one is run."""
    programs = [NAMES.sub(rf"\g<1>_{number}", _program(seed)) for number, seed in enumerate(seeds)]
    calls = "".join(f"    if (which == {number}) program_{number}();\n" for number in range(len(programs)))
    head = "int main(int argc, char **argv)\n{\n    int which = argc > 1 ? atoi(argv[1]) : 0;\n"
    return "\n".join([HEAD, *programs, f"{head}{calls}    return 0;\n}}\n"])
