"""Tests under the checker: `@isospin.test` and `pytest --isospin`."""

from __future__ import annotations

import functools
import inspect
import io
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from ...core.errors import UsageError
from ...core.verdict import Outcome, Verdict
from ...hosts.python.rewriting.loading import is_users
from ...report.terminal import show_violation
from ..settings import ProgramOptions
from .cases import Case, Unsupported, check_renewable
from .python import check_program, controlled

SECONDS = 60.0  # for one test, if it does not say
WIDTH = 120
OWN = ("allow_incomplete",)


class ScheduleError(AssertionError):
    """A test fails under some schedule; the message shows it."""


class IncompleteError(AssertionError):
    """No schedule was found under which the test fails, but not all were tried."""



def test(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Run a test under all schedules that matter; the options are those of `isospin check`, and `allow_incomplete`."""
    allowed = {f.name for f in fields(ProgramOptions)} - {"arguments", "progress"} | set(OWN)
    for name in options:
        if name not in allowed:
            raise UsageError(f"@isospin.test({name}=...): no such option; available: {', '.join(sorted(allowed))}")

    def wrap(inner: Callable[..., Any]) -> Callable[..., Any]:
        if controlled():  # the module is being executed under the checker: it calls the function itself
            return inner
        if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
            raise UsageError(f"@isospin.test: {inner.__qualname__} is async: an event loop is not under control")

        @functools.wraps(inner)
        def run(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            judge(*_check_function(inner, args, kwargs, options), bool(options.get("allow_incomplete")))

        run.__dict__["isospin_test"] = options  # for the plugin, which knows about fixtures, too
        return run

    return wrap if function is None else wrap(function)


def _check_function(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], options: dict[str, Any]
) -> tuple[Verdict, Case]:
    """Check a call of a function; its module is executed afresh each time."""
    function = inspect.unwrap(function)
    file = inspect.getsourcefile(function)
    if file is None or "<locals>" in function.__qualname__:
        raise UsageError(
            f"{function.__qualname__}: only functions and methods at the top level of a file can be checked, since the "
            "file is executed again for each schedule"
        )
    owner, _, name = function.__qualname__.rpartition(".")
    names = [*inspect.signature(function).parameters][: len(args)]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    if owner:
        given.pop(next(iter(names), ""), None)  # the object: a fresh one is made
    try:
        check_renewable("an argument", given)
    except Unsupported as problem:
        raise IncompleteError(f"isospin cannot check {function.__qualname__}: {problem}") from None
    case = Case(file, function.__module__, owner, name, arguments=tuple(given), values=given, wanted=tuple(given))
    return check_case(case, options), case


def check_case(case: Case, options: dict[str, Any]) -> Verdict:
    """Check a test with all that belongs to it."""
    chosen = {"max_time": SECONDS, **{k: v for k, v in options.items() if k not in OWN}}
    name = "isospin_main" if case.module == "__main__" else case.module
    case = replace(case, module=name)
    return check_program(case.file, ProgramOptions(**chosen), case.main, name)


def is_users_function(function: Any) -> bool:
    return is_users(function.__code__.co_filename)


def judge(verdict: Verdict, case: Case, allow_incomplete: bool) -> None:
    """Fail as the verdict says; a failing schedule is saved."""
    __tracebackhide__ = True
    if verdict.violations:
        from .failures import save_failure

        raise ScheduleError("\n".join([_schedule_text(verdict), *save_failure(verdict, case)]))
    if verdict.outcome is not Outcome.HOLDS and not allow_incomplete:
        raise IncompleteError(
            f"no failing schedule found, but the search is not complete: {verdict.reason} "
            "(@isospin.test(allow_incomplete=True) accepts that)"
        )


def _schedule_text(verdict: Verdict) -> str:
    """The first failure with its lane chart, and what was seen before."""
    from ...report.ink import Console

    out = io.StringIO()
    show_violation(Console(file=out, width=WIDTH, no_color=True), verdict.violations[0])
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    count = verdict.statistics.executions or 0
    return "\n".join([*lines, f"(schedule {max(count, 1)} of the search)"])
