"""The arguments of every command."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from .. import __version__
from .check import run_check
from .commands import (
    run_audit,
    run_completion,
    run_doctor,
    run_explore,
    run_paper,
    run_replay,
    run_simulate,
    run_symmetry,
)
from .screen import USAGE

ENGINES = ("auto", "explicit", "interp", "symbolic", "stateless")
SYMMETRY = (
    "auto", "none", "exact", "enumerate", "segmented", "sorted", "sorted-main", "pc-sorted", "flattened", "markers",
    "approx-markers", "fig5", "gasr", "bdd-sorted", "declared", "discovered",
)  # fmt: skip


def joined(words: list[str]) -> list[str]:
    """`--cflags -O2` as one word: its value begins like an option."""
    found: list[str] = []
    for word in words:
        if found and found[-1] in ("--cflags", "--build"):
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


class CommandParser(argparse.ArgumentParser):
    """argparse, with the whole help one hint away."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message}\n{self.prog} --help lists what is available\n")


def parser() -> argparse.ArgumentParser:
    top = CommandParser(prog="isospin", description="A model checker that wins by symmetry.")
    top.add_argument("--version", action="version", version=f"isospin {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=CommandParser)
    _add_check(commands.add_parser("check", help="check a model, or run and check a program"))
    _add_symmetry(commands.add_parser("symmetry", help="the symmetry of a model: families, generators, what broke it"))
    _add_explore(commands.add_parser("explore", help="walk through the state graph of a model in the browser"))
    _add_audit(commands.add_parser("audit", help="a reduced run against an unreduced one"))
    _add_simulate(commands.add_parser("simulate", help="run a model once, at random or step by step"))
    _add_replay(commands.add_parser("replay", help="step through a saved counterexample"))
    _add_paper(commands.add_parser("paper", help="the papers' tables, run again: ours beside theirs"))
    _add_doctor(commands.add_parser("doctor", help="what works on this machine, and what to install for the rest"))
    _add_completion(commands.add_parser("completion", help="completion for a shell: bash, zsh, fish"))
    return top


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE",
                         help="a model: Promela (.pml .prom .promela .p) or pointer automata (.ptr); check and replay "
                         "also run a Python program (.py) or a C or C++ program (.c .cc .cpp); its own arguments come "
                         "after --")  # fmt: skip
    command.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]",
                         help="preprocessor definition; of a pointer automaton, the value of a constant")  # fmt: skip
    command.add_argument("--include", action="append", default=[], metavar="DIR",
                         help="a folder of files that a Promela model includes, besides its own")  # fmt: skip
    command.add_argument("-N", dest="processes", type=positive, metavar="COUNT",
                         help="number of processes of a pointer automaton (default 3)")  # fmt: skip
    command.add_argument("--no-color", action="store_true")


