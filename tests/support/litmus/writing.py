"""Litmus programs as text: in the format of herd, and as C, many in one file."""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.litmus.language import (
    EXCHANGE,
    PLAIN,
    Await,
    Code,
    Compare,
    Fence,
    If,
    Load,
    Lock,
    Program,
    Retry,
    Statement,
    Store,
    Unlock,
    Update,
    Value,
    inside,
    registers,
)

END = "end"  # is said last, if nobody waits for ever
HEAD = """#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
"""


def text_of(value: Value) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return value
    operator, one, other = value
    return f"({text_of(one)} {operator} {text_of(other)})"


def _order(order: str) -> str:
    return f"memory_order_{order}"


def lines_of(statement: Statement, at: str, plain: frozenset[str], indent: str) -> list[str]:
    """Statements of C; `at` is what stands before the name of a place to make it an address."""
    match statement:
        case Fence(order=order):
            return [f"{indent}atomic_thread_fence({_order(order)});"]
        case Lock(place=place):
            return [f"{indent}mtx_lock({at}{place});"]
        case Unlock(place=place):
            return [f"{indent}mtx_unlock({at}{place});"]
        case If(condition=condition, then=then, otherwise=otherwise):
            found = [f"{indent}if ({text_of(condition)}) {{"]
            found += [line for s in then for line in lines_of(s, at, plain, indent + "  ")]
            if otherwise:
                found += [
                    f"{indent}}} else {{",
                    *(line for s in otherwise for line in lines_of(s, at, plain, indent + "  ")),
                ]
            return [*found, f"{indent}}}"]
        case Store(place=place, value=value, order=order) if order == PLAIN:
            return [f"{indent}*({at}{place}) = {text_of(value)};"]
        case Load(register=register, place=place, order=order) if order == PLAIN:
            return [f"{indent}{register} = *({at}{place});"]
        case Store(place=place, value=value, order=order):
            return [f"{indent}atomic_store_explicit({at}{place}, {text_of(value)}, {_order(order)});"]
        case Load(register=register, place=place, order=order):
            return [f"{indent}{register} = atomic_load_explicit({at}{place}, {_order(order)});"]
        case Await(register=register, place=place, value=value, order=order):
            load = f"{register} = atomic_load_explicit({at}{place}, {_order(order)})"
            return [f"{indent}while (({load}) != {value})", f"{indent}  ;"]
        case Retry(register=register, place=place, value=value):
            load = f"{register} = atomic_load_explicit({at}{place}, {_order(statement.reading)});"
            call = f"{at}{place}, &{register}, {register} + {value}, {_order(statement.order)}, memory_order_relaxed"
            last = f"{indent}while (!atomic_compare_exchange_strong_explicit({call}));"
            return [f"{indent}do", f"{indent}  {load}", last]
        case Update(register=register, place=place, how=how, value=value, order=order):
            name = "atomic_exchange" if how == EXCHANGE else f"atomic_fetch_{how}"
            return [f"{indent}{register} = {name}_explicit({at}{place}, {text_of(value)}, {_order(order)});"]
        case Compare(register=register, seen=seen, place=place):
            orders = f"{_order(statement.order)}, {_order(statement.failing)}"
            call = f"{at}{place}, &{seen}, {text_of(statement.desired)}, {orders}"
            return [f"{indent}{seen} = {statement.expected};",
                    f"{indent}{register} = atomic_compare_exchange_strong_explicit({call});"]  # fmt: skip
    raise NotImplementedError(statement)


# -------------------------------------------------------------------------------------------------- herd


def names(program: Program) -> list[str]:
    """Everything that a final state tells, as herd writes it."""
    found = [f"{t}:{register}" for t, code in enumerate(program.threads) for register in registers(code)]
    return sorted([*found, *program.places])


def litmus(program: Program, condition: str = "") -> str:
    """In the format of herd; the condition is one that names everything."""
    lines = [f"C {program.name}", "{", *(f"  {place} = {value};" for place, value in program.initial), "}", ""]
    for number, code in enumerate(program.threads):
        places = sorted({s.place for s in inside(code) if not isinstance(s, Fence | If | Lock | Unlock)})
        locks = sorted({s.place for s in inside(code) if isinstance(s, Lock | Unlock)})
        parameters = [f"{'int' if place in program.plain else 'atomic_int'}* {place}" for place in places]
        parameters += [f"mtx_t* {place}" for place in locks]
        lines += [f"P{number} ({', '.join(parameters)}) {{", *(f"  int {name} = 0;" for name in registers(code))]
        lines += [line for s in code for line in lines_of(s, "", program.plain, "  ")]
        lines += ["}", ""]
    lines += [f"locations [{' '.join(f'{name};' for name in names(program))}]"]
    return "\n".join([*lines, condition or "exists (true)", ""])


# -------------------------------------------------------------------------------------------------- C


