"""Random C programs whose main thread does more than to start the others and to wait for them.

It works beside them, names them in arrays, waits in several ways, and looks at all that they have left behind, in an
order of its own.  Some of it can be told from the order in which the others went, some cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.support.generators import random_c_numbers
from tests.support.generators.random_c import HEAD


class Writer(random_c_numbers.Writer):
    """One program: the threads are those of `random_c_numbers`."""

    def __init__(self, number: int, random: Random) -> None:
        super().__init__(number, random)
        self.odd = random.random() < 0.3
        self.handles = random.choice(("t", "t", f"handles_{number}", "h", f"kept_{number}"))
        self.hands = random.random() < 0.4

    def routine(self) -> str:
        """Short, so that threads are often alike."""
        n = self.number
        declared = f"static int ready_{n};\nstatic pthread_cond_t told_{n} = PTHREAD_COND_INITIALIZER;\n"
        declared += f"static pthread_t *kept_{n};\n"
        body = [self.statement(1) for _ in range(self.random.randint(1, 2))]
        lines = [self.taken(), "int a = 0, b = 0, k = i; (void)a, (void)b, (void)k;", *body, "return NULL;"]
        return declared + f"static void *run_{n}(void *given)\n{{\n    " + "\n    ".join(lines) + "\n}"

    def statement(self, depth: int) -> str:
        """Often something that is left behind, and shows in which order they went."""
        r, n = self.random, self.number
        if r.random() < 0.25:
            return super().statement(depth)
        if self.hands and r.random() < 0.5:
            return self.handed()
        left = r.choice([
            f"plain_{n}[i] = turn_{n}++;", f"plain_{n}[i] = 1; sum_{n}++;",
            f"names_{n}[turn_{n}++ % {self.threads}] = i;",
            f"if (owner_{n} < 0) owner_{n} = i;", f"if (!sum_{n}) sum_{n} = 1; else plain_{n}[i] = 1;",
            f"plain_{n}[i]++; a = plain_{n}[i];", f"plain_{n}[{self.index()}] = 2;",
            f"if (kept_{n}) turn_{n}++;",
        ])  # fmt: skip
        if self.odd and r.random() < 0.2:  # the names of main, which tell threads apart, or where they are
            left = r.choice([
                f"if (kept_{n} && kept_{n}[0] == pthread_self()) owner_{n} = 9;",
                f"if (kept_{n} + i == kept_{n} + 1) owner_{n} = 9;", f"if (kept_{n}) kept_{n}[0] = kept_{n}[1];",
            ])  # fmt: skip
        return f"pthread_mutex_lock(&lock_{n}); {left} pthread_mutex_unlock(&lock_{n});"

    def main(self) -> str:
        r, n, count = self.random, self.number, self.threads
        heap = f"pthread_t *h = malloc(8 * sizeof *h); kept_{n} = {r.choice(('h', 'h', 'h + 1'))};"
        kept = heap if self.handles in ("h", f"kept_{n}") else ""
        lines = ["pthread_t t[8]; int x = 0; (void)t;", kept, *self.starts(self.handles)]
        lines += [self.beside() for _ in range(r.randint(1 if self.hands else 0, 2))]
        lines += [self.joins(), *(self.look() for _ in range(r.randint(1, 2)))]
        declared = f"static pthread_t handles_{n}[{count}];\n"
        return f"{declared}static void main_{n}(void)\n{{\n    " + "\n    ".join(line for line in lines if line) + "\n}"

    def number_of(self, thread: object) -> str:
        """What main has given to a thread."""
        if self.given in random_c_numbers.STRUCTS:
            return f"all_{self.number}[{thread}]->id"
        return f"ids_{self.number}[{thread}]" if self.given == "pointer" else f"names_{self.number}[{thread}]"

    def handed(self) -> str:
        """Something that main prepares without a lock, and hands over with one; perhaps it is not waited for."""
        r, n, count = self.random, self.number, self.threads
        lock, unlock = f"pthread_mutex_lock(&lock_{n});", f"pthread_mutex_unlock(&lock_{n});"
        use = r.choice([f"b = plain_{n}[{count}];", f"b = plain_{n}[{count}];", f"plain_{n}[{count}] = 2;"])
        wait = r.choice([f"while (!ready_{n}) pthread_cond_wait(&told_{n}, &lock_{n});", ""])
        told = f"{lock} {wait} a = ready_{n}; {unlock} if (a) {{ {use} }}"
        taken = f"{lock} {wait} if (ready_{n}) {{ ready_{n}--; a = 9; }} {unlock} if (a == 9) {{ {use} }}"
        return r.choice([told, told, taken, taken, f"{lock} a = ready_{n}; {unlock} {use}"])

    def hand_over(self) -> str:
        r, n, count = self.random, self.number, self.threads
        told = r.choice(["broadcast", "signal"])
        return (
            f"plain_{n}[{count}] = 1; pthread_mutex_lock(&lock_{n}); ready_{n} = {r.choice((1, count))}; "
            f"pthread_cond_{told}(&told_{n}); pthread_mutex_unlock(&lock_{n});"
        )

    def beside(self) -> str:
        """What main does while the others live."""
        r, n, count = self.random, self.number, self.threads
        if self.hands and r.random() < 0.7:
            return self.hand_over()
        common: list[Callable[[], str]] = [
            lambda: f"pthread_mutex_lock(&lock_{n}); sum_{n} += 1; pthread_mutex_unlock(&lock_{n});",
            lambda: f"pthread_mutex_lock(&lock_{n}); x = sum_{n}; pthread_mutex_unlock(&lock_{n});",
            lambda: f"x = GET(flag_{n});",
            lambda: f"atomic_fetch_add(&flag_{n}, 1);",
        ]
        odd: list[Callable[[], str]] = [
            lambda: f"x = GET(cell_{n}[{r.randrange(count)}]);",
            lambda: f"PUT(cell_{n}[{r.randrange(count)}], 1);",
            lambda: f"pthread_mutex_lock(&lock_{n}); x = owner_{n}; pthread_mutex_unlock(&lock_{n});",
            lambda: f"pthread_mutex_lock(&lock_{n}); owner_{n} = 0; pthread_mutex_unlock(&lock_{n});",
            lambda: f"pthread_mutex_lock(&lock_{n}); x = plain_{n}[0]; pthread_mutex_unlock(&lock_{n});",
            lambda: f"pthread_mutex_lock(&locks_{n}[0]); x++; pthread_mutex_unlock(&locks_{n}[0]);",
            lambda: f"x = pthread_equal({self.handles}[0], {self.handles}[1]);",
            lambda: f"x = {self.number_of(0)};",
        ]
        return r.choice(odd)() if r.random() < 0.25 else r.choice(common)()

    def joins(self) -> str:
        r, n, count, t = self.random, self.number, self.threads, self.handles
        every = f"for (int i = 0; i < {count}; i++) pthread_join({t}[i], NULL);"
        return r.choice([
            every, every, every, every,
            f"for (int i = {count - 1}; i >= 0; i--) pthread_join({t}[i], NULL);",
            f"for (int i = 0; i < {count}; i++) {{ pthread_join({t}[i], NULL); x += GET(cell_{n}[i]); }}",
            f"pthread_join({t}[1], NULL); x = sum_{n} < 9; {every.replace('i++) ', 'i++) if (i != 1) ')}",
            f"pthread_mutex_lock(&lock_{n}); x = sum_{n}; pthread_mutex_unlock(&lock_{n}); {every}",
            f"for (int i = 0; i < {count}; i++) pthread_detach({t}[i]);",
        ])  # fmt: skip

    def look(self) -> str:
        """What main makes of what is left behind."""
        r, n, count = self.random, self.number, self.threads
        first, second = r.sample(range(count), 2)
        some = [
            f"for (int i = 0; i < {count}; i++) isospin_assert(GET(cell_{n}[i]) < {r.randint(1, 3)});",
            f"x = 0; for (int i = 0; i < {count}; i++) x += GET(cell_{n}[i]); isospin_assert(x != {r.randint(1, 3)});",
            f"x = 0; for (int i = 0; i < {count}; i++) x += i * GET(cell_{n}[i]); isospin_assert(x < 3);",
            f"isospin_assert(GET(cell_{n}[{first}]) <= GET(cell_{n}[{second}]));",
            f"for (int i = 1; i < {count}; i++) isospin_assert(GET(cell_{n}[i]) <= GET(cell_{n}[i - 1]));",
            f"isospin_assert(names_{n}[0] != {first} || turn_{n} < 2);",
            f"isospin_assert(plain_{n}[{first}] <= plain_{n}[{second}]);",
            f"isospin_assert(plain_{n}[{first}] <= plain_{n}[{second}]);",
            f"x = 0; for (int i = 0; i < {count}; i++) x += plain_{n}[i]; isospin_assert(x != {r.randint(1, 3)});",
            f"for (int i = 0; i < {count}; i++) isospin_assert(plain_{n}[i] < {r.randint(1, 3)});",
            f"isospin_assert(names_{n}[{first}] != {second} || turn_{n} < 2);",
            f"isospin_assert(owner_{n} != {first});",
            f"isospin_assert(owner_{n} < 0 || plain_{n}[owner_{n}] < 2);",
            f"isospin_assert(sum_{n} < {r.randint(1, 4)} || x == {r.randint(0, 2)});",
            f"isospin_assert(GET(flag_{n}) < {r.randint(1, 4)} || x);",
            f"for (int i = 0; i < {count}; i++) pthread_mutex_destroy(&locks_{n}[i]);",
            f"for (int i = 0; i < {count}; i++) isospin_assert({self.number_of('i')} == i);",
        ]
        texts = r.choice(["", "", "", ' x += (int)strlen(getenv("HOME") ? "a" : "");', ' x += strcmp("a", "b");'])
        return r.choice(some) + texts


def text(seeds: list[int]) -> str:
    """A file with a program for each seed; which one is run the argument says."""
    programs = [Writer(number, Random(f"bystanders {seed}")).text() for number, seed in enumerate(seeds)]
    cases = "\n".join(f"    case {number}: main_{number}(); break;" for number in range(len(seeds)))
    choice = f"    switch (count > 1 ? atoi(words[1]) : 0) {{\n{cases}\n    }}\n    return 0;\n"
    return "\n\n".join([HEAD, *programs, f"int main(int count, char **words)\n{{\n{choice}}}\n"])
