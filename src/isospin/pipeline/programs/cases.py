"""Tests as pytest collects them, with all that belongs to one: fixtures, parameters, what comes before and after.

All of it is set up anew for each execution, under control, from the modules that are executed afresh: nothing that one
execution has done is seen in the next.  What cannot be set up that way is told before anything runs (`Unsupported`).
"""

from __future__ import annotations

import enum
import importlib
import inspect
import io
import mmap
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path, PurePath
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ...core.records import dataclass
from ...hosts.python.control.scheduler import ENDS
from ...hosts.python.hooking import hooks
from ...hosts.python.rewriting.loading import is_users

SIMPLE = (int, str, bytes, float, bool, complex, type(None), range, slice, PurePath)
OWN = ("_xunit_", "_unittest_", "xunit_", "unittest_")  # how pytest names what we do ourselves, below
DIRECT = "get_direct_param_fixture_func"  # how it names the fixture of a parameter


class Unsupported(Exception):
    """The test cannot be set up anew for each execution; the message says what it is."""


class Fixture(NamedTuple):
    """A function of the user that makes a value for a test."""

    name: str
    module: str
    qualname: str
    needs: tuple[str, ...]


@dataclass
class Case:
    """A test: where it is, and what it needs."""

    file: str
    module: str
    owner: str  # its class, or empty
    name: str
    fixtures: dict[str, list[Fixture]] = field(default_factory=dict)  # by name, the one that counts last
    wanted: tuple[str, ...] = ()  # all that are set up, in this order
    arguments: tuple[str, ...] = ()  # of them those that the test is given
    values: Mapping[str, Any] = field(default_factory=dict)  # of parameters
    params: Mapping[str, Any] = field(default_factory=dict)  # of fixtures: request.param
    folder: Path | None = None  # for tmp_path
    note: _Note = field(default_factory=lambda: _Note())
    left: list[Callable[[], None]] = field(default_factory=list)  # what an execution that was ended has not undone

    def main(self, module: ModuleType, execute: Callable[[], None]) -> None:
        """One execution."""
        while self.left:
            self.left.pop()()
        try:
            execute()
            _CaseRun(self, module).run()
        except ENDS:
            raise
        except BaseException as error:
            if not _is_skip(error):
                self.note.ran()
                raise
            self.note.skipped(str(error))
        else:
            self.note.ran()


class _Note:
    """What the parent should know of the executions, in memory that both processes have: did a test skip itself?"""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, mmap.PAGESIZE)

    def ran(self) -> None:
        self.memory[0] = 1

    def skipped(self, reason: str) -> None:
        text = reason.encode()[: mmap.PAGESIZE - 3]
        self.memory[1] = 1
        self.memory[2 : 2 + len(text) + 1] = text + b"\0"

    @property
    def skip(self) -> str | None:
        """Why the test was skipped, if it was in all executions."""
        if self.memory[0] or not self.memory[1]:
            return None
        return bytes(self.memory[2:]).partition(b"\0")[0].decode(errors="replace")


def _is_skip(error: BaseException) -> bool:
    kind = type(error)  # that of pytest says that it is a builtin
    return (kind.__module__, kind.__name__) in (("builtins", "Skipped"), ("unittest.case", "SkipTest"))


class _Request:
    """What a fixture may ask: its parameter.  Nothing else is known here."""

    def __init__(self, param: Any) -> None:
        self.param = param

    def __getattr__(self, name: str) -> Any:
        hooks.K.refuse(f"request.{name}")


class _Captured(NamedTuple):
    """What `capsys.readouterr()` returns."""

    out: str
    err: str


class _Capture:
    """capsys: what the test prints."""

    def __init__(self) -> None:
        self.before = sys.stdout, sys.stderr
        self.out, self.err = io.StringIO(), io.StringIO()
        sys.stdout, sys.stderr = self.out, self.err

    def readouterr(self) -> _Captured:
        found = _Captured(self.out.getvalue(), self.err.getvalue())
        for stream in (self.out, self.err):
            stream.seek(0)
            stream.truncate()
        return found

    @contextmanager
    def disabled(self) -> Iterator[None]:
        yield

    def undo(self) -> None:
        sys.stdout, sys.stderr = self.before


# ------------------------------------------------------------------------------------------------ one execution