def _thread(program: Program, prefix: str, number: int, code: Code) -> list[str]:
    declared = [f"    int {name} = 0;" for name in registers(code)]
    saved = [f"    {prefix}{number}_{name} = {name};" for name in registers(code)]
    body = [line for s in code for line in lines_of(s, f"&{prefix}", program.plain, "    ")]
    return [
        f"static void *{prefix}thread{number}(void *unused)",
        "{",
        *declared,
        *body,
        *saved,
        "    return unused;",
        "}",
    ]


def _function(program: Program, index: int) -> list[str]:
    """One program: its variables, its threads, and a function that runs them and says what was seen."""
    prefix, found = f"p{index}_", list[str]()
    for place in program.places:
        kind = "int" if place in program.plain else "atomic_int"
        found.append(f"static {kind} {prefix}{place} = {program.start(place)};")
    found += [f"static mtx_t {prefix}{lock};" for lock in program.locks]
    for number, code in enumerate(program.threads):
        found += [f"static int {prefix}{number}_{name};" for name in registers(code)]
        found += _thread(program, prefix, number, code)
    count = len(program.threads)
    told = names(program)
    values = [prefix + name.replace(":", "_") for name in told]
    formats = " ".join(f"{name}=%d;" for name in told)
    found += [f"static void {prefix}run(void)", "{", f"    pthread_t threads[{count}];"]
    found += [f"    mtx_init(&{prefix}{lock}, mtx_plain);" for lock in program.locks]
    found += [f"    pthread_create(&threads[{t}], NULL, {prefix}thread{t}, NULL);" for t in range(count)]
    found += [f"    pthread_join(threads[{t}], NULL);" for t in range(count)]
    return [*found, f'    isospin_outcome("{formats}"{"".join(f", {value}" for value in values)});', "}", ""]


def _kinds(program: Program) -> list[Code]:
    """What threads do; those who do the same are of one kind."""
    return list(dict.fromkeys(program.threads))


def _alike(program: Program, index: int) -> list[str]:
    """The same, where threads that do the same run the same function, and each says for itself what it saw."""
    prefix, kinds = f"p{index}_", _kinds(program)
    found = [f"static atomic_int {prefix}{place} = {program.start(place)};" for place in program.places]
    found += [f"static mtx_t {prefix}{lock};" for lock in program.locks]
    for kind, code in enumerate(kinds):
        names = registers(code)
        formats = " ".join(f"{kind}:{name}=%d;" for name in names)
        found += [f"static void *{prefix}kind{kind}(void *unused)", "{", *(f"    int {name} = 0;" for name in names)]
        found += [line for s in code for line in lines_of(s, f"&{prefix}", program.plain, "    ")]
        found += [f'    isospin_outcome("{formats}"{"".join(f", {name}" for name in names)});'] if names else []
        found += ["    return unused;", "}"]
    count = len(program.threads)
    formats = " ".join([END, *(f"{place}=%d;" for place in program.places)])
    values = "".join(f", {prefix}{place}" for place in program.places)
    found += [f"static void {prefix}run(void)", "{", f"    pthread_t threads[{count}];"]
    found += [f"    mtx_init(&{prefix}{lock}, mtx_plain);" for lock in program.locks]
    for t, code in enumerate(program.threads):
        found += [f"    pthread_create(&threads[{t}], NULL, {prefix}kind{kinds.index(code)}, NULL);"]
    found += [f"    pthread_join(threads[{t}], NULL);" for t in range(count)]
    return [*found, f'    isospin_outcome("{formats}"{values});', "}", ""]


def c_file(programs: Sequence[Program], alike: bool = False) -> str:
    """Many programs; the first argument says which one runs."""
    lines = [HEAD]
    for index, program in enumerate(programs):
        lines += [f"/* {program.name} */", *(_alike if alike else _function)(program, index)]
    lines += ["int main(int count, char **arguments)", "{", "    switch (count > 1 ? atoi(arguments[1]) : 0) {"]
    lines += [f"    case {i}: p{i}_run(); break;" for i in range(len(programs))]
    return "\n".join([*lines, "    }", "}", ""])


def said(state: Sequence[tuple[str, int]]) -> str:
    """A final state in the words of the program."""
    return " ".join(f"{name}={value};" for name, value in state)


def said_by_all(program: Program, state: Sequence[tuple[str, int]]) -> str:
    """The same where each thread speaks for itself, and nobody knows who it was."""
    values, kinds = dict(state), _kinds(program)
    texts = [said([(f"{kinds.index(code)}:{name}", values[f"{t}:{name}"]) for name in registers(code)])
             for t, code in enumerate(program.threads)]  # fmt: skip
    main = " ".join([END, *(f"{place}={values[place]};" for place in program.places)])
    return " ".join(sorted(filter(None, [*texts, main])))
