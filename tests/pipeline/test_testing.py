"""`@isospin.test` and `pytest --isospin`."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import isospin
from isospin.pipeline.programs.testing import IncompleteError, ScheduleError


@pytest.fixture(autouse=True)
def _somewhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failing tests leave something behind in the folder that they run in."""
    monkeypatch.chdir(tmp_path)


class Counter:
    def __init__(self) -> None:
        self.value = 0
        self.lock = threading.Lock()

    def add(self) -> None:
        self.value += 1

    def add_locked(self) -> None:
        with self.lock:
            self.value += 1


def run_two(function: object) -> None:
    threads = [threading.Thread(target=function) for _ in range(2)]  # type: ignore[arg-type]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


@isospin.test
def racy() -> None:
    counter = Counter()
    run_two(counter.add)
    assert counter.value == 2


@isospin.test
def test_with_a_lock() -> None:
    counter = Counter()
    run_two(counter.add_locked)
    assert counter.value == 2


@isospin.test(max_executions=1)
def bounded() -> None:
    counter = Counter()
    run_two(counter.add)


@isospin.test(max_executions=1, allow_incomplete=True)
def test_bounded_and_content() -> None:
    counter = Counter()
    run_two(counter.add)


class TestMethods:
    def setup_method(self) -> None:
        self.counter = Counter()

    @isospin.test
    def test_method(self) -> None:
        run_two(self.counter.add_locked)
        assert self.counter.value == 2


@pytest.mark.parametrize("n", [1, 2])
@isospin.test
def test_arguments(n: int) -> None:
    assert n in (1, 2)


def test_a_failure_shows_the_schedule() -> None:
    with pytest.raises(ScheduleError) as caught:
        racy()
    text = str(caught.value)
    assert text.startswith("assertion: assert counter.value == 2")
    assert "Thread-1 (add) 1" in text
    assert "self.value += 1" in text
    assert "Counter.value: 1 → 1" in text


def test_an_incomplete_search_is_no_success() -> None:
    with pytest.raises(IncompleteError, match="max-executions"):
        bounded()


def test_mistakes() -> None:
    with pytest.raises(isospin.UsageError, match="available"):
        isospin.test(colour="red")  # type: ignore[call-overload]

    @isospin.test
    def inner() -> None: ...

    with pytest.raises(isospin.UsageError, match="top level"):
        inner()


def test_without_the_checker() -> None:
    assert isospin.toss(3) in range(3)
    isospin.permutation([1, 2], [3, 4])
    with pytest.raises(ValueError, match="same length"):
        isospin.permutation([1, 2], [3])