class _CaseRun:
    """One execution of a test: what was set up for it, and how that ends."""

    def __init__(self, case: Case, module: ModuleType) -> None:
        self.case, self.module = case, module
        self.kind: Any = lookup(module, case.owner) if case.owner else None
        self.values: dict[str, Any] = {}
        self.endings: list[Callable[[], Any]] = []
        self.instance: Any = None

    def run(self) -> None:
        """Set up, call, take down; the last also if one of the others fails."""
        try:
            self.begin()
            self.call()
        except ENDS:
            raise
        except BaseException:
            self.finish()
            raise
        self.finish()

    def begin(self) -> None:
        """All that pytest or unittest does before a test: of module, class, fixtures and method."""
        self.around(self.module, ("setUpModule", "setup_module"), ("tearDownModule", "teardown_module"), self.module)
        if self.is_case:
            self.kind.setUpClass()
            self.endings += [self.kind.doClassCleanups, self.kind.tearDownClass]
            self.instance = self.kind(self.case.name)
        elif self.kind is not None:
            self.around(self.kind, ("setup_class",), ("teardown_class",), self.kind)
            self.instance = self.kind()
        for name in self.case.wanted:
            self.value(name)
        if self.kind is None:
            self.around(self.module, ("setup_function",), ("teardown_function",), self.module)
        elif not self.is_case:
            test = getattr(self.instance, self.case.name)
            self.around(self.instance, ("setup_method",), ("teardown_method",), test)

    @property
    def is_case(self) -> bool:
        known = sys.modules.get("unittest")
        return known is not None and self.kind is not None and issubclass(self.kind, known.TestCase)

    def around(self, home: Any, before: tuple[str, ...], after: tuple[str, ...], given: Any) -> None:
        """What a module, a class or an object does before and after."""
        end = next((getattr(home, name) for name in after if hasattr(home, name)), None)
        begin = next((getattr(home, name) for name in before if hasattr(home, name)), None)
        if begin is not None:
            called(begin, given)
        if end is not None:
            self.endings.append(lambda: called(end, given))

    def call(self) -> None:
        if self.is_case:
            self.instance.debug()  # with setUp, tearDown and all that belongs to it
            return
        test = getattr(self.module if self.instance is None else self.instance, self.case.name)
        made = test(**{name: self.values[name] for name in self.case.arguments})
        if inspect.isawaitable(made):
            hooks.K.refuse("a test that returns a coroutine")

    def finish(self) -> None:
        """What comes after, in reverse; the first thing that fails is told when all was done."""
        failed: BaseException | None = None
        while self.endings:
            try:
                self.endings.pop()()
            except ENDS:
                raise
            except BaseException as error:
                failed = failed or error
        if failed is not None:
            raise failed

    # ---------------------------------------------------------------- values

    def value(self, name: str, hidden: int = 0) -> Any:
        """The value of a fixture or parameter; `hidden` of those with this name do not count, as it asks for itself."""
        if hidden == 0 and name in self.values:
            return self.values[name]
        found = self.made(name, hidden)
        if hidden == 0:
            self.values[name] = found
        return found

    def made(self, name: str, hidden: int) -> Any:
        """The value of a fixture, made anew; `hidden` of those with its name are overridden by others."""
        case = self.case
        if name in case.values:
            return _renewed(case.values[name])
        if name == "request":
            return _Request(None)
        if name not in case.fixtures:
            return self.builtin(name)
        fixture = case.fixtures[name][-1 - hidden]
        needs = {n: self.value(n, hidden + 1 if n == name else 0) for n in fixture.needs if n != "request"}
        if "request" in fixture.needs:
            needs["request"] = _Request(_renewed(case.params[name]) if name in case.params else None)
        function = self.function(fixture)
        made = function(**needs)
        if not inspect.isgenerator(made):
            return made
        value = next(made)
        self.endings.append(lambda: next(made, None))
        return value

    def function(self, fixture: Fixture) -> Any:
        module = self.module if fixture.module == self.case.module else importlib.import_module(fixture.module)
        found = _unwrapped(lookup(module, fixture.qualname))
        return found.__get__(self.instance) if "." in fixture.qualname else found

    def builtin(self, name: str) -> Any:
        """Those fixtures of pytest that can be had here."""
        if name == "capsys":
            capture = _Capture()
            return self.undone(capture, capture.undo)
        if name == "monkeypatch":
            patch = sys.modules["pytest"].MonkeyPatch()
            return self.undone(patch, patch.undo)
        folder = self.case.folder
        assert folder is not None, name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def undone(self, made: Any, undo: Callable[[], None]) -> Any:
        self.case.left.append(undo)

        def end() -> None:
            undo()
            self.case.left.remove(undo)

        self.endings.append(end)
        return made


def lookup(module: ModuleType, qualname: str) -> Any:
    found: Any = module
    for part in qualname.split("."):
        found = inspect.getattr_static(found, part) if isinstance(found, type) else getattr(found, part)
    return found


def _unwrapped(fixture: Any) -> Any:
    """The function behind `@pytest.fixture`."""
    if hasattr(fixture, "_get_wrapped_function"):
        return fixture._get_wrapped_function()
    return fixture.__pytest_wrapped__.obj if hasattr(fixture, "__pytest_wrapped__") else fixture


def called(function: Any, given: Any) -> None:
    """With what it is about, if it wants to know."""
    try:
        takes = len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        takes = 0
    function(given) if takes else function()


# ------------------------------------------------------------------------------------------------ values


def check_renewable(name: str, value: Any) -> None:
    """Is this a value that can be made again, or that nobody can change?"""
    if isinstance(value, list | tuple | set | frozenset):
        for part in value:
            check_renewable(name, part)
    elif isinstance(value, dict):
        check_renewable(name, (*value.keys(), *value.values()))
    elif not (isinstance(value, (*SIMPLE, enum.Enum)) or _is_top_level(value)):
        raise Unsupported(
            f"{name} is an object of type {type(value).__qualname__}, which was made before the executions and would "
            "be the same in all of them; make it in the test, or in a fixture"
        )


def _is_top_level(value: Any) -> bool:
    return isinstance(value, type | FunctionType | BuiltinFunctionType) and "<" not in value.__qualname__


def _renewed(value: Any) -> Any:
    """The same value, with what belongs to the user's modules as it is in this execution."""
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(map(_renewed, value))
    if type(value) is dict:
        return {_renewed(key): _renewed(part) for key, part in value.items()}
    kind = type(value) if isinstance(value, enum.Enum) else value
    if not _is_top_level(kind) or isinstance(kind, BuiltinFunctionType):
        return value
    with suppress(ImportError, AttributeError):
        module = importlib.import_module(kind.__module__)
        if is_users(getattr(module, "__file__", None)):
            fresh = lookup(module, kind.__qualname__)
            return fresh[value.name] if isinstance(value, enum.Enum) else fresh
    return value
