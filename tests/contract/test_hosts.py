"""What every host keeps that offers programs to the stateless searches: what partial-order reductions rest on.

A class of `isospin.hosts` with the five methods of `Program` must be in `HOSTS` below, with programs of it; then the
laws are checked on random schedules, before it has tests of its own.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import combinations
from pathlib import Path
from random import Random
from shutil import which
from typing import Any

import pytest

import isospin.hosts
from isospin.engines.stateless.protocol import (
    JOIN,
    Found,
    Meeting,
    Op,
    Program,
    Restorable,
    Step,
    Thread,
    choice_counter,
    dependent,
)
from isospin.engines.stateless.registry import explore
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c.building.build import build as build_c
from isospin.hosts.c.host import CProgram
from isospin.hosts.c.host import search as search_in_python
from isospin.hosts.memory import MemoryProgram
from isospin.hosts.model.program import ModelProgram
from isospin.hosts.processes.build import build
from isospin.hosts.processes.program import ProcessProgram
from isospin.hosts.python.program import Learnt, PythonProgram
from isospin.pipeline import load
from tests.support import c_writer, memory_programs, paths
from tests.support.generators import random_processes, random_python

MOST_STEPS = 40
METHODS = {"restart", "pending", "enabled", "step", "stuck"}
View = tuple[dict[Thread, Op], list[Thread]]


def python_program(seed: int, place: Path) -> Program:
    """It learns what is shared first, as in every check."""
    file = place / f"program_{seed}.py"
    file.write_text(random_python.program(seed))
    program = PythonProgram(str(file))
    while True:
        try:
            explore(program, "dpor", SearchRequest(max_executions=50))
            break
        except Learnt:
            program.memory.begin_search()
    program.learning = False
    return program


def process_program(seed: int, place: Path) -> Program:
    if which("gcc") is None:
        pytest.skip("gcc is not installed")
    chance = Random(seed)
    scripts = ["".join(chance.choices("0123rwaAsC", k=3)) for _ in range(3)]
    return ProcessProgram(build([paths.PROGRAMS / "processes" / "script.c"]), scripts)


def c_program(seed: int, place: Path) -> Program:
    """All in one file, which is compiled once."""
    if which("gcc") is None:
        pytest.skip("gcc is not installed")
    source = place / "programs.c"
    if not source.exists():
        codes = map(memory_programs.random_code, range(60))
        source.write_text(c_writer.text([code for code in codes if c_writer.suits(code)]))
    program = CProgram(build_c([source]), (str(seed),))
    search_in_python(program, "dpor", SearchRequest(max_executions=50))
    return program


HOSTS: dict[type, Callable[[int, Path], Program]] = {
    CProgram: c_program,
    MemoryProgram: lambda seed, place: MemoryProgram(memory_programs.random_code(seed)),
    ModelProgram: lambda seed, place: ModelProgram(load(random_processes.generate(seed))),
    ProcessProgram: process_program,
    PythonProgram: python_program,
}


def classes() -> Iterator[type]:
    """All that offers the protocol, wherever it stands below `hosts`."""
    for module in pkgutil.walk_packages(isospin.hosts.__path__, "isospin.hosts."):
        for value in vars(import_module(module.name)).values():
            own = isinstance(value, type) and value.__module__ == module.name and not value.__name__.startswith("_")
            if own and {*dir(value)} >= METHODS:
                yield value


def test_every_host_is_here() -> None:
    assert {*classes()} == {*HOSTS}


# ------------------------------------------------------------------------------------------------ laws


def view(program: Program) -> View:
    return dict(program.pending()), list(program.enabled())


def at(program: Program, path: list[Step]) -> View:
    """The state after these steps from the start."""
    program.restart()
    for step in path:
        program.step(*step)
    return view(program)


def check_state(program: Program, path: list[Step]) -> None:
    """Of one state: what is said about it, that it comes again, and that independent steps commute."""
    pending, enabled = before = at(program, path)
    assert [*pending] == sorted(pending)
    assert enabled == sorted(enabled)
    assert {*enabled} <= {*pending}
    assert at(program, path) == before, "the same steps lead to another state"
    choices = choice_counter(program)
    assert all(choices(thread) >= 1 for thread in enabled)
    single = [thread for thread in enabled if choices(thread) == 1]
    for a, b in combinations(single, 2):
        if not dependent(pending[a], pending[b]):
            check_diamond(program, path, a, b)
    if isinstance(program, Restorable) and enabled:
        check_saved(program, path, enabled[0])


def check_diamond(program: Program, path: list[Step], a: Thread, b: Thread) -> None:
    """SOUND: steps that do not depend on each other may be made in either order, and nothing later tells which."""
    for seed in range(2):
        ends: list[list[object]] = []
        for first, second in ((a, b), (b, a)):
            at(program, path)
            found = program.step(first)
            if found or (isinstance(program, Meeting) and second in program.partners()):
                return  # after a finding nobody may go on; a partner has moved, too
            assert second in program.enabled(), (path, first, second)
            found = program.step(second)
            ends.append([*told(found)] if found else [state(program), *future(program, seed)])
        assert ends[0] == ends[1], (path, a, b)


def state(program: Program) -> object:
    """The state itself, if it can be saved and compared."""
    saved = program.save() if isinstance(program, Restorable) else None
    return saved if "__eq__" in {name for base in type(saved).__mro__[:-1] for name in vars(base)} else None


def told(found: Sequence[Found]) -> list[str]:
    return sorted(f.kind for f in found)


def future(program: Program, seed: int) -> Iterator[object]:
    """All that is seen in one execution from here: what was written shows in what is done later."""
    chance, choices = Random(seed), choice_counter(program)
    for _ in range(MOST_STEPS):
        yield (here := view(program))
        if not here[1]:
            yield program.stuck()
            break
        thread = chance.choice(here[1])
        if found := program.step(thread, chance.randrange(choices(thread))):
            yield told(found)
            break


def check_saved(program: Any, path: list[Step], thread: Thread) -> None:
    before = at(program, path)
    saved = program.save()
    for _ in range(2):
        program.step(thread)
        program.restore(saved)
        assert view(program) == before


def check_wakes(before: View, moved: Thread, after: View) -> None:
    """Who had to wait goes on only after a step that depends on what it waits for."""
    for thread, op in before[0].items():
        if thread not in before[1] and thread in after[1] and after[0].get(thread) == op and op.kind != JOIN:
            assert dependent(before[0][moved], op), f"{before[0][moved]} lets {op} pass"


def check_program(program: Program, seed: int, runs: int) -> int:
    """Random executions; how many states were looked at."""
    chance, looked = Random(seed), 0
    for _ in range(runs):
        path: list[Step] = []
        here = at(program, path)
        while here[1] and len(path) < MOST_STEPS:
            if chance.random() < 0.3:
                check_state(program, path)
                here, looked = at(program, path), looked + 1
            thread = chance.choice(here[1])
            step = Step(thread, chance.randrange(choice_counter(program)(thread)))
            if program.step(*step):
                break
            path.append(step)
            after = view(program)
            check_wakes(here, thread, after)
            here = after
        else:
            if not here[1]:
                assert program.stuck() == program.stuck()
    return looked


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.__name__)
def test_laws(host: type, tmp_path: Path) -> None:
    looked = 0
    for seed in range(12 if host in (MemoryProgram, ModelProgram) else 5):
        program = HOSTS[host](seed, tmp_path)
        try:
            looked += check_program(program, seed, 3)
        finally:
            getattr(program, "close", partial(int))()
    assert looked > 10
