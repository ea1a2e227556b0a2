"""The command `isospin`: arguments -> pipeline -> report; exit status.

0 holds; 1 violated; 2 usage or source error; 3 no violation found, but incomplete; 4 an error of ours.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from . import __version__
from .errors import InternalError, SourceError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from .model import Model
    from .verdict import Verdict

HOLDS, VIOLATED, USAGE, INCOMPLETE, INTERNAL = 0, 1, 2, 3, 4
ENGINES = ("auto", "explicit", "interp", "symbolic", "stateless")
SYMMETRY = (
    "auto", "none", "exact", "enumerate", "segmented", "sorted", "sorted-main", "pc-sorted", "flattened", "markers",
    "approx-markers", "fig5", "gasr", "bdd-sorted", "declared", "discovered",
)  # fmt: skip


OF_MODELS = (
    "engine", "ltl", "fair", "non_progress", "bitstate", "fingerprint", "checkpoint", "resume", "permutation",
    "defines", "processes", "spin_trail", "heap_dot", "max_states", "max_memory", "leaks", "main_array",
)  # fmt: skip


OF_C = ("more", "cflags", "build", "fork", "spurious", "reuse", "time_outs", "max_step")
C_ENDINGS = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C")


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    ours, rest = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    args = parser().parse_args(joined(ours))
    args.arguments = rest
    try:
        return int(args.run(args))
    except SourceError as error:
        return source_error(args, error)
    except UsageError as error:
        return failed(args, str(error), USAGE)
    except InternalError as error:
        return failed(args, f"internal error: {error}\nThis is a bug in isospin; please report it.", INTERNAL)
    except KeyboardInterrupt:
        return failed(args, "interrupted", INCOMPLETE)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INCOMPLETE


# -------------------------------------------------------------------------------------------------- arguments


def joined(words: list[str]) -> list[str]:
    """`--cflags -O2` as one word: its value begins like an option."""
    found: list[str] = []
    for word in words:
        if found and found[-1] in ("--cflags", "--build"):
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


class Parser(argparse.ArgumentParser):
    """argparse, with the whole help one hint away."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message}\n{self.prog} --help lists what is available\n")


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="isospin", description="A model checker that wins by symmetry.")
    top.add_argument("--version", action="version", version=f"isospin {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    add_check(commands.add_parser("check", help="check a model, or run and check a program"))
    add_symmetry(commands.add_parser("symmetry", help="the symmetry of a model: families, generators, what broke it"))
    add_explore(commands.add_parser("explore", help="walk through the state graph of a model in the browser"))
    add_audit(commands.add_parser("audit", help="a reduced run against an unreduced one"))
    add_simulate(commands.add_parser("simulate", help="run a model once, at random or step by step"))
    add_replay(commands.add_parser("replay", help="step through a saved counterexample"))
    add_paper(commands.add_parser("paper", help="the papers' tables, run again: ours beside theirs"))
    add_doctor(commands.add_parser("doctor", help="what works on this machine, and what to install for the rest"))
    add_completion(commands.add_parser("completion", help="completion for a shell: bash, zsh, fish"))
    return top


def add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE",
                         help="a model: Promela (.pml .prom .promela .p) or pointer automata (.ptr); check and replay "
                         "also run a Python program (.py) or a C or C++ program (.c .cc .cpp); its own arguments come "
                         "after --")  # fmt: skip
    command.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]",
                         help="preprocessor definition; of a pointer automaton, the value of a constant")  # fmt: skip
    command.add_argument("-N", dest="processes", type=positive, metavar="COUNT",
                         help="number of processes of a pointer automaton (default 3)")  # fmt: skip
    command.add_argument("--no-color", action="store_true")