FIXTURES = """
import pytest, threading

class Counter:
    def __init__(self):
        self.n, self.lock = 0, threading.Lock()
    def add(self):
        self.n += 1
    def safe(self):
        with self.lock:
            self.n += 1

@pytest.fixture
def counter():
    made = Counter()
    yield made
    assert made.n >= 0

@pytest.fixture(params=[1, 2])
def size(request):
    return request.param

@pytest.fixture
def asks(request):
    return request.node
"""
TESTS = """
import asyncio, enum, sys, threading, unittest
import pytest, isospin

def run(target, count=2):
    threads = [threading.Thread(target=target) for _ in range(count)]
    for t in threads: t.start()
    for t in threads: t.join()

log = []

@pytest.fixture(autouse=True)
def fresh():
    assert log == []
    log.append("auto")
    yield
    log.clear()

@pytest.fixture
def counter(counter):  # one that asks for the one that it hides
    counter.n = 10
    return counter

def fails_fixture(counter):
    run(counter.add)
    assert counter.n == 12

def passes_fixture(counter):
    run(counter.safe)
    assert counter.n == 12 and log == ["auto"]

async def refused_async():
    assert False

def refused_request(asks): pass

def passes_fixture_parameters(size, counter):
    run(counter.safe, size)
    assert counter.n == 10 + size

class Colour(enum.Enum):
    RED = 1

@pytest.mark.parametrize(("colour", "function"), [(Colour.RED, run)])
def passes_parameters(colour, function):
    assert colour is Colour.RED and function is run

@pytest.mark.parametrize("thing", [object()])
def refused_parameter(thing): pass

def passes_capsys(capsys):
    print("hello")
    assert capsys.readouterr().out == "hello\\n"

def passes_tmp_path(tmp_path):
    assert not list(tmp_path.iterdir())

def passes_monkeypatch(monkeypatch):
    assert log == ["auto"]
    monkeypatch.setattr(sys.modules[__name__], "log", [7])
    run(lambda: log.append(8))
    assert log == [7, 8, 8]

def skipped_by_itself():
    pytest.skip("not today")

def refused_caplog(caplog): pass

class Methods:
    @classmethod
    def setup_class(cls):
        cls.n = 0
    def setup_method(self, method):
        self.lock, self.name = threading.Lock(), method.__name__
    def add(self):
        self.n += 1
    def safe(self):
        with self.lock: self.n += 1
    def passes_method(self):
        run(self.safe)
        assert self.n == 2 and self.name == "passes_method"
    def fails_method(self):
        run(self.add)
        assert self.n == 2

class MethodsInherited(Methods):
    def add(self):
        self.safe()
    fails_method = None
    def passes_inherited(self):
        run(self.add)
        assert self.n == 2

class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.start = 5
    def setUp(self):
        self.n, self.lock = self.start, threading.Lock()
    def add(self):
        self.n += 1
    def safe(self):
        with self.lock: self.n += 1
    def test_passes_case(self):
        run(self.safe)
        self.assertEqual(self.n, 7)
    def test_fails_case(self):
        run(self.add)
        self.assertEqual(self.n, 7)
    @unittest.skip("no")
    def test_skipped_case(self):
        1 / 0

def make():
    class MethodsInside:
        def refused_inside(self): pass
    return MethodsInside
MethodsInside = make()

@isospin.test
def fails_decorated(counter):
    run(counter.add)
    assert counter.n == 12

@isospin.test
def passes_decorated(counter, tmp_path):
    run(counter.safe)
    assert counter.n == 12

@pytest.mark.no_isospin
def passes_as_usual(caplog): pass
"""
NAMES = "python_functions = passes_* fails_* refused_* skipped_*\npython_classes = Methods*\n"


def pytest_in(folder: Path, *options: str) -> str:
    (folder / "conftest.py").write_text(FIXTURES)
    (folder / "test_them.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\n" + NAMES)
    source = str(Path(isospin.__file__).parent.parent)
    fixed = ["-q", "-p", "no:cacheprovider", "-p", "no:isospin", "-p", "isospin.pytest_plugin", "--assert=plain", "-rA"]
    command = [sys.executable, "-m", "pytest", *fixed, *options, "test_them.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": source}, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def outcomes(said: str) -> dict[str, str]:
    found = re.findall(r"^(PASSED|FAILED|ERROR) test_them.py::(?:\w+::)?(?:test_)?(\w+)", said, re.MULTILINE)
    return {name: outcome for outcome, name in found}


def test_the_plugin(tmp_path: Path) -> None:
    """The first word of each name says what comes of it: nothing that is not checked passes."""
    said = pytest_in(tmp_path, "--isospin")
    found = outcomes(said)
    assert len(found) == 20, said
    want = {"passes": "PASSED", "fails": "FAILED", "refused": "FAILED"}
    assert {name: want[name.partition("_")[0]] for name in found} == found, said
    assert "2 skipped" in said
    assert "not today" in said
    for name in ("async", "parameter", "caplog", "inside"):
        assert f"IncompleteError: isospin cannot check refused_{name}" in said
    assert "request.node" in said
    assert "self.n += 1" in said  # the schedule
    assert "ScheduleError: assertion: assert counter.n == 12" in said


def test_the_decorator_needs_no_option(tmp_path: Path) -> None:
    found = outcomes(pytest_in(tmp_path, "-k", "decorated"))
    assert found == {"fails_decorated": "FAILED", "passes_decorated": "PASSED"}


def test_async_functions_are_refused() -> None:
    with pytest.raises(isospin.UsageError, match="event loop"):

        @isospin.test
        async def test_it() -> None:
            raise AssertionError


@isospin.test
def given(thing: object) -> None:
    assert thing


def test_arguments_that_survive_are_refused() -> None:
    given(["a", {"b": 2}])
    with pytest.raises(IncompleteError, match="of type Counter"):
        given(Counter())
