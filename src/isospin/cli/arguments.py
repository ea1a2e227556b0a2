"""The arguments of every command."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable

from ..pipeline.declare import GROUPS, INPUT, LINE, WORDS, Option
from ..pipeline.kind_options import every_option
from ..pipeline.kinds import KINDS, InputKind
from ..pipeline.settings import OutputOptions
from ..pipeline.values import argument, positive, seconds
from ..version import __version__
from .formats import GRAPHS
from .help import CommandParser

WHAT = "A model checker that wins by symmetry: models and programs, under every interleaving that matters."
CHECK = "check a model, or run and check a program"


# how programs run
PROGRAM = ("cflags", "build", "races", "leaks", "spurious", "reuse", "time_outs", "unroll", "max_step")


def joined(words: list[str]) -> list[str]:
    """`--cflags -O2` as one word: its value begins like an option."""
    long = [told.written(name) for name, told in every_option().items() if told.form in (LINE, WORDS)]
    found: list[str] = []
    for word in words:
        if found and found[-1] in long:
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


def parser(only: str = "") -> argparse.ArgumentParser:
    """The arguments of all commands; or, to be quick, of the only one that was given."""
    top = CommandParser(prog="isospin", description=WHAT)
    top.add_argument("--version", action="version", version=f"isospin {__version__}")
    below = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=CommandParser)
    commands = _commands()
    for name, (help, fill) in commands.items():
        command = below.add_parser(name, help=help)
        if only == name or only not in commands:
            fill(command)
    return top


def _commands() -> dict[str, tuple[str, Callable[[CommandParser], None]]]:
    """What each command is for, and what adds its arguments."""
    return {
        "check": (CHECK, _add_check),
        "litmus": ("all final states of litmus tests for C", _add_litmus),
        "symmetry": ("the symmetry of a model or program, and what prevents more", _add_symmetry),
        "explore": ("walk through the state graph of a model in the browser", _add_explore),
        "graph": ("the state graph of a model, for Graphviz, CADP, NetworkX", _add_graph),
        "automaton": ("the automaton of a formula, in the HOA format", _add_automaton),
        "audit": ("compare searches with reductions with one without", _add_audit),
        "swarm": ("many small searches that differ, for what is too large to be searched", _add_swarm),
        "simulate": ("run a model or a program once, at random or step by step", _add_simulate),
        "replay": ("step through a saved counterexample", _add_replay),
        "paper": ("compute the papers' tables again, ours beside theirs", _add_paper),
        "doctor": ("what works on this machine, and what to install for the rest", _add_doctor),
        "completion": ("completion for bash, zsh or fish", _add_completion),
    }


def _add_common(command: argparse.ArgumentParser) -> None:
    models, programs = ([k for k in KINDS.values() if k.is_program is p] for p in (False, True))
    command.add_argument("file", metavar="FILE",
                         help=f"a model: {_listed(models)}; or a program, which is run: {_listed(programs)}; its own "
                         "arguments come after --")  # fmt: skip
    _add_options(command, ("defines", "include", "processes"))
    command.add_argument("--no-color", action="store_true", help="no colours")


def _listed(kinds: Iterable[InputKind], between: str = " or ") -> str:
    return between.join(kind.described for kind in kinds if kind.endings)


def _add_check(command: CommandParser) -> None:
    command.description = f"{CHECK.capitalize()}: {_listed(KINDS.values(), ', ')}."
    command.add_layers()
    _add_common(command)
    several = _listed(kind for kind in KINDS.values() if kind.several)
    more = f"further files of a program, of {several}; or more models and Python programs, each to be checked by itself"
    command.add_argument("more", nargs="*", default=[], metavar="FILE", help=more)
    options = {**every_option(), **OutputOptions.declared}
    for group in GROUPS:
        place = command if group == INPUT else command.add_argument_group(group)
        for name, told in options.items():
            if told.group == group and name not in ("defines", "include", "processes"):
                _add_option(place, name, told)
    command.set_defaults(run="check.run_check")


def _add_program(command: argparse.ArgumentParser) -> None:
    """What a program may need besides its file."""
    command.add_argument("more", nargs="*", default=[], metavar="FILE", help="further files of a C program")
    _add_options(command, PROGRAM)


def _add_options(command: argparse.ArgumentParser, names: Iterable[str]) -> None:
    for name in names:
        _add_option(command, name, every_option()[name])


def _add_option(place: argparse._ActionsContainer, name: str, told: Option) -> None:
    place.add_argument(told.written(name), dest=name, **argument(told))


def _add_litmus(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="a litmus test for C, in the format of herd (.litmus)")
    command.add_argument("more", nargs="*", default=[], metavar="FILE", help="more of them, each by itself")
    _add_options(command, ("memory", "symmetry", "cflags", "unroll", "max_executions", "max_time"))
    command.add_argument("--json", action="store_true", help="print one JSON document, and nothing else")
    command.add_argument("--no-color", action="store_true", help="no colours")
    command.set_defaults(run="litmus.run_litmus")


def _add_symmetry(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    _add_program(command)
    _add_options(command, ("max_time",))
    command.add_argument("--json", action="store_true", help="print one JSON document, and nothing else")
    command.set_defaults(run="commands.run_symmetry")


def _add_explore(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("--trace", metavar="TRACE.json", help="open a trace that `isospin check --trace` saved; for a "
                         "program, that is all there is to see (FILE may be the trace itself)")  # fmt: skip
    command.add_argument("--path", metavar="NUMBERS", help="start at a path, as the address has it: 0.2.1")
    command.add_argument("--port", type=positive, metavar="N", help="the port (default: any that is free)")
    command.add_argument("--no-browser", action="store_true", help="only print the address")
    command.set_defaults(run="commands.run_explore")


def _add_graph(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("--format", choices=GRAPHS, help="default: what the name of the file ends with, or dot")
    command.add_argument("--out", metavar="FILE", help="default: standard output")
    names = ("symmetry", "main_array", "heap_symmetry", "optimise", "max_objects", "max_states", "max_time")
    _add_options(command, names)
    command.set_defaults(run="formats.run_graph")


def _add_automaton(command: argparse.ArgumentParser) -> None:
    command.add_argument("formula", metavar="FORMULA", help="such as '[] (p -> <> q)', or the name of one of the model")
    command.add_argument("--model", metavar="FILE", help="the model that it is about; without one, names are numbers")
    command.add_argument("--negated", action="store_true", help="accept the runs that violate it: a never claim")
    command.add_argument("--out", metavar="FILE.hoa", help="default: standard output")
    _add_options(command, ("defines", "include"))
    command.add_argument("--no-color", action="store_true")
    command.set_defaults(run="formats.run_automaton")


def _add_audit(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    _add_program(command)
    names = ("symmetry", "permutation", "main_array", "optimise", "max_states", "max_executions", "max_time")
    _add_options(command, names)
    command.set_defaults(run="commands.run_audit")


def _add_swarm(command: argparse.ArgumentParser) -> None:
    """What all searches have in common, and how many there are; reports as those of a check."""
    _add_common(command)
    _add_program(command)
    command.add_argument("--time", type=seconds, default=60.0, metavar="SECONDS", help="for all of it (default 60)")
    command.add_argument("--workers", default=str(os.cpu_count() or 1), metavar="N|mpi|MODULE:NAME",
                         help="how many searches at a time (default: one for each processor); mpi: in the ranks of an "
                         "MPI job (mpi4py); or an executor of concurrent.futures, as Dask has")  # fmt: skip
    command.add_argument("--searches", type=positive, metavar="N", help="at most so many (default: as time allows)")
    _add_options(command, ("seed", "symmetry", "no_deadlock", "all_errors", "max_objects", "max_executions"))
    for name, told in OutputOptions.declared.items():
        _add_option(command, name, told)
    command.set_defaults(run="swarm.run_swarm")


def _add_simulate(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("--seed", type=int, help="repeat a run (default: a new one, whose seed is shown)")
    command.add_argument("--steps", type=positive, default=1000, metavar="N", help="at most this many (default 1000)")
    command.add_argument("--interactive", action="store_true", help="choose each step, forwards and back")
    command.add_argument("--from", dest="begin", metavar="TRACE.json", help="begin with the steps of a saved run")
    command.add_argument("--trace", metavar="FILE.json", help="save the run, for `isospin replay` and --from")
    _add_program(command)
    _add_options(command, ("max_time",))
    command.set_defaults(run="simulate.run_simulate")


def _add_replay(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("trace", metavar="TRACE.json", help="saved by `isospin check --trace`; or a trail of SPIN")
    command.add_argument("--gdb", action="store_true", help="C programs: run it inside gdb, stopped where it fails")
    command.add_argument("--pdb", action="store_true", help="Python programs: look at it in pdb, where it fails")
    _add_options(command, ("max_time",))
    command.set_defaults(run="commands.run_replay")


def _add_paper(command: argparse.ArgumentParser) -> None:
    command.add_argument("tables", nargs="*", metavar="TABLE", help="which tables, or `all` (default: list them)")
    command.add_argument("--full", action="store_true", help="also run the rows that take hours")
    each = "CPU time for each run (default 60, with --full 3600); a run that was cut off says so"
    _add_option(command, "max_time", every_option()["max_time"]._replace(help=each))
    command.add_argument("--save", metavar="FILE", help="keep results as they come; what is there is not run again")
    command.add_argument("--csv", metavar="DIR", help="save each table as CSV")
    command.add_argument("--plots", metavar="DIR", help="save plots as PNG and SVG")
    command.add_argument("--out", metavar="FILE.html", help="save one page with everything (all: paper.html)")
    command.add_argument("--no-color", action="store_true", help="no colours")
    command.set_defaults(run="commands.run_paper")


def _add_doctor(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON document, and nothing else")
    command.add_argument("--no-color", action="store_true", help="no colours")
    command.set_defaults(run="commands.run_doctor")


def _add_completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=["bash", "zsh", "fish"])
    command.set_defaults(run="commands.run_completion")
