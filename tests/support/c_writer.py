"""Programs in memory as C programs: many in one file, chosen by the first argument.

Cells are relaxed atomics (so that accesses are no data races), locks are mutexes, semaphores are semaphores, the id of
a thread is its pthread_t.  A check that fails is an assertion and ends the execution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isospin.engines.stateless.protocol import Found, Op, Thread
from isospin.hosts.memory import MemoryCode, MemoryInstruction, MemoryProgram

HEAD = """\
#include <isospin.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SMALL = 1 << 20 };
static long shift(long value) { return value < SMALL ? value : 0; }
static long plus(long value, long more) { return value < SMALL ? value + more : value; }
#define GET(cell) atomic_load_explicit(&(cell), memory_order_relaxed)
#define PUT(cell, value) atomic_store_explicit(&(cell), value, memory_order_relaxed)
"""


class Stopping(MemoryProgram):
    """After a finding nothing happens any more, as in C."""

    stopped = False

    def restart(self) -> None:
        self.stopped = False
        super().restart()

    def save(self) -> Any:
        return (self.stopped, super().save())

    def restore(self, saved: Any) -> None:
        self.stopped, state = saved
        super().restore(state)

    def pending(self) -> dict[Thread, Op]:
        return {} if self.stopped else dict(super().pending())

    def enabled(self) -> list[Thread]:
        return [] if self.stopped else list(super().enabled())

    def step(self, thread: Thread, choice: int = 0) -> list[Found]:
        found = list(super().step(thread, choice))
        self.stopped = bool(found)
        return found

    def stuck(self) -> Found | None:
        return None if self.stopped else super().stuck()


def suits(code: MemoryCode) -> bool:
    """No jump over the taking or the giving back of a lock: C calls what follows a misuse.  Only the first thread
    joins.  Nothing is added to ids."""
    if {"id", "add"} <= {"id" if i.kind == "write" and i.value is None else i.kind for t in code.threads for i in t}:
        return False
    for number, thread in enumerate(code.threads):
        for k, i in enumerate(thread):
            if i.kind == "skip" and any(j.kind in ("lock", "unlock") for j in thread[k + 1 : k + 1 + i.jump]):
                return False
            if i.kind == "skip" and code.watches_ends and k + 1 + i.jump > len(thread):
                return False  # it would jump over its end
            if i.kind == "join" and number:
                return False
    return True


def text(codes: Sequence[MemoryCode]) -> str:
    parts = [HEAD]
    for number, code in enumerate(codes):
        parts += cells(number, code)
        parts += [thread(number, code, t) for t in range(len(code.threads))]
        parts.append(starter(number, code))
    cases = "".join(f"    case {n}: program_{n}(); break;\n" for n in range(len(codes)))
    choose = f"    switch (argc > 1 ? atoi(argv[1]) : 0) {{\n{cases}    }}\n"
    return "\n".join([*parts, f"int main(int argc, char **argv)\n{{\n{choose}}}\n"])


def cells(number: int, code: MemoryCode) -> list[str]:
    found = [f"static {pthreads(number, code)}"] if code.watches_ends else []
    for name, values in code.arrays.items():
        kind = {"m": "pthread_mutex_t", "s": "sem_t"}.get(name, "atomic_long")
        initial = f" = {{{', '.join(map(str, values))}}}" if kind == "atomic_long" else ""
        found.append(f"static {kind} {name}_{number}[{len(values)}]{initial};")
    return found


def pthreads(number: int, code: MemoryCode) -> str:
    return f"pthread_t threads_{number}[{len(code.threads)}];"


def thread(number: int, code: MemoryCode, which: Thread) -> str:
    lines = [f"static void *program_{number}_{which}(void *unused)", "{"]
    lines += [f"    long l{i} = 0;" for i in range(code.locals)]
    instructions = code.threads[which]
    for k, i in enumerate(instructions):
        lines += [f"at_{k}: __attribute__((unused));", f"    {statement(number, code, i, k)}"]
    lines += [f"at_{k}: __attribute__((unused));" for k in range(len(instructions), len(instructions) + 3)]
    used = " ".join(f"(void)l{i};" for i in range(code.locals))
    return "\n".join([*lines, f"    {used}", "    return unused;", "}"])


def statement(number: int, code: MemoryCode, i: MemoryInstruction, k: int) -> str:
    local = f"l{i.local}"
    cell = place(number, code, i) if i.place is not None else ""
    match i.kind:
        case "read":
            return f"{local} = GET({cell});"
        case "write":
            return f"PUT({cell}, {'(long)pthread_self()' if i.value is None else f'plus({local}, {i.value})'});"
        case "add":
            return f"atomic_fetch_add_explicit(&{cell}, {i.value}, memory_order_relaxed);"
        case "lock" | "unlock":
            return f"pthread_mutex_{i.kind}(&{cell});"
        case "wait" | "signal":
            return f"sem_{'wait' if i.kind == 'wait' else 'post'}(&{cell});"
        case "join":
            return " ".join(f"pthread_join(threads_{number}[{t}], NULL);" for t in sorted(i.threads))
        case "toss":
            return f"{local} = isospin_toss({i.value or 1});"
        case "check":
            return f"isospin_assert({local} != {i.value});"
        case _:
            return f"if ({local} == {i.value}) goto at_{k + 1 + i.jump};"


def place(number: int, code: MemoryCode, i: MemoryInstruction) -> str:
    assert i.place is not None
    size = len(code.arrays[i.place.array])
    moved = f"({i.place.offset} + shift(l{i.place.by})) % {size}" if i.place.by is not None else i.place.offset % size
    return f"{i.place.array}_{number}[{moved}]"


def starter(number: int, code: MemoryCode) -> str:
    """The first thread is started last: it may join the others."""
    lines = [f"static void program_{number}(void)", "{"]
    if not code.watches_ends:
        lines.append(f"    {pthreads(number, code)}")
    for k in range(len(code.arrays.get("m", ()))):
        lines.append(f"    pthread_mutex_init(&m_{number}[{k}], NULL);")
    for k, value in enumerate(code.arrays.get("s", ())):
        lines.append(f"    sem_init(&s_{number}[{k}], 0, {value});")
    order = range(len(code.threads) - 1, -1, -1)
    lines += [f"    pthread_create(&threads_{number}[{t}], NULL, program_{number}_{t}, NULL);" for t in order]
    joined = frozenset(t for i in code.threads[0] for t in i.threads)
    lines += [f"    pthread_join(threads_{number}[{t}], NULL);" for t in range(len(code.threads)) if t not in joined]
    return "\n".join([*lines, "}"])
