"""Programs of `random_c_families` as C: many in one file, chosen by the first argument."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tests.support.generators.random_c_families import Code, FamilyProgram, main_code, told

HEAD = """\
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
"""
SHARED = re.compile(r"\b(x|y|who|cell|p|held|mark|m|locks|c|bell)\b")
FORMS = {  # of instructions, with the words behind the first one; {0} is the number of the program
    "load": "{1} = atomic_load(&{2});", "note": "{1} = {1} * 2 + atomic_load(&{2});",
    "store": "atomic_store(&{1}, {2});",
    "exchange": "{3} = atomic_exchange(&{1}, {2});",
    "compare": "{{ int e = {2}; {4} = atomic_compare_exchange_strong(&{1}, &e, {3}); }}",
    "lock": "pthread_mutex_lock(&{1});", "unlock": "pthread_mutex_unlock(&{1});",
    "wait": "pthread_cond_wait(&{1}, &m);",
    "signal": "pthread_cond_signal(&{1});", "broadcast": "pthread_cond_broadcast(&{1});", "set": "{1} = {2};",
    "check": "isospin_assert({1});",
}  # fmt: skip
STARTS = {  # what main makes for all threads and for one; what that one is given; how it finds its number
    "number": ("", "", "(void *)(long)i", "(int)(long)given"),
    "pointer": ("static int ids[{count}];", "ids[i] = i;", "&ids[i]", "*(int *)given"),
    "struct": ("static struct work all[{count}];", "all[i].id = i;", "&all[i]", "((struct work *)given)->id"),
    "block": ("struct work *own;", "own = malloc(sizeof *own); own->id = i;", "own", "((struct work *)given)->id"),
}  # fmt: skip


def text(programs: Sequence[FamilyProgram]) -> str:
    lines = [HEAD, "struct work { int id; };"]
    for number, program in enumerate(programs):
        lines += _program(number, program)
    lines.append("int main(int count, char **words)\n{\n    switch (count > 1 ? atoi(words[1]) : 0) {")
    lines += [f"    case {n}: program_{n}(); break;" for n in range(len(programs))]
    return "\n".join([*lines, "    }\n}\n"])


def _program(number: int, program: FamilyProgram) -> list[str]:
    count, (x, y) = program.count, program.start
    size = count + 1
    lines = [
        f"static atomic_int x = {x}, y = {y}, who = {count}, cell[{size}];",
        f"static int p, held = {count}, mark[{size}];",
        f"static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, locks[{size}];",
        f"static pthread_cond_t c = PTHREAD_COND_INITIALIZER, bell[{size}];",
    ]
    for role, body in enumerate(program.bodies):
        lines += _thread(number, role, program, body)
    lines += _main(number, program)
    return [SHARED.sub(rf"\1_{number}", line) for line in lines]


def _thread(number: int, role: int, program: FamilyProgram, body: Code) -> list[str]:
    *_, taken = STARTS[program.given]
    says = told(program)
    return [
        f"static void *run_{number}_{role}(void *given)\n{{",
        f"    int i = {taken}, k = i, a = 0, b = 0;\n    (void)k, (void)a, (void)b;",
        *_statements(body, program.count, "    "),
        f'    isospin_outcome("{" ".join(["%d"] * len(says))}", {", ".join(says)});\n    return NULL;\n}}',
    ]


def _main(number: int, program: FamilyProgram) -> list[str]:
    every, one, argument, _ = STARTS[program.given]
    code, says = main_code(program)
    registers = ", ".join(f"r{n} = 0" for n in range(program.count + 1))
    loop = f"for (int i = 0; i < {program.count}; i++)"
    start = f"{one} pthread_create(&t[i], NULL, run_{number}_ROLE, {argument});"
    starts = [f"    {{ int i = {i}; {start.replace('ROLE', str(role))} }}" for i, role in enumerate(program.roles)]
    if len(program.bodies) == 1:
        starts = [f"    {loop} {{ {start.replace('ROLE', '0')} }}"]
    return [
        f"static void program_{number}(void)\n{{\n    int i = {program.count}, k = i, a = 0, b = 0, j = 0;",
        f"    int {registers};\n    (void)i, (void)j;",
        "    " + " ".join(f"(void)r{n};" for n in range(program.count + 1)),
        f"    pthread_t t[{program.count}];\n    {every.format(count=program.count)}",
        *starts,
        *_statements(program.beside, program.count, "    "),
        f"    {loop} pthread_join(t[i], NULL);",
        *map(_read, code),
        f'    isospin_outcome("{" ".join(["%d"] * len(says))}", {", ".join(says)});\n}}',
    ]


def _read(step: tuple[Any, ...]) -> str:
    """Main reads as if there were nothing to it."""
    return f"    {step[1]} = {step[2]};"


def _statements(code: Code, count: int, indent: str) -> list[str]:
    return [line for step in code for line in _statement(step, count, indent)]


def _statement(step: tuple[Any, ...], count: int, indent: str) -> list[str]:
    kind = step[0]
    if kind in ("if", "while"):
        return [f"{indent}{kind} ({step[1]}) {{", *_statements(step[2], count, indent + "    "), f"{indent}}}"]
    if kind == "each":
        loop = f"{indent}for (int j = 0; j < {count}; j++) {{"
        return [loop, *_statements(step[1], count, indent + "    "), f"{indent}}}"]
    if kind == "await":
        compared = f"== {step[2][1:]}" if step[2].startswith("!") else f"!= {step[2]}"
        return [f"{indent}while (atomic_load(&{step[1]}) {compared}) ;"]
    if kind == "add":
        kept = f"{step[3]} = {step[3]} * 2 + " if step[3] else ""
        return [f"{indent}{kept}atomic_fetch_add(&{step[1]}, {step[2]});"]
    return [indent + FORMS[kind].format(*step)]
