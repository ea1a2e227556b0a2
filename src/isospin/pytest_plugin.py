"""`pytest --isospin`: every test function runs under the checker, under all schedules that matter.

Functions with `@isospin.test` do so without the option.  What cannot be checked is an error, never a pass.
"""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .pipeline.declare import Option
from .pipeline.settings import ProgramOptions
from .pipeline.values import argument

if TYPE_CHECKING:
    from .pipeline.programs.cases import Case

HINT = "@pytest.mark.no_isospin runs the test as usual"
BUILT = ("request", "capsys", "monkeypatch", "tmp_path")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("isospin")
    group.addoption("--isospin", action="store_true", help="run each test function under every schedule that matters")
    for name, option in _test_options().items():
        group.addoption(f"--isospin-{option.in_pytest(name)}", dest=f"isospin_{name}", **argument(option))
    group.addoption("--isospin-incomplete", action="store_true",
                    help="a search that could not be completed is not a failure")  # fmt: skip


def _test_options() -> dict[str, Option]:
    """What can be asked about a program, as it is declared there."""
    declared, narrower = ProgramOptions.declared, ProgramOptions.narrower
    return {n: option._replace(choices=narrower.get(n, option.choices)) for n, option in declared.items()}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "no_isospin: with --isospin, run this test as usual")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: Any) -> None:
    """A test that is checked is set up in each execution, and not before."""
    options = _options_of_test(item)
    if options is None:
        return
    if not isinstance(item, pytest.Function):
        item.warn(pytest.PytestWarning(f"{item.nodeid} is no test function, and is not run under isospin"))
        return
    test: Any = item
    test.setup, test.teardown, test.runtest = nothing, nothing, partial(_run_test, item, options)
    test.repr_failure = partial(explain_failure, test.repr_failure)


def nothing() -> None:
    pass


def explain_failure(otherwise: Any, failed: Any, *args: Any, **kwargs: Any) -> Any:
    """A failing schedule speaks for itself: our own frames tell nothing."""
    from .pipeline.programs.testing import IncompleteError, ScheduleError

    if isinstance(failed.value, ScheduleError | IncompleteError):
        return f"{type(failed.value).__name__}: {failed.value}"
    return otherwise(failed, *args, **kwargs)


def _options_of_test(item: Any) -> dict[str, Any] | None:
    """The options of the check; None if the test runs as usual."""
    own: dict[str, Any] | None = getattr(getattr(item, "obj", None), "isospin_test", None)
    if own is not None:
        return own
    if not item.config.getoption("--isospin") or item.get_closest_marker("no_isospin") is not None:
        return None
    given = {name: item.config.getoption(f"isospin_{name}") for name in _test_options()}
    chosen = {name: value for name, value in given.items() if value is not None}
    return {**chosen, "allow_incomplete": item.config.getoption("--isospin-incomplete")}


def _run_test(item: Any, options: dict[str, Any]) -> None:
    from .pipeline.programs import testing
    from .pipeline.programs.cases import Unsupported

    try:
        case = _case_of(item)
    except Unsupported as problem:
        raise testing.IncompleteError(f"isospin cannot check {item.name}: {problem} ({HINT})") from None
    verdict = testing.check_case(case, options)
    if case.note.skip is not None and not verdict.violations:
        pytest.skip(case.note.skip)
    testing.judge(verdict, case, bool(options.get("allow_incomplete")))


def _case_of(item: Any) -> Case:
    """What pytest knows about a test, as far as it is needed to run it again and again."""
    from .pipeline.programs.cases import OWN, Case, Unsupported

    function = inspect.unwrap(getattr(item.obj, "__func__", item.obj))
    name = item.originalname or item.name
    if _is_async(function) or _is_async(item.obj):
        raise Unsupported("async tests are run by an event loop, which is not under control")
    owner = "" if item.cls is None else item.cls.__qualname__
    if "<locals>" in owner or (not owner and getattr(item.module, name, None) is None):
        raise Unsupported("its class or function is made by another function, and cannot be found when its file is "
                          "executed again")  # fmt: skip
    case = Case(str(item.module.__file__), item.module.__name__, owner, name)
    first = item._fixtureinfo.initialnames  # in fixturenames are also those that others need
    wanted = [n for n in item.fixturenames if n in first and not n.startswith(OWN)]
    _add_fixtures(item, case, wanted)
    case.wanted = tuple(wanted)
    case.arguments = tuple(n for n in item._fixtureinfo.argnames if n != "self")
    if "tmp_path" in item.fixturenames:
        factory = item._request.getfixturevalue("tmp_path_factory")
        case.folder = Path(factory.mktemp("isospin")) / "files"
    return case


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _add_fixtures(item: Any, case: Case, names: list[str]) -> None:
    """The fixtures that a test needs, with those that they need; one that cannot be made anew is refused."""
    from .pipeline.programs.cases import DIRECT, OWN, Unsupported, check_renewable

    given = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    for name, value in given.items():
        check_renewable(name, value)
    todo, seen = list(names), set[str]()
    values, params = {}, {}
    while todo:
        name = todo.pop()
        if name in seen or name.startswith(OWN):
            continue
        seen.add(name)
        found = [d for d in item._fixtureinfo.name2fixturedefs.get(name, ()) if d.func.__name__ != DIRECT]
        if name in given and not found:
            values[name] = given[name]
        elif name in BUILT and (not found or found[-1].func.__module__.startswith("_pytest")):
            continue
        elif not found:
            raise Unsupported(f"there is no fixture {name}")
        else:
            users = [_fixture_of(d) for d in found]
            case.fixtures[name] = users
            todo += [n for f in users for n in f.needs]
            if name in given:
                params[name] = given[name]
    case.values, case.params = values, params


def _fixture_of(definition: Any) -> Any:
    from .pipeline.programs.cases import Fixture, Unsupported
    from .pipeline.programs.testing import is_users_function

    function = inspect.unwrap(getattr(definition.func, "__func__", definition.func))
    name = definition.argname
    if _is_async(function):
        raise Unsupported(f"the fixture {name} is async")
    if not is_users_function(function) or "<locals>" in function.__qualname__:
        raise Unsupported(f"the fixture {name} ({function.__module__}) cannot be set up anew for each execution")
    return Fixture(name, function.__module__, function.__qualname__, tuple(definition.argnames))
