"""Litmus tests as C programs: a thread for each, and at the end the final state as an outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator

from .conditions import And, Compared, Condition, Not, Or, Truth
from .test import LitmusTest, LitmusThread

__all__ = ["ASKED", "state_of", "write_program"]

ASKED = "LITMUS_ASKED"  # defined: a final state that the test asks for is a failure
_HEAD = """#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#define lock mtx_lock
#define unlock mtx_unlock
"""
_LOCK = "mtx_t"


def write_program(test: LitmusTest) -> str:
    """The program.  The code of threads keeps its lines and columns: what is said about it is about the test."""
    lines = [_HEAD]
    for variable in test.shared:
        value = "" if variable.type == _LOCK else f" = {variable.value}"
        lines += [_at(test, variable.location.line), f"static {variable.type} {variable.name}{value};"]
    for thread in test.threads:
        lines += _thread(test, thread)
    return "\n".join([*lines, *_main(test), ""])


def _thread(test: LitmusTest, thread: LitmusThread) -> Iterator[str]:
    number, head = thread.number, _at(test, thread.location.line)
    saved = [name.partition(":")[2] for name in test.shown if name.startswith(f"{number}:")]
    parameters = ", ".join(f"{given.type} *{given.name}" for given in thread.parameters)
    given = ", ".join(f"&{parameter.name}" for parameter in thread.parameters)
    yield from (f"static long long {_final(f'{number}:{register}')};" for register in saved)
    yield from (head, f"static void code_{number}({parameters or 'void'}) {{", _at(test, thread.begin.line))
    ending = "".join(f" {_final(f'{number}:{register}')} = {register};" for register in saved)
    yield f"{' ' * (thread.begin.column - 1)}{thread.body}{ending} }}"
    yield from (head, f"static void *P{number}(void *unused) {{ code_{number}({given}); return unused; }}")


def _main(test: LitmusTest) -> Iterator[str]:
    """All in the line of the condition."""
    numbers = [thread.number for thread in test.threads]
    parts = [f"pthread_t threads[{len(numbers)}];"]
    parts += [f"mtx_init(&{v.name}, mtx_plain);" for v in test.shared if v.type == _LOCK]
    parts += [f"pthread_create(&threads[{n}], NULL, P{n}, NULL);" for n in numbers]
    parts += [f"pthread_join(threads[{n}], NULL);" for n in numbers]
    values = "".join(f", (long long){_final(name)}" for name in test.shown)
    parts.append(f'isospin_outcome("{" ".join(f"{name}=%lld;" for name in test.shown)}"{values});')
    yield from (_at(test, test.location.line), f"int main(void) {{ {' '.join(parts)}", f"#ifdef {ASKED}")
    yield from (_at(test, test.location.line), _assertion(test), "#endif", "}")


def _assertion(test: LitmusTest) -> str:
    wanted, text = _expression(test.condition), test.asked
    bad, claim = (f"!{wanted}", f"forall ({text})") if test.quantifier == "forall" else (wanted, f"~exists ({text})")
    return f"if ({bad}) isospin_assert_failed({json.dumps(claim)}, __FILE__, __LINE__);"


def _at(test: LitmusTest, line: int) -> str:
    return f"#line {line} {json.dumps(test.file, ensure_ascii=False)}"


def _final(name: str) -> str:
    """Where the final value of a register, or of a variable, is."""
    number, colon, register = name.partition(":")
    return f"P{number}_{register}" if colon else name


def _expression(condition: Condition) -> str:
    match condition:
        case Compared(name, value, equal):
            return f"({_final(name)} {'==' if equal else '!='} {value})"
        case Truth(value):
            return str(int(value))
        case Not(of):
            return f"!{_expression(of)}"
        case And(parts) | Or(parts):
            between = " && " if isinstance(condition, And) else " || "
            return f"({between.join(map(_expression, parts))})"


def state_of(outcome: str) -> dict[str, int]:
    """A final state from the words of the program."""
    pairs = (part.split("=") for part in outcome.rstrip(";").split("; ") if part)
    return {name: int(value) for name, value in pairs}