def _add_check(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("more", nargs="*", default=[], metavar="FILE", help="further files of a C or C++ program")
    command.add_argument("--cflags", default="", metavar="FLAGS", help="C programs: for the compiler and the linker")
    command.add_argument("--build", metavar="COMMAND",
                         help="C programs: a command such as 'make prog'; FILE is what it makes")  # fmt: skip
    _add_search(command.add_argument_group("how to search"))
    _add_questions(command.add_argument_group("what to look for"))
    _add_limits(command.add_argument_group("limits"))
    _add_checkpoints(command.add_argument_group("long runs (--search bfs, one thread)"))
    _add_output(command.add_argument_group("output"))
    command.set_defaults(run=run_check)


def _add_search(how: argparse._ArgumentGroup) -> None:
    how.add_argument("--engine", default="auto", choices=ENGINES)
    how.add_argument("--search", default="auto",
                     choices=["auto", "bfs", "dfs", "persistent", "dpor", "optimal", "random", "pct"],
                     help="default bfs; --engine stateless: default dpor, has no bfs")  # fmt: skip
    how.add_argument("--permutation", metavar="swap|rotate|FILE",
                     help="stateless: permutations of processes that are symmetries; they are checked")  # fmt: skip
    how.add_argument("--seed", type=int, default=0, metavar="N", help="of --search random and pct (default 0)")
    how.add_argument("--symmetry", default="auto", choices=SYMMETRY, metavar="STRATEGY",
                     help="how states are folded (default: auto, which is exact): " + ", ".join(SYMMETRY))  # fmt: skip
    how.add_argument("--direction", default="auto", choices=["auto", "forward", "backward"],
                     help="of the symbolic engine: from the initial states (auto), or from the violations")  # fmt: skip
    how.add_argument("--bdd", default="auto", choices=["auto", "oxidd", "cudd"],
                     help="of the symbolic engine: the library that keeps its diagrams")  # fmt: skip
    how.add_argument("--main-array", metavar="NAME", help="for sorted-main and segmented (default: the locations)")
    how.add_argument("--heap-symmetry", default="auto", choices=["auto", "on", "off"],
                     help="objects by how they are reached, not by address (auto: unless --symmetry none)")  # fmt: skip
    how.add_argument("--por", default="auto", choices=["auto", "on", "off", "standard"],
                     help="partial-order reduction (auto: with --optimise full; standard: "
                          "allocations of different processes count as dependent, for comparison)")  # fmt: skip
    how.add_argument("--optimise", default="full", choices=["none", "spin", "full"])
    how.add_argument("--memory", default="auto", choices=["auto", "sc"],
                     help="C programs: sc: only interleavings are asked for (sequential consistency), "
                     "and the verdict says so; auto: a program that can do more is not said to hold")  # fmt: skip
    how.add_argument("--fork", action="store_true", help="C programs: a process for each execution (slower)")
    how.add_argument("--threads", type=positive, default=1, metavar="N")
    how.add_argument("--bitstate", type=size, metavar="SIZE",
                     help="inexact: three bits for each state in an array of this size, such as 4G (rounded down to a "
                     "power of two); never says `holds`")  # fmt: skip
    how.add_argument("--fingerprint", action="store_true",
                     help="inexact: a 64-bit hash instead of each state; never says `holds`")  # fmt: skip


def _add_questions(what: argparse._ArgumentGroup) -> None:
    what.add_argument("--no-claim", action="store_true", help="leave out ltl formulas, never claims and accept labels")
    what.add_argument("--ltl", metavar="NAME_OR_FORMULA",
                      help="check only this claim of the model, or a formula such as '[] (x > 0 -> <> y)'")  # fmt: skip
    what.add_argument("--non-progress", action="store_true", help="look only for cycles that pass no progress label")
    what.add_argument("--fair", action="store_true",
                      help="weak fairness: a process that could always move moves in the end")  # fmt: skip
    what.add_argument("--no-deadlock", action="store_true", help="invalid end states are no violation")
    what.add_argument("--leaks", action="store_true",
                      help="an object that cannot be reached any more (C: is never freed) is a violation")  # fmt: skip
    what.add_argument("--races", action=argparse.BooleanOptionalAction,
                      help="programs: a data race is a violation (as for C), or a warning (as for Python)")  # fmt: skip
    what.add_argument("--spurious", action="store_true",
                      help="C programs: a wait at a condition variable may return without a signal")  # fmt: skip
    what.add_argument("--reuse", action="store_true",
                      help="C programs: malloc may give out again what was freed (both are tried)")  # fmt: skip
    what.add_argument("--all-errors", action="store_true", help="explore past errors: all distinct violations")


def _add_limits(limits: argparse._ArgumentGroup) -> None:
    limits.add_argument("--max-states", type=positive, metavar="N")
    limits.add_argument("--max-depth", type=positive, metavar="N")
    limits.add_argument("--max-time", type=seconds, metavar="SECONDS")
    limits.add_argument("--max-memory", type=size, metavar="SIZE", help="such as 500M or 4G")
    limits.add_argument("--max-executions", type=positive, metavar="N", help="stateless")
    limits.add_argument("--max-preemptions", type=int, metavar="N", help="stateless: switches that nobody had to make")
    limits.add_argument("--time-outs", type=_natural, metavar="N",
                        help="C programs: time-outs to be tried in each thread (default 2; 0: none)")  # fmt: skip
    limits.add_argument("--max-step", type=seconds, metavar="SECONDS",
                        help="C programs: a step that takes longer is a divergence (default 10)")  # fmt: skip
    limits.add_argument("--max-objects", type=positive, default=64, metavar="N",
                        help="objects at a time, of models that allocate (default 64)")  # fmt: skip
    limits.add_argument("--max-recursion", type=positive, default=32, metavar="N",
                        help="calls inside calls, of models with functions (default 32)")  # fmt: skip


def _add_checkpoints(long: argparse._ArgumentGroup) -> None:
    long.add_argument("--checkpoint", metavar="FILE",
                      help="save the search every few minutes, when interrupted, and at a limit")  # fmt: skip
    long.add_argument("--checkpoint-interval", type=seconds, default=300.0, metavar="SECONDS", help="default 300")
    long.add_argument("--resume", metavar="FILE", help="go on with a search that was saved: same model, same options")


def _add_output(output: argparse._ArgumentGroup) -> None:
    output.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    output.add_argument("--html", metavar="FILE.html", help="save the verdict as one page to look at")
    output.add_argument("--trace", metavar="FILE.json", help="save the counterexample")
    output.add_argument("--spin-trail", metavar="FILE", help="save the counterexample as a trail that SPIN replays")
    output.add_argument("--heap-dot", metavar="FILE.dot", help="save a picture of the objects at the violation")
    output.add_argument("--sarif", metavar="FILE.sarif", help="save the violations as SARIF 2.1.0")
    output.add_argument("--junit", metavar="FILE.xml", help="save the result as JUnit XML: a test for each property")
    output.add_argument("--annotations", choices=["github"], help="print lines that GitHub shows beside the source")
    output.add_argument("--show-active", action="store_true",
                        help="in which modes the local variables of a pointer automaton matter")  # fmt: skip
    output.add_argument("--quiet", action="store_true", help="the verdict and the counterexample only")
    output.add_argument("--verbose", action="store_true")


def _add_symmetry(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("--max-time", type=seconds, metavar="SECONDS")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=run_symmetry)


def _add_explore(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("--trace", metavar="TRACE.json", help="open a trace that `isospin check --trace` saved; of a "
                         "program, that is all there is to see (FILE may be the trace itself)")  # fmt: skip
    command.add_argument("--path", metavar="NUMBERS", help="start at a path, as it stands in the address: 0.2.1")
    command.add_argument("--port", type=positive, metavar="N", help="default: any that is free")
    command.add_argument("--no-browser", action="store_true", help="only say the address")
    command.set_defaults(run=run_explore)


def _add_audit(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("--symmetry", default="auto", choices=SYMMETRY, metavar="STRATEGY")
    command.add_argument("--main-array", metavar="NAME")
    command.add_argument("--optimise", default="full", choices=["none", "spin", "full"])
    command.add_argument("--max-states", type=positive, metavar="N")
    command.add_argument("--max-time", type=seconds, metavar="SECONDS")
    command.set_defaults(run=run_audit)


def _add_simulate(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("--seed", type=int, help="for the same run again (default: a new one, which is shown)")
    command.add_argument("--steps", type=positive, default=1000, metavar="N")
    command.add_argument("--interactive", action="store_true", help="choose each step")
    command.add_argument("--max-time", type=seconds, metavar="SECONDS")
    command.set_defaults(run=run_simulate)


def _add_replay(command: argparse.ArgumentParser) -> None:
    _add_common(command)
    command.add_argument("trace", metavar="TRACE.json", help="saved by `isospin check --trace`; or a trail of SPIN")
    command.add_argument("--gdb", action="store_true", help="C programs: run it inside gdb, stopped where it fails")
    command.add_argument("--max-time", type=seconds, metavar="SECONDS")
    command.set_defaults(run=run_replay)


def _add_paper(command: argparse.ArgumentParser) -> None:
    command.add_argument("tables", nargs="*", metavar="TABLE", help="which ones, or all (default: list them)")
    command.add_argument("--full", action="store_true", help="the rows that take long, too: hours")
    command.add_argument("--max-time", type=seconds, metavar="SECONDS",
                         help="for each run (default 60, with --full 3600); one that was cut says so")  # fmt: skip
    command.add_argument("--csv", metavar="DIR", help="save each table as CSV")
    command.add_argument("--plots", metavar="DIR", help="save plots as PNG and SVG")
    command.add_argument("--out", metavar="FILE.html", help="save one page with everything (all: paper.html)")
    command.add_argument("--no-color", action="store_true")
    command.set_defaults(run=run_paper)


def _add_doctor(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true")
    command.add_argument("--no-color", action="store_true")
    command.set_defaults(run=run_doctor)


def _add_completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=["bash", "zsh", "fish"])
    command.set_defaults(run=run_completion)


def positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return int(text)


def _natural(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a number, got {text!r}")
    return int(text)


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number of seconds, got {text!r}")
    return value


def size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kKmMgGtT]?)(i?[bB])?", text)
    if match is None or float(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"expected a size such as 500M or 4G, got {text!r}")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))
