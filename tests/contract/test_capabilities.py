"""What hosts keep that can do more than every program must: a law for each capability, over all that offer it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from shutil import which

import pytest

from isospin import load
from isospin.engines.stateless.protocol import (
    ExecutedStep,
    Foreseeing,
    Op,
    Predicting,
    Program,
    Renaming,
    Replayable,
    RunsAhead,
    Step,
    Symmetric,
    Thread,
    choice_counter,
)
from isospin.hosts.memory import MemoryProgram
from isospin.hosts.model.program import ModelProgram
from isospin.hosts.processes.build import build
from isospin.hosts.processes.program import ProcessProgram
from isospin.hosts.python.program import PythonProgram
from isospin.transform.optimise import optimise
from tests.contract.test_hosts import HOSTS, View, at, python_program, view
from tests.support import memory_programs, paths

SEEDS = range(5)


def programs(capability: type, place: Path) -> Iterator[tuple[Program, int]]:
    """Programs of all hosts that offer it."""
    for make in HOSTS.values():
        for seed in SEEDS:
            program = make(seed, place)
            try:
                if not isinstance(program, capability):
                    break
                yield program, seed
            finally:
                getattr(program, "close", partial(int))()


def run(program: Program, chance: Random) -> list[ExecutedStep]:
    """A random execution, up to its end, or to before a failure."""
    program.restart()
    made: list[ExecutedStep] = []
    while (enabled := program.enabled()) and len(made) < 30:
        thread = chance.choice(list(enabled))
        event = ExecutedStep(thread, chance.randrange(choice_counter(program)(thread)), program.pending()[thread])
        if program.step(thread, event.choice):
            break
        made.append(event)
    return made


def steps(events: list[ExecutedStep]) -> list[Step]:
    return [Step(event.thread, event.choice) for event in events]


def test_replaying_is_making_the_steps_again(tmp_path: Path) -> None:
    count = 0
    for program, seed in programs(Replayable, tmp_path):
        assert isinstance(program, Replayable)
        events = run(program, Random(seed))
        for length in (0, len(events) // 2, len(events)):
            there = at(program, steps(events[:length]))
            program.replay(events[:length])
            assert view(program) == there, (type(program), seed, length)
            count += 1
    assert count >= 30


def test_who_is_predicted_to_pass_can_pass(tmp_path: Path) -> None:
    told = 0
    for program, seed in programs(Predicting, tmp_path):
        assert isinstance(program, Predicting)
        events = run(program, Random(seed))
        program.restart()
        for index, event in enumerate(events):
            for thread, op in program.pending().items():
                if not op.waits or len(op.deciding) != 1:
                    continue
                writes = [e.op for e in events[:index] if not e.op.writes.isdisjoint(op.deciding)]
                answer = program.passes_after(reversed(writes), op)
                assert answer in (None, thread in program.enabled()), (seed, index, thread)
                told += answer is not None
            program.step(event.thread, event.choice)
    assert told > 0


def test_a_thread_touches_no_more_than_is_foreseen(tmp_path: Path) -> None:
    looked = 0
    for program, seed in programs(Foreseeing, tmp_path):
        assert isinstance(program, Foreseeing)
        foreseen: list[tuple[Thread, Op]] = []
        events = run(program, Random(seed))
        program.restart()
        for event in events:
            foreseen += [(t, op) for t in program.pending() if (op := program.future(t)) is not None]
            for thread, future in foreseen:
                if thread == event.thread:
                    assert event.op.writes <= future.writes, (type(program), seed, event)
                    assert event.op.reads <= future.reads | future.writes, (type(program), seed, event)
                    looked += 1
            program.step(event.thread, event.choice)
    assert looked > 100


def test_running_ahead_is_making_those_steps(tmp_path: Path) -> None:
    moved = 0
    for program, seed in programs(RunsAhead, tmp_path):
        assert isinstance(program, RunsAhead)
        events = run(program, Random(seed))
        for index, event in enumerate(events[::3]):
            past = events[: 3 * index]
            _, moments, found = program.run_ahead(past, event, {}, 5)
            if found:
                continue
            there = view(program)
            threads = [thread for thread, *_ in moments]
            assert threads[0] == event.thread
            assert len(threads) <= 5
            later = [event.choice, *[0] * len(threads)]
            assert at(program, [*steps(past), *map(Step, threads, later)]) == there, (seed, index)
            moved += len(threads)
    assert moved > 30


# ------------------------------------------------------------------------------------------------ symmetry

THREADS = """
import threading
hits = 0
lock = threading.Lock()

def work():
    global hits
    with lock:
        hits = hits + 1

threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
"""


def python_threads(seed: int, place: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    monkeypatch.setattr("tests.contract.test_hosts.random_python.program", lambda _: THREADS)
    return python_program(seed, place)


def process_threads(seed: int, place: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    if which("gcc") is None:
        pytest.skip("gcc is not installed")
    scripts = ["fff", *[("rw", "aC", "x0", "Aw", "rR")[seed]] * 3]
    return ProcessProgram(build([paths.PROGRAMS / "processes" / "script.c"]), scripts)


MODEL = "byte n; bit x; active [3] proctype P() { do :: n < 3 -> n++ :: n > 0 -> x = 1 - x; n-- od }"
ALIKE: dict[type, Callable[[int, Path, pytest.MonkeyPatch], Program]] = {
    MemoryProgram: lambda seed, place, _: MemoryProgram(memory_programs.identical_code(seed)),
    ModelProgram: lambda seed, place, _: ModelProgram(optimise(load(MODEL), "full")),
    ProcessProgram: process_threads,
    PythonProgram: python_threads,
}  # of C programs: tests/hosts/c/test_alike.py, with what is in memory


def image(renaming: Renaming, state: View) -> View:
    pending, enabled = state
    return {renaming.thread(t): renaming.op(op) for t, op in pending.items()}, sorted(map(renaming.thread, enabled))


@pytest.mark.parametrize("host", ALIKE, ids=lambda host: host.__name__)
def test_a_renaming_that_is_found_is_an_automorphism(
    host: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes what can happen to what can happen, now and after the next step."""
    found = 0
    for seed in SEEDS:
        program, chance = ALIKE[host](seed, tmp_path, monkeypatch), Random(seed)
        try:
            assert isinstance(program, Symmetric)
            events = run(program, chance)
            for length in range(0, len(events) + 1, 2):
                path = steps(events[:length])
                for first, second in combinations(at(program, path)[0], 2):
                    renaming = program.find_renaming(first, second)
                    if renaming is not None:
                        check_renaming(program, path, renaming, first, second)
                        found += 1
                    at(program, path)
        finally:
            getattr(program, "close", partial(int))()
    assert found > 5


def check_renaming(program: Program, path: list[Step], renaming: Renaming, first: Thread, second: Thread) -> None:
    here = at(program, path)
    assert renaming.thread(first) == second
    assert image(renaming, here) == here, path
    for thread in here[1]:
        one = at(program, [*path, Step(thread)])
        other = at(program, [*path, Step(renaming.thread(thread))])
        assert image(renaming, one) == other, (path, thread)
