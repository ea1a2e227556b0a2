"""A failing schedule of a Python program for people: run again with eyes open."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import islice
from tokenize import COMMENT, TokenError, generate_tokens
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

from ...core.errors import NOWHERE, Location
from ...core.trace import Choice, Trace, TraceStep
from ...engines.stateless import shorten
from ...engines.stateless.protocol import Found, Op, Step
from ...engines.stateless.shorten import Execution, Same, same_failure
from .control.records import WHOLE, Fiber
from .control.waiting import ObjectNames
from .hooking.containers import SIMPLE, base_of, contents, has_key
from .hooking.reachable import attributes
from .program import PythonProgram, source_lines
from .rewriting.sites import is_users_frame
from .stdlib.sync import Sync

LONGEST_VALUE = 40
ENDS = "ends"  # what a thread does last
VERBS = {"lock": "takes", "unlock": "gives back"}  # what an operation does, where its kind is no verb for it


def run_guided(program: PythonProgram, wanted: Sequence[Step]) -> Execution:
    return shorten.run_guided(program, wanted, lambda: program.now.outcome.found)


def minimise(program: PythonProgram, found: Found, steps: Sequence[Step], same: Same = same_failure) -> list[Step]:
    return shorten.minimise(program, found, steps, lambda: program.now.outcome.found, same)


# -------------------------------------------------------------------------------------------------- the trace


class _Where(NamedTuple):
    """Where in the user's program a thread announces its next operation."""

    location: Location
    text: str
    frame: FrameType | None


def here(fiber: Fiber) -> _Where:
    """Where the program is that called us: the innermost frame of the user."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_users_frame(frame):
        frame = frame.f_back
    if frame is None:
        return _Where(NOWHERE, ENDS, None)
    line = frame.f_lineno
    text = source_lines(frame.f_code.co_filename)[line - 1 : line]
    column = len(text[0]) - len(text[0].lstrip()) + 1 if text else 1
    return _Where(Location(frame.f_code.co_filename, line, column), statement_in("".join(text)), frame)


def statement_in(line: str) -> str:
    """A line of the source without what is only for its readers."""
    line = line.strip()
    try:
        for token in generate_tokens(iter([line]).__next__):
            if token.type == COMMENT and token.start[1]:
                return line[: token.start[1]].rstrip()
    except (TokenError, SyntaxError):  # a part of a statement
        pass
    return line


class Witness:
    """Runs a schedule and writes down what happens."""

    def __init__(self, program: PythonProgram) -> None:
        self.program = program

    def watch(self, fiber: Fiber) -> None:
        fiber.where = here(fiber)
        if self.program.now.pending[fiber.tid].kind not in ("read", "write"):
            fiber.touched = None

    def explain(self, steps: Iterable[Step], wanted: Found | None = None) -> tuple[Trace, Found | None]:
        """The trace; a row for what failed, or for the end of a thread, is added behind the step in which it did.
        Steps are asked for one by one.

        `wanted` is what the last step should find, if it may find several things."""
        self.program.watching = self.watch
        output = self.program.session.sink.written = []
        try:
            self.program.restart()
            rows: list[TraceStep] = []
            found: Found | None = None
            for step in steps:
                if step.thread not in self.program.enabled():
                    break
                output.clear()
                row, problems = self.row(step)
                rows.append(self.with_output(row, "".join(output)))
                rows += self.end(step.thread, row.statement)
                found = next((p for p in problems if wanted is not None and same_failure(p, wanted)), None)
                found = found or next(iter(problems), None)
            if found is None:
                found = self.program.now.outcome.found[0] if self.program.now.outcome.found else None
            stuck = None if self.program.enabled() else self.program.stuck()
            if stuck is not None and (found is None or (wanted is not None and same_failure(stuck, wanted))):
                found = stuck
            elif found is not None and found.location != NOWHERE:
                rows.append(self.failure(found))
            return Trace(tuple(rows)), found
        finally:
            self.program.watching = None
            self.program.session.sink.written = None

    def row(self, step: Step) -> tuple[TraceStep, Sequence[Found]]:
        """Make a step, and tell it with what it changed."""
        kernel = self.program.now
        fiber = kernel.fibers[step.thread]
        where: _Where = fiber.where or _Where(NOWHERE, ENDS, None)
        op, touched, waits_for = kernel.pending.get(fiber.tid), fiber.touched, fiber.waits_for
        before = _value_of(touched, where)
        problems = self.program.step(step.thread, step.choice)
        after = _value_of(touched, where)
        if touched is not None:
            changes = _access_change(touched, before, after)
        else:
            changes = self.sync_change(op, waits_for, step)
        row = TraceStep(fiber.name, fiber.tid, where.location, where.text, changes=changes,
                        choice=Choice(step.thread, step.choice))  # fmt: skip
        return row, problems

    def preview(self, step: Step) -> TraceStep:
        """What a step would be, without making it."""
        kernel = self.program.now
        fiber = kernel.fibers[step.thread]
        where: _Where = fiber.where or _Where(NOWHERE, ENDS, None)
        op, touched = kernel.pending.get(fiber.tid), fiber.touched
        if touched is None:
            changes = self.sync_change(op, fiber.waits_for, step)
        else:
            value = _value_of(touched, where) or "nothing"
            changes = ((_place_name(*touched[:2]), (None, f"{'was' if touched[2] else 'is'} {value}")),)
        return TraceStep(fiber.name, fiber.tid, where.location, where.text, changes=changes, choice=Choice(*step))

    def waiting(self) -> list[str]:
        """Who cannot go on, and what for."""
        kernel, able = self.program.now, self.program.enabled()
        named = ObjectNames(kernel)
        return [f"{f.name} {named.reason(f)}" for f in kernel.living() if f.tid not in able]

    def sync_change(self, op: Op | None, waits_for: Any, step: Step) -> tuple[tuple[str, tuple[Any, Any]], ...]:
        """What an operation on a lock or the like did: its kind, and on what."""
        if op is None or op.kind == "end":
            return ()
        if op.kind == "toss":
            return (("toss", (None, f"= {step.choice}")),)
        names = ObjectNames(self.program.now)
        what = names.touched_by(op) or (names.of(waits_for) if isinstance(waits_for, Sync) else "")
        return ((f"{VERBS.get(op.kind, op.kind)} {what}".strip(), (None, "")),)

    def with_output(self, row: TraceStep, output: str) -> TraceStep:
        return TraceStep(row.process, row.pid, row.location, row.statement, changes=row.changes, output=output,
                         choice=row.choice)  # fmt: skip

    def end(self, thread: int, said: str) -> list[TraceStep]:
        fiber = self.program.now.fibers[thread]
        if not thread or not fiber.finished or said == ENDS:
            return []
        return [TraceStep(fiber.name, thread, NOWHERE, ENDS, choice=Choice(thread, NO_STEP))]

    def failure(self, found: Found) -> TraceStep:
        """The last row: where it went wrong."""
        thread = found.thread if found.thread is not None else 0
        fiber = self.program.now.fibers.get(thread)
        line = found.location.line
        text = statement_in("".join(source_lines(found.location.file)[line - 1 : line]))
        return TraceStep(fiber.name if fiber else "main", thread, found.location, text, choice=Choice(thread, NO_STEP),
                         changes=((found.kind, (None, "here")),))  # fmt: skip


NO_STEP = -1  # the choice of a row that is no step of its own: it shows a failure, or the end of a thread


def _value_of(touched: Any, where: _Where) -> Any:
    """What a variable, attribute or item holds now, as a short text."""
    if touched is None:
        return None
    try:
        text = shown(current(touched[0], touched[1], where))
    except (LookupError, TypeError, AttributeError):
        return None
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


def current(thing: Any, key: Any, where: _Where) -> Any:
    """The value, read without a method of the program's own."""
    if isinstance(key, tuple):
        if isinstance(thing, dict) and not has_key(thing, key[1]):  # one with a factory would make it
            raise KeyError(key[1])
        base: Any = base_of(type(thing))
        return base.__getitem__(thing, key[1]) if hasattr(base, "__getitem__") else key[1] in contents(thing)
    if key == WHOLE:
        return thing
    if isinstance(thing, dict):
        return dict.__getitem__(thing, key)
    if type(thing).__name__ == "Variables" and where.frame is not None:
        return where.frame.f_locals[key]
    return vars(thing)[key] if isinstance(thing, type) else attributes(thing)[key]