def add_check(command: argparse.ArgumentParser) -> None:
    add_common(command)
    command.add_argument("more", nargs="*", metavar="FILE", help="further files of a C or C++ program")
    command.add_argument("--cflags", default="", metavar="FLAGS", help="C programs: for the compiler and the linker")
    command.add_argument("--build", metavar="COMMAND",
                         help="C programs: a command such as 'make prog'; FILE is what it makes")  # fmt: skip
    how = command.add_argument_group("how to search")
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
    how.add_argument("--fork", action="store_true", help="C programs: a process for each execution (slower)")
    how.add_argument("--threads", type=positive, default=1, metavar="N")
    how.add_argument("--bitstate", type=size, metavar="SIZE",
                     help="inexact: three bits for each state in an array of this size, such as 4G (rounded down to a "
                     "power of two); never says `holds`")  # fmt: skip
    how.add_argument("--fingerprint", action="store_true",
                     help="inexact: a 64-bit hash instead of each state; never says `holds`")  # fmt: skip
    what = command.add_argument_group("what to look for")
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
    limits = command.add_argument_group("limits")
    limits.add_argument("--max-states", type=positive, metavar="N")
    limits.add_argument("--max-depth", type=positive, metavar="N")
    limits.add_argument("--max-time", type=seconds, metavar="SECONDS")
    limits.add_argument("--max-memory", type=size, metavar="SIZE", help="such as 500M or 4G")
    limits.add_argument("--max-executions", type=positive, metavar="N", help="stateless")
    limits.add_argument("--max-preemptions", type=int, metavar="N", help="stateless: switches that nobody had to make")
    limits.add_argument("--time-outs", type=positive, metavar="N",
                        help="C programs: time-outs of waits that are tried in each thread (default 2)")  # fmt: skip
    limits.add_argument("--max-step", type=seconds, metavar="SECONDS",
                        help="C programs: a step that takes longer is a divergence (default 10)")  # fmt: skip
    limits.add_argument("--max-objects", type=positive, default=64, metavar="N",
                        help="objects at a time, of models that allocate (default 64)")  # fmt: skip
    limits.add_argument("--max-recursion", type=positive, default=32, metavar="N",
                        help="calls inside calls, of models with functions (default 32)")  # fmt: skip
    long = command.add_argument_group("long runs (--search bfs, one thread)")
    long.add_argument("--checkpoint", metavar="FILE",
                      help="save the search every few minutes, when interrupted, and at a limit")  # fmt: skip
    long.add_argument("--checkpoint-interval", type=seconds, default=300.0, metavar="SECONDS", help="default 300")
    long.add_argument("--resume", metavar="FILE", help="go on with a search that was saved: same model, same options")
    output = command.add_argument_group("output")
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
    command.set_defaults(run=run_check)


def add_symmetry(command: argparse.ArgumentParser) -> None:
    add_common(command)
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=run_symmetry)


def add_explore(command: argparse.ArgumentParser) -> None:
    add_common(command)
    command.add_argument("--trace", metavar="TRACE.json", help="open a trace that `isospin check --trace` saved; of a "
                         "program, that is all there is to see (FILE may be the trace itself)")  # fmt: skip
    command.add_argument("--path", metavar="NUMBERS", help="start at a path, as it stands in the address: 0.2.1")
    command.add_argument("--port", type=positive, metavar="N", help="default: any that is free")
    command.add_argument("--no-browser", action="store_true", help="only say the address")
    command.set_defaults(run=run_explore)


def add_audit(command: argparse.ArgumentParser) -> None:
    add_common(command)
    command.add_argument("--symmetry", default="auto", choices=SYMMETRY, metavar="STRATEGY")
    command.add_argument("--main-array", metavar="NAME")
    command.add_argument("--optimise", default="full", choices=["none", "spin", "full"])
    command.add_argument("--max-states", type=positive, metavar="N")
    command.set_defaults(run=run_audit)


def add_simulate(command: argparse.ArgumentParser) -> None:
    add_common(command)
    command.add_argument("--seed", type=int, help="for the same run again (default: a new one, which is shown)")
    command.add_argument("--steps", type=positive, default=1000, metavar="N")
    command.add_argument("--interactive", action="store_true", help="choose each step")
    command.set_defaults(run=run_simulate)


def add_replay(command: argparse.ArgumentParser) -> None:
    add_common(command)
    command.add_argument("trace", metavar="TRACE.json", help="saved by `isospin check --trace`")
    command.add_argument("--gdb", action="store_true", help="C programs: run it inside gdb, stopped where it fails")
    command.set_defaults(run=run_replay)


def add_paper(command: argparse.ArgumentParser) -> None:
    command.add_argument("tables", nargs="*", metavar="TABLE", help="which ones, or all (default: list them)")
    command.add_argument("--full", action="store_true", help="the rows that take long, too: hours")
    command.add_argument("--max-time", type=seconds, metavar="SECONDS",
                         help="for each run (default 60, with --full 3600); one that was cut says so")  # fmt: skip
    command.add_argument("--csv", metavar="DIR", help="save each table as CSV")
    command.add_argument("--plots", metavar="DIR", help="save plots as PNG and SVG")
    command.add_argument("--out", metavar="FILE.html", help="save one page with everything (all: paper.html)")
    command.add_argument("--no-color", action="store_true")
    command.set_defaults(run=run_paper)


