"""What a failing test leaves behind, and `isospin replay --pdb`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from isospin.pipeline.programs.failures import read_case
from tests.support.paths import EXAMPLES

TESTS = """
import threading
import pytest
import isospin

class Account:
    def __init__(self):
        self.balance = 100
    def withdraw(self, amount):
        if self.balance >= amount:
            self.balance -= amount

@pytest.fixture
def account():
    return Account()

def twice(account, amount):
    threads = [threading.Thread(target=account.withdraw, args=(amount,)) for _ in range(2)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert account.balance >= 0

@isospin.test
def test_decorated():
    twice(Account(), 80)

@pytest.mark.parametrize("amount", [80, 10])
def test_with_a_fixture(account, amount, tmp_path):
    (tmp_path / "note").write_text(str(amount))
    twice(account, amount)

@pytest.mark.parametrize("amount", [(80,)])
def test_what_is_no_json(account, amount):
    twice(account, amount[0])
"""


def isospin(folder: Path, *words: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isospin", *words]
    return subprocess.run(command, cwd=folder, input=answers, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which pytest has run, and what it said."""
    folder = tmp_path_factory.mktemp("failing")
    (folder / "test_bank.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "--isospin", "-q", "-p", "no:cacheprovider", "test_bank.py"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "3 failed, 1 passed" in run.stdout, run.stdout
    return folder, run.stdout


def test_every_failure_is_saved_and_the_command_that_is_told_runs_it_again(failed: tuple[Path, str]) -> None:
    folder, said = failed
    # where CI is set, pytest repeats what failed in its summary
    commands = list(dict.fromkeys(re.findall(r"^  isospin (replay .*)$", said, re.MULTILINE)))
    assert len(commands) == 2
    for command in commands:
        run = isospin(folder, *command.split())
        assert run.returncode == 1, run.stderr
        assert "balance: 20 → -60" in run.stdout
    assert "cannot be written down" in said  # the third: a tuple
    assert len(list(folder.glob(".isospin/*/report.html"))) == 3
    assert (folder / ".isospin" / ".gitignore").read_text() == "*\n"


def test_pdb_where_an_assertion_failed(failed: tuple[Path, str]) -> None:
    folder, _ = failed
    trace = ".isospin/test_bank.test_with_a_fixture.80/trace.json"
    asked = "p account.balance\nup\np tmp_path.name\nthreads\nthread 7\nq\n"
    run = isospin(folder, "replay", "test_bank.py", trace, "--pdb", answers=asked)
    assert run.returncode == 1, run.stderr
    assert "assert account.balance >= 0" in run.stdout
    assert "(isospin) -60" in run.stdout
    assert "(isospin) 'files'" in run.stdout
    assert "Thread-2 (withdraw): has ended" in run.stdout
    assert "there is no thread 7" in run.stdout


def test_pdb_in_a_deadlock(tmp_path: Path) -> None:
    program = str(EXAMPLES / "python" / "philosophers.py")
    assert isospin(tmp_path, "check", program, "--trace", "d.json").returncode == 1
    asked = "threads\nthread 2\np right is left\nthread 0\nq\n"
    run = isospin(tmp_path, "replay", program, "d.json", "--pdb", answers=asked)
    assert run.returncode == 1, run.stderr
    assert "2  Thread-2 (dine): line 15, waits for Lock forks[2], held by Thread-3 (dine)" in run.stdout
    assert "(isospin) False" in run.stdout
    assert run.stdout.count("-> with left, right:") == 2
    assert "-> for t in threads:" in run.stdout


def test_pdb_is_for_python(tmp_path: Path) -> None:
    model = str(EXAMPLES / "philosophers.pml")
    assert isospin(tmp_path, "check", model, "--trace", "d.json").returncode == 1
    run = isospin(tmp_path, "replay", model, "d.json", "--pdb")
    assert (run.returncode, "--pdb is for Python programs" in run.stderr) == (2, True)


def test_a_trace_of_no_test_is_told(failed: tuple[Path, str]) -> None:
    folder, _ = failed
    file = folder / ".isospin" / "test_bank.test_decorated" / "trace.json"
    document = json.loads(file.read_text())
    assert read_case(document["host"]["test"], "x.py").name == "test_decorated"
    del document["host"]["test"]["wanted"]
    (folder / "wrong.json").write_text(json.dumps(document))
    run = isospin(folder, "replay", "test_bank.py", "wrong.json")
    assert run.returncode == 2, run.stderr
    assert "not a trace of a test" in run.stderr
    assert "Traceback" not in run.stderr
