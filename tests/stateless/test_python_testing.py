"""`@isospin.test` and `pytest --isospin`."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import isospin
from isospin.pipeline.testing import IncompleteError, ScheduleError


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
        isospin.test(colour="red")

    @isospin.test
    def inner() -> None: ...

    with pytest.raises(isospin.UsageError, match="top level"):
        inner()


def test_without_the_checker() -> None:
    assert isospin.toss(3) in range(3)
    isospin.permutation([1, 2], [3, 4])
    with pytest.raises(ValueError, match="same length"):
        isospin.permutation([1, 2], [3])


TESTS = '''
import threading

def run(target):
    threads = [threading.Thread(target=target) for _ in range(2)]
    for t in threads: t.start()
    for t in threads: t.join()

def test_lost(tmp_path):
    n = 0
    def work():
        nonlocal n
        n += 1
    run(work)
    assert n == 2 and tmp_path

def test_fine():
    lock, seen = threading.Lock(), []
    def work():
        with lock: seen.append(1)
    run(work)
    assert len(seen) == 2
'''


def test_the_plugin(tmp_path: Path) -> None:
    (tmp_path / "test_them.py").write_text(TESTS)
    source = str(Path(isospin.__file__).parent.parent)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:isospin", "-p", "isospin.pytest_plugin", "--assert=plain"]
    command = [sys.executable, "-m", "pytest", *options, "--isospin", "test_them.py"]
    place = {"PYTHONPATH": source}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=place, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "n += 1" in done.stdout
    assert "ScheduleError" in done.stdout