def add_doctor(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true")
    command.add_argument("--no-color", action="store_true")
    command.set_defaults(run=run_doctor)


def add_completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=["bash", "zsh", "fish"])
    command.set_defaults(run=run_completion)


def positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
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


# -------------------------------------------------------------------------------------------------- commands


def run_check(args: argparse.Namespace) -> int:
    from . import pipeline

    progress = None if args.json or args.quiet else progress_line(args, args.max_states, args.max_time)
    if is_c_program(args):
        return answered(args, check_c_program(args, progress), progress)
    for name in OF_C:
        if getattr(args, name):
            given = "several files are" if name == "more" else f"--{name.replace('_', '-')} is"
            raise UsageError(f"{given} for C programs (.c .cc .cpp)")
    if is_program(args.file):
        return answered(args, check_program(args, progress), progress)
    options = pipeline.Options(
        engine=args.engine, search=args.search, symmetry=args.symmetry, main_array=args.main_array,
        heap_symmetry=args.heap_symmetry, por=args.por, direction=args.direction, bdd=args.bdd,
        optimise=args.optimise,
        all_errors=args.all_errors, no_deadlock=args.no_deadlock, no_claim=args.no_claim, ltl=args.ltl, fair=args.fair,
        non_progress=args.non_progress, max_states=args.max_states,
        max_depth=args.max_depth, max_time=args.max_time, max_memory=args.max_memory,
        max_objects=args.max_objects, max_recursion=args.max_recursion, leaks=args.leaks, threads=args.threads,
        bitstate=args.bitstate, fingerprint=args.fingerprint, checkpoint=args.checkpoint,
        checkpoint_interval=args.checkpoint_interval, resume=args.resume, permutation=args.permutation,
        max_executions=args.max_executions, max_preemptions=args.max_preemptions, seed=args.seed,
        defines=tuple(args.defines), processes=args.processes, progress=progress,
    )  # fmt: skip
    model = pipeline.load(Path(args.file), options.defines, options.ltl, options.processes)
    return answered(args, pipeline.check(model, options), progress, model)


def answered(
    args: argparse.Namespace, verdict: Verdict, progress: ProgressLine | None, model: Model | None = None
) -> int:
    from . import pipeline

    if progress is not None:
        progress.clear()
    active = pipeline.active(model) if model is not None and args.show_active else []
    if args.html is not None:
        save_page(args, verdict, model)
    save_traces(args, verdict)
    save_reports(args, verdict)
    show(args, verdict, active)
    return verdict.outcome.exit_status


def is_program(file: str) -> bool:
    return file.endswith(".py")


def is_c_program(args: argparse.Namespace) -> bool:
    return args.file.endswith(C_ENDINGS) or bool(getattr(args, "build", None))


def refuse_options_of_models(args: argparse.Namespace, names: tuple[str, ...], programs: str) -> None:
    for name in names:
        given = getattr(args, name, None)
        if given not in (None, False, [], "auto", "stateless"):
            option = "-D" if name == "defines" else "-N" if name == "processes" else f"--{name.replace('_', '-')}"
            hint = "; in a program isospin.permutation(threads, ...) does that" if name == "permutation" else ""
            hint = hint if programs == "Python" else ""
            raise UsageError(f"{option} is for models, not for {programs} programs{hint}")


def check_c_program(args: argparse.Namespace, progress: Any) -> Verdict:
    from .pipeline import c_programs

    also_c = ("defines", "leaks", "permutation")
    refuse_options_of_models(args, tuple(name for name in OF_MODELS if name not in also_c), "C")
    cflags = (*shlex.split(args.cflags), *(f"-D{define}" for define in args.defines))
    options = c_programs.CProgramOptions(
        search=args.search, symmetry=args.symmetry, all_errors=args.all_errors,
        no_deadlock=args.no_deadlock, races=args.races is not False, leaks=args.leaks, fork=args.fork,
        spurious=args.spurious, reuse=args.reuse, time_outs=args.time_outs, max_depth=args.max_depth,
        max_time=args.max_time,
        max_executions=args.max_executions, max_preemptions=args.max_preemptions, max_step=args.max_step,
        seed=args.seed, permutation=args.permutation, cflags=cflags,
        build=args.build, arguments=tuple(args.arguments), progress=progress,
    )  # fmt: skip
    return c_programs.check_c_program([args.file, *args.more], options)


