"""`pytest --isospin`: every test function runs under the checker, under all schedules that matter."""

from __future__ import annotations

import inspect
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("isospin")
    group.addoption("--isospin", action="store_true", help="run each test function under every schedule that matters")
    group.addoption("--isospin-time", type=float, default=60.0, metavar="SECONDS", help="for one test (default 60)")
    group.addoption("--isospin-incomplete", action="store_true",
                    help="a search that could not be completed is no failure")  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "no_isospin: with --isospin, run this test as usual")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> bool | None:
    __tracebackhide__ = True
    function = pyfuncitem.obj
    asked = pyfuncitem.config.getoption("--isospin") and pyfuncitem.get_closest_marker("no_isospin") is None
    if not asked or getattr(function, "isospin_test", False) or inspect.iscoroutinefunction(function):
        return None
    from .pipeline import testing

    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    owner = (pyfuncitem.instance,) if getattr(function, "__self__", None) is not None else ()
    plain = getattr(function, "__func__", function)
    if "<locals>" in plain.__qualname__:
        return None
    verdict = testing.check_function(
        plain, owner, arguments, {"max_time": pyfuncitem.config.getoption("--isospin-time")}
    )
    testing.judge(verdict, pyfuncitem.config.getoption("--isospin-incomplete"))
    return True
