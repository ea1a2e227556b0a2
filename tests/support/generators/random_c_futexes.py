"""Random C programs whose threads wait and wake by futexes, and say what they saw."""

from __future__ import annotations

from random import Random

HEAD = """\
#include <errno.h>
#include <isospin.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int words[2];

static int wait_while(int i, int value)
{
    return syscall(SYS_futex, &words[i], FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0) ? errno : -1;
}

static void wake(int i, int most) { syscall(SYS_futex, &words[i], FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0); }
"""
STATEMENTS = (
    "words[{i}] = {v} + 1;", "words[{i}] = {v} + 1;", "words[{i}]++;", "saw[{n}] = words[{i}];",
    "saw[{n}] = words[{i}];", "saw[{n}] = wait_while({i}, {v});", "saw[{n}] = wait_while({i}, {v});",
    "saw[{n}] = wait_while({i}, {v});", "wake({i}, 1);", "wake({i}, INT_MAX);",
)  # fmt: skip
MOST = 4


def write_c(random: Random) -> str:
    """Two or three threads; each says in the end what its loads and waits returned."""
    threads = random.choice((2, 2, 3))
    lines = [HEAD]
    for thread in range(threads):
        count = random.randint(2, MOST) if threads == 2 else random.randint(1, 3)
        body = [
            random.choice(STATEMENTS).format(n=n, i=random.randrange(2), v=random.randrange(2)) for n in range(count)
        ]
        told = ", ".join(f"saw[{n}]" for n in range(MOST))
        lines += [
            f"static void *run{thread}(void *unused)", "{", f"    int saw[{MOST}] = {{0}};",
            *(f"    {line}" for line in body),
            f'    isospin_outcome("{thread}:{" %d" * MOST} ", {told});', "    return unused;", "}",
        ]  # fmt: skip
    lines += ["int main(void)", "{", f"    pthread_t threads[{threads}];"]
    lines += [f"    pthread_create(&threads[{t}], NULL, run{t}, NULL);" for t in range(threads)]
    lines += [f"    pthread_join(threads[{t}], NULL);" for t in range(threads)]
    return "\n".join([*lines, '    isospin_outcome("end %d %d", words[0], words[1]);', "}", ""])