def check_program(args: argparse.Namespace, progress: Any) -> Verdict:
    from .pipeline import programs

    refuse_options_of_models(args, OF_MODELS, "Python")
    options = programs.ProgramOptions(
        search=args.search, symmetry=args.symmetry, all_errors=args.all_errors,
        no_deadlock=args.no_deadlock, races=bool(args.races), max_depth=args.max_depth, max_time=args.max_time,
        max_executions=args.max_executions, max_preemptions=args.max_preemptions, seed=args.seed,
        arguments=tuple(args.arguments), progress=progress,
    )  # fmt: skip
    return programs.check_program(args.file, options)


def progress_line(
    args: argparse.Namespace, max_states: int | None = None, max_time: float | None = None
) -> ProgressLine | None:
    """A line about a long job, if somebody sits there and reads it."""
    console = error_console(args)
    return ProgressLine(console, max_states, max_time) if console.is_terminal else None


@contextmanager
def told(args: argparse.Namespace) -> Iterator[Callable[[str], None]]:
    """What a long job says about itself, on a line that is gone when it is done."""
    line = progress_line(args)
    try:
        yield (lambda text: None) if line is None else line.say
    finally:
        if line is not None:
            line.clear()


class ProgressLine:
    """One line on a terminal that says how far a job is; how much is left only where a limit or an estimate says so."""

    def __init__(self, console: Console, max_states: int | None = None, max_time: float | None = None) -> None:
        self.console, self.max_states, self.max_time = console, max_states, max_time
        self.shown = False

    def __call__(self, now: Any) -> None:
        if now.doing:
            self.write(f"\r{now.doing} ...")
        elif now.executions is not None:
            expected = "" if now.expected is None else f" of about {now.expected:,.0f}"
            self.write(f"\r{now.executions:,}{expected} executions, {now.transitions:,} transitions{self.share(now)}")
        else:
            rate = now.states / max(now.seconds, 1e-9)
            self.write(
                f"\r{now.states:,} states{self.share(now)}, {now.transitions:,} transitions, depth {now.depth}, "
                f"queue {now.queue:,}, {rate:,.0f} states/s, {now.memory_bytes / 1e6:.0f} MB"
            )

    def share(self, now: Any) -> str:
        """How much of a limit is used up."""
        if self.max_states is not None and now.states:
            return f" ({100 * now.states / self.max_states:.0f} % of --max-states)"
        return f" ({100 * now.seconds / self.max_time:.0f} % of --max-time)" if self.max_time is not None else ""

    def say(self, text: str) -> None:
        self.write(f"\r{text}")

    def write(self, text: str) -> None:
        self.console.file.write(text[: self.console.width] + "\x1b[K")
        self.console.file.flush()
        self.shown = True

    def clear(self) -> None:
        if self.shown:
            self.console.file.write("\r\x1b[K")
            self.console.file.flush()


def show(args: argparse.Namespace, verdict: Verdict, active: list[tuple[str, str, str]]) -> None:
    if args.json:
        from .report.document import verdict_document

        document = verdict_document(verdict, __version__)
        if args.show_active:
            document["active"] = [{"process": p, "variable": v, "modes": modes} for p, v, modes in active]
        print(json.dumps(document, indent=1))
    else:
        from .report.terminal import show_active, show_verdict

        if args.show_active:
            show_active(console(args), active)

        show_verdict(console(args), verdict, args.quiet, args.verbose)


def save_page(args: argparse.Namespace, verdict: Verdict, model: Model | None = None) -> None:
    """Save the report; of a model with all that can be seen in the states of its counterexamples."""
    from . import pipeline
    from .report.html import MOST_STEPS, MOST_VIOLATIONS, page

    shown = verdict.violations[:MOST_VIOLATIONS]
    scenes = [] if model is None else [pipeline.scenes(model, v.trace, MOST_STEPS) for v in shown]
    write(args.html, page(verdict, __version__, scenes))