def shown(value: Any, depth: int = 3) -> str:
    """`repr`, but of a type of the program only what its objects hold: the program's own code is not called here."""
    kind = type(value)
    if kind in SIMPLE:
        return repr(value)
    if depth == 0:
        return "..."
    if kind is dict:
        return f"{{{', '.join(f'{shown(k, depth - 1)}: {shown(v, depth - 1)}' for k, v in _first_of(value.items()))}}}"
    if kind in FORMS:
        return FORMS[kind].format(", ".join(shown(part, depth - 1) for part in _first_of(value)))
    if isinstance(value, Enum):
        return f"{kind.__name__}.{value._name_}"
    if kind in NAMED or isinstance(value, type):
        return str(value.__qualname__)
    inside = [] if isinstance(value, Sync) else _first_of(attributes(value).items())
    return f"{kind.__name__}({', '.join(f'{name}={shown(v, depth - 1)}' for name, v in inside)})"


FORMS: dict[type, str] = {list: "[{}]", set: "{{{}}}", tuple: "({})", deque: "deque([{}])", frozenset: "frozenset({})"}
NAMED = (FunctionType, MethodType, BuiltinFunctionType)


def _first_of(things: Iterable[Any]) -> list[Any]:
    return list(islice(things, LONGEST_VALUE))


def _access_change(touched: Any, before: Any, after: Any) -> tuple[tuple[str, tuple[Any, Any]], ...]:
    thing, key, write = touched
    name = _place_name(thing, key)
    if not write:
        return ((name, (None, "read" if before is None else f"is {before}")),)
    return ((name, (before or "nothing", after or "nothing")),)


def _place_name(thing: Any, key: Any) -> str:
    """An attribute, item, variable or whole object, as the user would write it."""
    if isinstance(key, tuple):
        return f"{type(thing).__name__}[{key[1]!r}]"
    if key == WHOLE:
        return type(thing).__name__
    if isinstance(thing, dict) or type(thing).__name__ == "Variables":
        return str(key)
    return f"{thing.__name__ if isinstance(thing, type) else type(thing).__name__}.{key}"
