"""`isospin simulate`: models and programs step by step, forwards and back; runs that are saved and taken up again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which

import pytest

import isospin
from isospin.cli import main
from isospin.core import deadline
from tests.support import paths

MODEL = str(paths.EXAMPLES / "philosophers.pml")
PYTHON = str(paths.EXAMPLES / "python" / "bank.py")
needs_c = pytest.mark.skipif(which("gcc") is None, reason="needs a C compiler")
C = pytest.param(str(paths.EXAMPLES / "c" / "bank.c"), marks=needs_c)
FORKS = pytest.param(str(paths.EXAMPLES / "c" / "dispatcher_fork.c"), marks=needs_c)
FILES = [MODEL, PYTHON, C, FORKS]
Run = Callable[..., tuple[int, str]]


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command with these answers, and then the end of the input."""

    def call(*arguments: str, answers: str = "") -> tuple[int, str]:
        given: Iterator[str] = iter(answers.split())

        def answer(prompt: str) -> str:
            try:
                return next(given)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        return main(list(arguments)), capsys.readouterr().out

    return call


def steps(file: Path) -> list[list[int]]:
    return [step["choice"][:2] for step in json.loads(file.read_text())["trace"] if step["choice"][1] >= 0]


@pytest.mark.parametrize("file", FILES)
def test_a_run_forwards_and_back_is_saved_and_taken_up_again(run: Run, tmp_path: Path, file: str) -> None:
    straight, crooked, longer = (tmp_path / name for name in ("straight.json", "crooked.json", "longer.json"))
    assert run("simulate", file, "--interactive", "--trace", str(straight), answers="1 1 1 q")[0] == 0
    status, out = run("simulate", file, "--interactive", "--trace", str(crooked), answers="1 1 b 1 b b 1 x 99 1 1")
    assert (status, "stopped" in out, "back" in out) == (0, True, True)
    assert steps(straight) == steps(crooked)
    assert len(steps(straight)) == 3
    status, out = run("replay", file, str(straight))
    assert (status, "nothing is violated at the end" in out) == (0, True)
    found = run("simulate", file, "--from", str(straight), "--seed", "1", "--trace", str(longer))
    assert steps(longer)[:3] == steps(straight)
    assert run("replay", file, str(longer))[0] == found[0]
    assert run("simulate", file, "--from", str(straight), "--seed", "1")[1] == found[1]


@needs_c
@pytest.mark.parametrize(("file", "path", "kind"), [
    (MODEL, "3 1 2 1 1 1", "deadlock"), (PYTHON, "1 1 3 2 1 1 1 1 1 1", "assertion"),
    (str(paths.EXAMPLES / "c" / "philosophers_fork.c"), "1 2 2", "deadlock"),
])  # fmt: skip
def test_a_violation_is_reached_by_hand(run: Run, tmp_path: Path, file: str, path: str, kind: str) -> None:
    saved = str(tmp_path / "run.json")
    status, out = run("simulate", file, "--interactive", "--trace", saved, answers=path)
    assert status == 1, out
    assert out.splitlines()[-1].startswith(f"{kind}: ")
    assert run("replay", file, saved)[0] == 1
    status, out = run("simulate", file, "--interactive", "--from", saved, answers="b q")  # one step before it
    assert (status, out.splitlines()[-1]) == (0, "stopped")


@pytest.mark.parametrize("file", [PYTHON, C, FORKS])
def test_a_random_run_of_a_program_is_repeatable(run: Run, file: str) -> None:
    first = run("simulate", file, "--seed", "5")
    assert first == run("simulate", file, "--seed", "5")
    assert "(--seed 5)" in first[1]
    assert run("simulate", file, "--seed", "5", "--steps", "2")[1].endswith("stopped after 2 steps (--seed 5)\n")


@needs_c
def test_chance_finds_what_a_check_finds(run: Run) -> None:
    """Everything that goes wrong in a run is told as a check tells it."""
    program = str(paths.EXAMPLES / "c" / "bank.c")
    told = [run("simulate", program, "--seed", str(seed)) for seed in range(6)]
    assert {status for status, _ in told} == {0, 1}
    assert any("assertion `balance >= 0` failed" in out and "take(amount = 60)" in out for _, out in told)
    assert run("simulate", program, "-D", "FIXED", "--seed", "3")[0] == 0


def test_another_program_is_noticed(run: Run, tmp_path: Path) -> None:
    saved, other = str(tmp_path / "run.json"), tmp_path / "other.py"
    run("simulate", PYTHON, "--seed", "1", "--trace", saved)
    other.write_text("x = 1\n")
    assert run("simulate", str(other), "--from", saved)[0] == 2


def test_what_cannot_be_controlled_ends_a_run(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ends.py"
    path.write_text("import os, threading\nt = threading.Thread(target=lambda: os._exit(3))\nt.start()\nt.join()\n")
    status, out = run("simulate", str(path), "--seed", "1")
    assert status in (1, 3), out


def test_time_ends_the_wait_for_an_answer(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(prompt: str) -> str:
        raise deadline.TimeIsOver("time limit")

    monkeypatch.setattr("isospin.cli.simulate._read_answer", answer)
    assert run("simulate", MODEL, "--interactive") == (3, "  1  philosopher 2  18: !taken[left]\n"
               "  2  philosopher 1  18: !taken[left]\n  3  philosopher 0  18: !taken[left]\ntime limit\n")  # fmt: skip


def test_an_interrupt_ends_a_run_and_shows_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return "1"

    monkeypatch.setattr("isospin.cli.simulate._read_answer", answer)
    status, out = run("simulate", MODEL, "--interactive")
    assert (status, out.splitlines()[-1]) == (3, "interrupted")
    assert "step  line" in out


def test_the_public_interface_runs_programs() -> None:
    trace = isospin.simulate(PYTHON, seed=1, steps=4)
    assert len([s for s in trace.steps if s.choice.action >= 0]) == 4