def save_traces(args: argparse.Namespace, verdict: Verdict) -> None:
    """Save the first counterexample; where there is none, an old file must not be mistaken for one."""
    from .report.document import spin_trail, trace_document

    found = verdict.violations[0] if verdict.violations else None
    if args.trace is not None:
        defines = tuple(args.defines)
        document = trace_document(found, verdict.file, defines, __version__) if found else None
        if document is not None and args.processes is not None:
            document["processes"] = args.processes
        write(args.trace, json.dumps(document, indent=1) + "\n" if document else None)
    if args.heap_dot is not None:
        from .report.dot import heap_dot

        write(args.heap_dot, heap_dot(found.trace) if found else None)
    if args.spin_trail is not None and Path(args.file).suffix == ".ptr":
        raise UsageError("--spin-trail: SPIN does not read pointer automata; --trace saves the counterexample")
    if args.spin_trail is not None:
        write(args.spin_trail, spin_trail(found.trace) if found else None)


def save_reports(args: argparse.Namespace, found: Verdict | SourceError) -> None:
    """What other programs read: SARIF, JUnit, notes for GitHub; of mistakes in the source, too."""
    from .report.github import notes
    from .report.junit import junit_text
    from .report.sarif import sarif_document

    if getattr(args, "sarif", None) is not None:
        write(args.sarif, json.dumps(sarif_document(found, __version__), indent=1) + "\n")
    if getattr(args, "junit", None) is not None:
        write(args.junit, junit_text(found, args.file))
    if getattr(args, "annotations", None) is not None:
        for line in notes(found, args.file):
            print(line, file=sys.stderr if args.json else sys.stdout)  # --json keeps standard output for itself


def write(path: str, text: str | None) -> None:
    try:
        if text is None:
            Path(path).unlink(missing_ok=True)
        else:
            Path(path).write_text(text)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None


def run_symmetry(args: argparse.Namespace) -> int:
    from . import pipeline
    from .report.document import symmetry_document
    from .report.terminal import show_symmetry

    with told(args) as say:
        say("looking for symmetries ...")
        found = pipeline.symmetry(pipeline.load(Path(args.file), tuple(args.defines), processes=args.processes))
    if args.json:
        document = {**symmetry_document(found.report), "generators": [list(g) for g in found.symmetries.generators]}
        print(json.dumps({"schema": 1, "version": __version__, "file": args.file, "symmetry": document}, indent=1))
    else:
        written = [found.symmetries.written(g) for g in found.symmetries.generators]
        show_symmetry(console(args), found.report, written)
    return HOLDS


def run_explore(args: argparse.Namespace) -> int:
    from .explorer.start import explore

    out = console(args)

    def say(line: str) -> None:
        out.print(line, markup=False, soft_wrap=True)

    explore(args.file, args.trace, tuple(args.defines), args.processes, path=args.path, port=args.port or 0,
            browser=not args.no_browser, version=__version__, say=say)  # fmt: skip
    return HOLDS


def run_audit(args: argparse.Namespace) -> int:
    from . import pipeline

    options = pipeline.Options(
        symmetry=args.symmetry, main_array=args.main_array, optimise=args.optimise, max_states=args.max_states,
        defines=tuple(args.defines),
    )  # fmt: skip
    model = pipeline.load(Path(args.file), options.defines, processes=args.processes)
    with told(args) as say:
        reduction, found = pipeline.audit(model, options, say)
    out = console(args)
    sums = "" if found.orbit_sum is None else f", standing for {found.orbit_sum:,}"
    out.print(f"unreduced: {found.states:,} states, {', '.join(found.kinds) or 'nothing found'}")
    strategy = reduction.strategy.name
    out.print(f"{strategy}: {found.reduced_states:,} states{sums}, {', '.join(found.reduced_kinds) or 'nothing found'}")
    for problem in found.problems:
        out.print(f"disagreement: {problem}", markup=False, style="bold red")
    if found.problems:
        raise InternalError("the reduced run does not agree with the unreduced one")
    out.print("they agree" if found.complete else "not completed: nothing can be concluded")
    return HOLDS if found.complete else INCOMPLETE


def run_simulate(args: argparse.Namespace) -> int:
    from . import pipeline
    from .report.terminal import show_trace

    model = pipeline.load(Path(args.file), tuple(args.defines), processes=args.processes)
    seed = int.from_bytes(os.urandom(3), "big") if args.seed is None else args.seed
    out = console(args)
    with told(args) as say:
        run = pipeline.simulate(model, seed, args.steps, interactive(out) if args.interactive else None, say)
    show_trace(out, run.trace)
    shown = "" if args.interactive else f" (--seed {seed})"
    out.print(f"{run.ending}{shown}", markup=False, soft_wrap=True)
    return VIOLATED if run.violation else HOLDS


