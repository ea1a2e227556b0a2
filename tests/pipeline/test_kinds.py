"""Kinds of input and options: what is declared once is the same everywhere."""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from isospin import check, cli
from isospin.completion import commands
from isospin.core.errors import UsageError
from isospin.pipeline import kind_options
from isospin.pipeline.kinds import KINDS, kind_of, kind_of_trace
from isospin.pipeline.settings import OutputOptions
from tests.support import paths

EVERY = {**kind_options.every_option(), **OutputOptions.declared}
ARGUMENTS = {a.dest: a for a in commands(cli.parser())["check"]._actions}
ENDINGS = [(ending, kind) for kind in KINDS.values() for ending in kind.endings]


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_a_kind_has_what_its_road_needs(kind: object) -> None:
    assert isinstance(kind, type(KINDS["c"]))
    assert kind.on_road("check_files") is not None
    assert kind.on_road("nothing") is None
    if kind.is_program:
        assert kind.on_road("replay_trace") is not None
    else:
        assert {*kind.reads} <= {f.name for f in fields(kind_options.options_of(kind))}
    kind_options.options_of(kind)()


def test_an_ending_belongs_to_one_kind() -> None:
    assert len({ending for ending, _ in ENDINGS}) == len(ENDINGS)
    for ending, kind in ENDINGS:
        assert kind_of(f"some.where/file{ending}") is kind
    assert kind_of("active proctype p() { skip }") is KINDS["promela"]
    assert kind_of("prog", build="make") is KINDS["c"]
    with pytest.raises(UsageError, match=r"unknown kind of file; Promela models end in .*, C programs in \.c"):
        kind_of("file.txt")


def test_a_saved_trace_knows_its_kind() -> None:
    assert kind_of_trace("prog", {"host": {"cflags": []}}) is KINDS["c"]
    assert kind_of_trace("prog.c", {"host": {"cflags": [], "processes": [[]]}}) is KINDS["processes"]
    assert kind_of_trace("prog.py", {"host": {"shared": []}}) is KINDS["python"]
    assert kind_of_trace("model.ptr", {}) is KINDS["pointer"]


@pytest.mark.parametrize("name", EVERY)
def test_an_option_is_an_argument_as_declared(name: str) -> None:
    argument, option = ARGUMENTS[name], EVERY[name]
    assert argument.option_strings[0] == option.written(name)
    assert argument.help == option.help or isinstance(argument, argparse.BooleanOptionalAction)
    assert tuple(argument.choices or ()) == option.choices
    assert not argument.default  # defaults stand in the declaration alone


def test_there_is_no_argument_but_those_declared() -> None:
    assert {*ARGUMENTS} - {*EVERY} == {"help", "help_all", "file", "more", "no_color"}


@pytest.mark.parametrize("kind", [kind for kind in KINDS.values() if kind.endings], ids=lambda kind: kind.name)
def test_what_does_not_fit_a_kind_is_refused(kind: object) -> None:
    assert isinstance(kind, type(KINDS["c"]))
    for name, option in EVERY.items():
        value = option.choices[-1] if option.choices else 2
        if kind_options.takes(kind, name) or option.mild:
            kind_options.refuse(kind, {name: value})
        else:
            with pytest.raises(UsageError) as refused:
                kind_options.refuse(kind, {name: value if value not in option.harmless else "explicit"})
            beginning = f"{option.written(name)} is for {kind_options.audience(name)}, not for"
            assert str(refused.value).startswith(beginning)


def test_keywords_are_those_of_the_kind(tmp_path: Path) -> None:
    file = tmp_path / "prog.py"
    file.write_text("x = 1\n")
    with pytest.raises(UsageError, match="there is no option max_step for Python programs; did you mean max_time\\?"):
        check(file, max_step=1.0)
    with pytest.raises(UsageError, match="did you mean max_states\\?"):
        check("active proctype p() { skip }", max_sates=1)  # type: ignore[call-arg]
    assert check(file, max_executions=5)


# -------------------------------------------------------------------------------------------------- starting

MODELS = ("front", "semantics", "analysis", "transform", "ltl", "symmetry.detection", "symmetry.folding",
          "symmetry.groups", "engines.explicit", "engines.interp", "engines.symbolic", "hosts.model",
          "pipeline.models", "core.model")  # fmt: skip
NOT_FOR = {
    "python/bank.py": (*MODELS, "hosts.c", "hosts.processes", "pipeline.programs.c"),
    "c/bank.c": (*MODELS, "hosts.python", "hosts.processes.program", "pipeline.programs.python", "greenlet"),
    "peterson.pml": ("hosts", "pipeline.programs", "engines.symbolic", "engines.stateless.search", "front.pointer",
                     "greenlet", "pytest", "shtab", "capstone", "oxidd", "dd", "importlib.metadata"),
}  # fmt: skip
LOOK = "import sys; from isospin.cli import main; main(['check', '--json', sys.argv[1]]); print(*sys.modules)"


@pytest.mark.parametrize("file", NOT_FOR)
def test_a_check_imports_nothing_of_other_kinds(file: str) -> None:
    done = subprocess.run([sys.executable, "-c", LOOK, str(paths.EXAMPLES / file)], capture_output=True, text=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert "isospin.pipeline.kinds" in loaded, done.stderr
    unwanted = [f"isospin.{name}" for name in NOT_FOR[file]] + [*NOT_FOR[file]]
    assert [m for m in loaded if any(m == name or m.startswith(f"{name}.") for name in unwanted)] == []


def test_a_c_program_that_was_checked_before_needs_nothing_that_reads_machine_code() -> None:
    command = [sys.executable, "-c", LOOK, str(paths.EXAMPLES / "c/shop.c")]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert "isospin.hosts.c.telling.compared" in loaded, done.stderr  # the threads were
    assert not {"elftools", "capstone", "isospin.hosts.c.binary.dwarf"} & set(loaded)
