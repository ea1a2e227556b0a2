"""The command `isospin`: arguments -> pipeline -> report; exit status.

0 holds; 1 violated; 2 usage or source error; 3 no violation found, but incomplete; 4 an error of ours.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from . import __version__
from .errors import InternalError, SourceError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

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


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    ours, rest = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    args = parser().parse_args(ours)
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
    add_audit(commands.add_parser("audit", help="a reduced run against an unreduced one"))
    add_simulate(commands.add_parser("simulate", help="run a model once, at random or step by step"))
    add_replay(commands.add_parser("replay", help="step through a saved counterexample"))
    return top


def add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE",
                         help="a model: Promela (.pml .prom .promela .p) or pointer automata (.ptr); check and replay "
                         "also run a Python program (.py; its own arguments come after --)")  # fmt: skip
    command.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]",
                         help="preprocessor definition; of a pointer automaton, the value of a constant")  # fmt: skip
    command.add_argument("-N", dest="processes", type=positive, metavar="COUNT",
                         help="number of processes of a pointer automaton (default 3)")  # fmt: skip
    command.add_argument("--no-color", action="store_true")


def add_check(command: argparse.ArgumentParser) -> None:
    add_common(command)
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
    what.add_argument("--leaks", action="store_true", help="an object that cannot be reached any more is a violation")
    what.add_argument("--races", action="store_true",
                      help="programs: a data race is a violation (default: a warning)")  # fmt: skip
    what.add_argument("--all-errors", action="store_true", help="explore past errors: all distinct violations")
    limits = command.add_argument_group("limits")
    limits.add_argument("--max-states", type=positive, metavar="N")
    limits.add_argument("--max-depth", type=positive, metavar="N")
    limits.add_argument("--max-time", type=seconds, metavar="SECONDS")
    limits.add_argument("--max-memory", type=size, metavar="SIZE", help="such as 500M or 4G")
    limits.add_argument("--max-executions", type=positive, metavar="N", help="stateless")
    limits.add_argument("--max-preemptions", type=int, metavar="N", help="stateless: switches that nobody had to make")
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
    output.add_argument("--trace", metavar="FILE.json", help="save the counterexample")
    output.add_argument("--spin-trail", metavar="FILE", help="save the counterexample as a trail that SPIN replays")
    output.add_argument("--heap-dot", metavar="FILE.dot", help="save a picture of the objects at the violation")
    output.add_argument("--show-active", action="store_true",
                        help="in which modes the local variables of a pointer automaton matter")  # fmt: skip
    output.add_argument("--quiet", action="store_true", help="the verdict and the counterexample only")
    output.add_argument("--verbose", action="store_true")
    command.set_defaults(run=run_check)


def add_symmetry(command: argparse.ArgumentParser) -> None:
    add_common(command)
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=run_symmetry)


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
    command.set_defaults(run=run_replay)


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

    console = error_console(args)
    progress = None
    if console.is_terminal and not args.json and not args.quiet:
        progress = ProgressLine(console)
    if is_program(args.file):
        return answered(args, check_program(args, progress), progress, [])
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
    active = pipeline.active(model) if args.show_active else []
    return answered(args, pipeline.check(model, options), progress, active)


def answered(
    args: argparse.Namespace, verdict: Verdict, progress: ProgressLine | None, active: list[tuple[str, str, str]]
) -> int:
    if progress is not None:
        progress.clear()
    save_traces(args, verdict)
    show(args, verdict, active)
    return verdict.outcome.exit_status


def is_program(file: str) -> bool:
    return file.endswith(".py")


def check_program(args: argparse.Namespace, progress: Any) -> Verdict:
    from .pipeline import programs

    for name in OF_MODELS:
        given = getattr(args, name, None)
        if given not in (None, False, [], "auto", "stateless"):
            option = "-D" if name == "defines" else "-N" if name == "processes" else f"--{name.replace('_', '-')}"
            hint = "; in a program isospin.permutation(threads, ...) does that" if name == "permutation" else ""
            raise UsageError(f"{option} is for models, not for Python programs{hint}")
    options = programs.ProgramOptions(
        search=args.search, symmetry=args.symmetry, all_errors=args.all_errors,
        no_deadlock=args.no_deadlock, races=args.races, max_depth=args.max_depth, max_time=args.max_time,
        max_executions=args.max_executions, max_preemptions=args.max_preemptions, seed=args.seed,
        arguments=tuple(args.arguments), progress=progress,
    )  # fmt: skip
    return programs.check_program(args.file, options)


class ProgressLine:
    """One line on a terminal that says how far the search is."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.shown = False

    def __call__(self, now: Any) -> None:
        if now.executions is not None:
            expected = "" if now.expected is None else f" of about {now.expected:,.0f}"
            self.write(f"\r{now.executions:,}{expected} executions, {now.transitions:,} transitions")
            return
        rate = now.states / max(now.seconds, 1e-9)
        text = (
            f"\r{now.states:,} states, {now.transitions:,} transitions, depth {now.depth}, queue {now.queue:,}, "
            f"{rate:,.0f} states/s, {now.memory_bytes / 1e6:.0f} MB"
        )
        self.write(text)

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

    found = pipeline.symmetry(pipeline.load(Path(args.file), tuple(args.defines), processes=args.processes))
    if args.json:
        document = {**symmetry_document(found.report), "generators": [list(g) for g in found.symmetries.generators]}
        print(json.dumps({"schema": 1, "version": __version__, "file": args.file, "symmetry": document}, indent=1))
    else:
        written = [found.symmetries.written(g) for g in found.symmetries.generators]
        show_symmetry(console(args), found.report, written)
    return HOLDS


def run_audit(args: argparse.Namespace) -> int:
    from . import pipeline

    options = pipeline.Options(
        symmetry=args.symmetry, main_array=args.main_array, optimise=args.optimise, max_states=args.max_states,
        defines=tuple(args.defines),
    )  # fmt: skip
    model = pipeline.load(Path(args.file), options.defines, processes=args.processes)
    reduction, found = pipeline.audit(model, options)
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
    run = pipeline.simulate(model, seed, args.steps, interactive(out) if args.interactive else None)
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
    if is_program(args.file):
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
    return USAGE


def failed(args: argparse.Namespace, message: str, status: int) -> int:
    if getattr(args, "json", False):
        document = {"schema": 1, "version": __version__, "outcome": None, "errors": [{"message": message}]}
        print(json.dumps(document, indent=1))
    print(f"isospin: {message}", file=sys.stderr)
    return status