def interactive(out: Console) -> Any:
    """Ask for each step; an empty answer takes the only one there is."""
    from .report.terminal import change_text

    def choose(interpreter: Any, at: Any, options: list[Any]) -> Any:
        from . import pipeline

        for number, step in enumerate(pipeline.preview(interpreter, at, options), 1):
            changes = f"   {text}" if (text := change_text(step)) else ""
            partner = f" with {step.partner_process} {step.partner}" if step.partner is not None else ""
            line = f"{number:3}  {step.process} {step.pid}{partner}  {step.location.line}: {step.statement}{changes}"
            out.print(line, markup=False, highlight=False, soft_wrap=True)
        while True:
            try:
                answer = input(f"step (1-{len(options)}, q to stop): ").strip()
            except EOFError:
                return None
            if answer in ("q", "quit"):
                return None
            if answer == "" and len(options) == 1:
                return options[0]
            if answer.isdigit() and 1 <= int(answer) <= len(options):
                return options[int(answer) - 1]

    return choose


def run_replay(args: argparse.Namespace) -> int:
    from . import pipeline
    from .report.document import read_choices
    from .report.terminal import show_trace

    try:
        document = json.loads(Path(args.trace).read_text())
        choices, statements, start, said = read_choices(document)
    except OSError as error:
        raise UsageError(f"cannot read {args.trace}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{args.trace}: {error}") from None
    is_c = is_c_program(args) or "cflags" in (document.get("host") or {})
    if args.gdb and not is_c:
        raise UsageError("--gdb is for C programs")
    if is_c:
        from .pipeline import c_programs

        if args.gdb:
            return c_programs.debug_c_program(args.file, document, choices)
        run = c_programs.replay_c_program(args.file, document, choices)
    elif is_program(args.file):
        from .pipeline import programs

        run = programs.replay_program(args.file, document, choices)
    else:
        defines = tuple(args.defines) or tuple(document.get("defines", ()))
        processes = args.processes or document.get("processes")
        model = pipeline.load(Path(args.file), defines, processes=processes)
        run = pipeline.replay(model, choices, statements, start, said, document.get("start"))
    out = console(args)
    show_trace(out, run.trace)
    out.print(run.ending, markup=False, soft_wrap=True)
    return VIOLATED if run.violation else HOLDS


def run_paper(args: argparse.Namespace) -> int:
    from .experiments import command

    out, status = console(args), error_console(args)
    if not args.tables:
        command.listed(out)
        return HOLDS
    page = args.out or ("paper.html" if args.tables == ["all"] else None)
    asked = command.Asked(tuple(args.tables), args.full, args.max_time, args.csv, args.plots, page)
    progress = ProgressLine(status) if status.is_terminal else None
    return command.run(asked, out, None if progress is None else progress.write, __version__)


def run_doctor(args: argparse.Namespace) -> int:
    from .doctor import examined, works
    from .report.terminal import show_findings

    found = examined()
    if args.json:
        document = {"schema": 1, "version": __version__, "works": works(found), "checks": [f._asdict() for f in found]}
        print(json.dumps(document, indent=1))
    else:
        show_findings(console(args), found)
    return HOLDS if works(found) else INTERNAL


def run_completion(args: argparse.Namespace) -> int:
    from .completion import script

    print(script(parser(), args.shell))
    return HOLDS


# -------------------------------------------------------------------------------------------------- output


def console(args: argparse.Namespace) -> Console:
    from rich.console import Console

    return Console(no_color=args.no_color or None, highlight=False, width=None if sys.stdout.isatty() else 120)


def error_console(args: argparse.Namespace) -> Console:
    from rich.console import Console

    return Console(stderr=True, no_color=args.no_color or None, highlight=False)


def source_error(args: argparse.Namespace, error: SourceError) -> int:
    from .report.terminal import show_source_error

    if getattr(args, "json", False):
        problems = [{"location": str(d.location), "message": d.message, "hint": d.hint} for d in error.diagnostics]
        print(json.dumps({"schema": 1, "version": __version__, "outcome": None, "errors": problems}, indent=1))
    show_source_error(error_console(args), error)
    save_reports(args, error)
    return USAGE


def failed(args: argparse.Namespace, message: str, status: int) -> int:
    if getattr(args, "json", False):
        document = {"schema": 1, "version": __version__, "outcome": None, "errors": [{"message": message}]}
        print(json.dumps(document, indent=1))
    print(f"isospin: {message}", file=sys.stderr)
    return status
