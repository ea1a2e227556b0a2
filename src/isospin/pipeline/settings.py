"""What can be asked about each kind of input: every option once, what extends what, and what does not go together.

`CommonOptions` are for all kinds; each class below extends them for some kinds (kinds.py says which).  A field is all
there is to an option: add one, use it, and it is there in the command, in Python, in pytest and in the reference.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from ..core.errors import UsageError
from ..core.records import dataclass
from ..engines.stateless.registry import SEARCHES, SYMMETRIC
from ..symmetry.strategies import REGISTRY
from .declare import (
    FLAG,
    HOW,
    INPUT,
    LIMITS,
    LINE,
    LIST,
    LONG,
    NATURAL,
    NUMBER,
    OUTPUT,
    POSITIVE,
    SECONDS,
    SIZE,
    SWITCH,
    WHAT,
    WORD,
    WORDS,
    OptionSet,
    check_values,
    option,
)

if TYPE_CHECKING:
    from ..engines.contract import Progress, Question

OF_SETS = ("auto", "none", "gasr", "bdd-sorted")  # how the symbolic engine folds
SYMMETRY = ("auto", *REGISTRY, "gasr", "bdd-sorted", "declared", "discovered")
SMALLEST_BITSTATE = 64  # bytes
WEAK = ("tso", "rc11")  # memory models of C programs that allow more than interleavings
IN_C = ("auto", "dpor")  # searches of C programs that run inside their process

PERMUTATION_IN_PYTHON = """; write it into the program, which alone knows what belongs to which thread:
  isospin.permutation(threads, objects, kind="swap")   # or "rotate"; one more list for each kind of object"""

# Options of models and of C programs.
_DEFINES = partial(
    option, (), "preprocessor definition; for a pointer automaton, the value of a constant", INPUT, LIST,
    "NAME[=VALUE]", flag="-D", common=True,
)  # fmt: skip
_PERMUTATION = partial(
    option, None, "stateless: permutations of processes that are symmetries (they are checked)", HOW, WORD,
    "swap|rotate|FILE", instead={"python": PERMUTATION_IN_PYTHON},
)  # fmt: skip
_LEAKS = partial(
    option, False, "an object that cannot be reached any more (C: is never freed) is a violation", WHAT, FLAG
)
_RACES = partial(
    option, help="programs: a data race is a violation (as for C), or a warning (as for Python)", group=WHAT,
    form=SWITCH, mild=True, common=True,
)  # fmt: skip


@dataclass(frozen=True)
class CommonOptions(OptionSet):
    """What can be asked about everything."""

    search: str = option(
        "auto", "bfs by default; with --engine stateless dpor, and no bfs", HOW,
        choices=("auto", "bfs", "dfs", *(s for s in SEARCHES if s != "dfs")),
    )  # fmt: skip
    symmetry: str = option(
        "auto", f"how states are folded (default: auto, which is exact): {', '.join(SYMMETRY)}", HOW,
        metavar="STRATEGY", choices=SYMMETRY, common=True,
    )  # fmt: skip
    seed: int = option(
        0, "for --search random, pct and pos; for dfs of a model the order of successors (default 0: as written)", HOW,
        NUMBER, "N",
    )  # fmt: skip
    no_deadlock: bool = option(False, "a deadlock (an invalid end state) is not a violation", WHAT, FLAG, common=True)
    all_errors: bool = option(False, "go on past errors, and report all distinct violations", WHAT, FLAG, common=True)
    max_depth: int | None = option(None, "look no further than this many steps", LIMITS, POSITIVE, "N")
    max_time: float | None = option(
        None, "for the whole command (pytest: for one test, default 60)", LIMITS, SECONDS, "SECONDS", pytest="time",
        common=True,
    )  # fmt: skip
    max_executions: int | None = option(None, "stateless: stop after this many executions", LIMITS, POSITIVE, "N")
    max_preemptions: int | None = option(None, "stateless: at most this many needless switches", LIMITS, NUMBER, "N")
    progress: Callable[[Progress], None] | None = field(default=None, compare=False)

    narrower: ClassVar[dict[str, tuple[str, ...]]] = {}  # fewer values than elsewhere
    available: ClassVar[str] = "in this version"

    def __post_init__(self) -> None:
        check_values(self, self.narrower, self.available)
        if problem := next(self.conflicts(), ""):
            raise UsageError(problem)

    def conflicts(self) -> Iterator[str]:
        """Options that do not go together, and why."""
        yield from ()


# -------------------------------------------------------------------------------------------------- models


@dataclass(frozen=True)
class Options(CommonOptions):
    """What can be asked about a model."""

    defines: tuple[str, ...] = _DEFINES()
    include: tuple[str, ...] = option(
        (), "Promela: also look for included files in this folder", INPUT, LIST, "DIR"
    )
    processes: int | None = option(
        None, "number of processes of a pointer automaton (default 3)", INPUT, POSITIVE, "COUNT", flag="-N",
        only=("pointer",), common=True,
    )  # fmt: skip
    engine: str = option(
        "auto", "what searches: explicit stores states and is compiled, interp is the reference in Python, symbolic "
        "keeps sets as diagrams, stateless stores nothing", HOW,
        choices=("auto", "explicit", "interp", "symbolic", "stateless"), harmless=("stateless",),
    )  # fmt: skip
    permutation: str | None = _PERMUTATION()
    direction: str = option(
        "auto", "symbolic: from the initial states (auto), or from the violations", HOW,
        choices=("auto", "forward", "backward"), mild=True,
    )  # fmt: skip
    bdd: str = option(
        "auto", "symbolic: the library that keeps the diagrams", HOW, choices=("auto", "oxidd", "cudd"),
        mild=True,
    )  # fmt: skip
    main_array: str | None = option(None, "for sorted-main and segmented: what to sort by", HOW, metavar="NAME")
    heap_symmetry: str = option(
        "auto", "name objects by how they are reached, not by address (auto: unless --symmetry none)", HOW,
        choices=("auto", "on", "off"), mild=True,
    )  # fmt: skip
    por: str = option(
        "auto", "partial-order reduction (auto: with --optimise full; static: where one process moves alone does not "
        "depend on the order of the search, as with --mpi; standard: allocations of different processes count as "
        "dependent, for comparison)", HOW, choices=("auto", "on", "off", "static", "standard"), mild=True,
    )  # fmt: skip
    optimise: str = option(
        "full", "simplify the model: not at all, as SPIN does (for its counts), or fully (default)", HOW,
        choices=("none", "spin", "full"), mild=True,
    )  # fmt: skip
    threads: int = option(
        1, "models: search with N threads (default 1)", HOW, POSITIVE, "N", common=True,
        instead=dict.fromkeys(("python", "c", "litmus"), ", which have --workers"),
    )  # fmt: skip
    mpi: str | None = option(
        None, "search with N processes of an MPI job, on one machine or many; auto: as many as the allocation has",
        HOW, metavar="N|auto",
    )  # fmt: skip
    hostfile: str | None = option(None, "with --mpi: the hosts of the processes, a line each", HOW, metavar="FILE")
    bitstate: int | None = option(
        None, "inexact: three bits for each state in an array of this size, such as 4G (rounded down to a power of "
        "two); never says `holds`", HOW, SIZE, "SIZE",
    )  # fmt: skip
    fingerprint: bool = option(
        False, "inexact: a 64-bit hash instead of each state; never says `holds`", HOW, FLAG
    )
    no_claim: bool = option(False, "leave out ltl formulas, never claims and accept labels", WHAT, FLAG, mild=True)
    ltl: str | None = option(
        None, "check only this claim of the model, or a formula such as '[] (x > 0 -> <> y)'", WHAT,
        metavar="NAME_OR_FORMULA", only=("promela",), common=True,
        instead={"pointer": ", whose properties are their invariants"},
    )  # fmt: skip
    claim: str | None = option(
        None, "check only this automaton, in the HOA format, as a never claim: no run may be accepted by it", WHAT,
        metavar="FILE.hoa", only=("promela",), instead={"pointer": ", whose properties are their invariants"},
    )  # fmt: skip
    non_progress: bool = option(False, "look only for cycles that pass no progress label", WHAT, FLAG)
    fair: bool = option(
        False, "weak fairness: a process that could always move moves in the end", WHAT, FLAG, common=True
    )
    leaks: bool = _LEAKS()
    max_states: int | None = option(None, "stop after this many states", LIMITS, POSITIVE, "N")
    max_memory: int | None = option(None, "such as 500M or 4G", LIMITS, SIZE, "SIZE", common=True)
    max_objects: int = option(
        64, "models that allocate: objects at a time (default 64)", LIMITS, POSITIVE, "N", mild=True
    )
    max_recursion: int = option(
        32, "models with functions: calls inside calls (default 32)", LIMITS, POSITIVE, "N", mild=True
    )
    checkpoint: str | None = option(
        None, "save the search every few minutes, when interrupted, and at a limit (with --mpi: a folder)", LONG,
        metavar="FILE",
    )
    checkpoint_interval: float = option(300.0, "between two of them (default 300)", LONG, SECONDS, "SECONDS", mild=True)
    resume: str | None = option(
        None, "go on with a saved search: same model, same options", LONG, metavar="FILE"
    )

    def __post_init__(self) -> None:
        from ..core.model import MOST_OBJECTS

        if self.search == "auto" and self.engine != "stateless":
            object.__setattr__(self, "search", "bfs")
        super().__post_init__()
        if self.max_objects > MOST_OBJECTS:
            raise UsageError(f"--max-objects {self.max_objects}: at most {MOST_OBJECTS}")

    def tell(self, doing: str) -> None:
        """Say what takes its time before there is anything to count."""
        if self.progress is not None:
            from ..engines.contract import Progress

            self.progress(Progress(0, 0, 0, 0, 0.0, 0, doing=doing))

    @property
    def needs_explicit(self) -> bool:
        inexact = self.bitstate is not None or self.fingerprint
        return inexact or self.mpi is not None or bool(self.checkpoint or self.resume)

    @property
    def is_one_of_many(self) -> bool:
        """Is it a search of a swarm, which others complement?"""
        return self.bitstate is not None and self.seed > 0

    @property
    def is_stateless(self) -> bool:
        """Searches that only the stateless engine has ask for it."""
        return self.engine == "stateless" or (self.engine == "auto" and self.search not in ("bfs", "dfs"))

    @property
    def stateless_search(self) -> str:
        """The search that the stateless engine begins with."""
        return "dpor" if self.search == "auto" else self.search

    @property
    def stateless_symmetry(self) -> str:
        """Which symmetry a stateless search uses: what was declared, else what is discovered, if it can use any."""
        if self.symmetry != "auto":
            return self.symmetry
        if self.stateless_search not in SYMMETRIC:
            return "none"
        return "discovered" if self.permutation is None else "declared"

    @property
    def wants_sets(self) -> str:
        """The option that only the symbolic engine has, if one was given."""
        given = {"--symmetry": self.symmetry in ("gasr", "bdd-sorted"), "--direction": self.direction != "auto",
                 "--bdd": self.bdd != "auto"}  # fmt: skip
        return next((name for name, asked in given.items() if asked), "")

    @property
    def reduces_order(self) -> bool:
        """Partial-order reduction; at the levels whose counts are for comparing, only on request."""
        return self.por in ("on", "static", "standard") or (self.por == "auto" and self.optimise == "full")

    @property
    def order_may_ask_for_new_states(self) -> bool:
        """May one process move alone only if it finds a new state?  Which one is new depends on who comes first, so
        the ranks of an MPI job would count differently each time."""
        return self.search == "bfs" and self.mpi is None and self.por != "static"

    @property
    def commutes_up_to_addresses(self) -> bool:
        """Symmetric independence of steps; `--por standard` is for comparing with it."""
        return self.por != "standard"

    @property
    def asks_for_claims_only(self) -> bool:
        """Was a claim named, so that nothing else is checked?"""
        return self.ltl is not None or self.claim is not None or self.non_progress

    @property
    def folds(self) -> bool:
        """Is the search to be reduced by symmetry?"""
        return self.symmetry != "none"

    @property
    def folds_heap(self) -> bool:
        """Are objects named by how they are reached?  With `--symmetry none` only on request."""
        return self.heap_symmetry == "on" or (self.heap_symmetry == "auto" and self.symmetry != "none")

    def conflicts(self) -> Iterator[str]:
        """Options that do not go together in this version, and why."""
        yield from self.conflicts_of_sets()
        inexact = "--bitstate" if self.bitstate is not None else "--fingerprint" if self.fingerprint else ""
        saved = "--checkpoint" if self.checkpoint is not None else "--resume" if self.resume is not None else ""
        if self.engine == "interp" and (inexact or saved):
            yield f"{inexact or saved} needs the explicit engine; the interpreter is for small models"
        if self.no_claim and self.ltl is not None:
            yield "--no-claim leaves out all claims, --ltl asks for one: choose one"
        if self.no_claim and self.claim is not None:
            yield "--no-claim leaves out all claims, --claim asks for one: choose one"
        if self.bitstate is not None and self.fingerprint:
            yield "--bitstate and --fingerprint are two kinds of tables: choose one"
        if self.bitstate is not None and self.bitstate < SMALLEST_BITSTATE:
            yield f"--bitstate {self.bitstate}: expected at least {SMALLEST_BITSTATE} bytes"
        if self.bitstate is not None and self.threads > 1:
            yield "--bitstate runs with one thread: several would count states twice"
        yield from self.conflicts_of_mpi(inexact)
        yield from self.stateless_conflicts()
        if saved and inexact:
            yield f"{saved} saves exact searches only, not those with {inexact}"
        if saved and self.search != "bfs":
            yield f"{saved} saves breadth-first searches only: leave out --search {self.search}"
        if saved and self.threads > 1:
            yield f"{saved} saves searches with one thread only: leave out --threads"

    def conflicts_of_mpi(self, inexact: str) -> Iterator[str]:
        """What an MPI job cannot do, and why."""
        if self.mpi is None:
            if self.hostfile is not None:
                yield "--hostfile says where the processes of --mpi run: add --mpi N, or --mpi auto"
            return
        if self.mpi != "auto" and not (self.mpi.isdigit() and int(self.mpi)):
            yield f"--mpi {self.mpi}: expected a number of processes, or auto"
        if self.engine not in ("auto", "explicit") or self.is_stateless or self.wants_sets:
            yield "--mpi is for the explicit engine, which stores states; others search in one process"
        if self.search != "bfs":
            yield f"--mpi searches breadth first, level by level: leave out --search {self.search}"
        if self.threads > 1:
            yield "--mpi starts processes of one thread each: leave out --threads, and start more of them"
        if inexact:
            yield f"--mpi searches exactly: leave out {inexact}"
        if self.checkpoint and self.resume and os.path.abspath(self.checkpoint) != os.path.abspath(self.resume):
            yield "--mpi goes on in the folder that it resumes: give --checkpoint and --resume the same one"

    def stateless_conflicts(self) -> Iterator[str]:
        """What does not go with this engine, or only with that one."""
        programs = ("declared", "discovered")
        if not self.is_stateless:
            if self.search not in ("bfs", "dfs"):
                yield f"--search {self.search} needs --engine stateless; --engine {self.engine} has bfs and dfs"
            if self.symmetry in programs or self.permutation is not None:
                what = "--permutation" if self.permutation is not None else f"--symmetry {self.symmetry}"
                yield f"{what} is for the stateless engine: add --engine stateless"
            if self.max_executions is not None or self.max_preemptions is not None:
                yield "--max-executions and --max-preemptions are for the stateless engine: add --engine stateless"
            return
        if self.search == "bfs":
            yield f"--search bfs: the stateless engine has {', '.join(SEARCHES)}"
        if self.symmetry not in ("auto", "none", *programs):
            yield f"--symmetry {self.symmetry} folds states; the stateless engine has auto, none, {', '.join(programs)}"
        if self.symmetry in programs and self.stateless_search not in SYMMETRIC:
            yield f"--search {self.search} does not use symmetry; {', '.join(SYMMETRIC)} do"
        if (self.symmetry == "declared") != (self.permutation is not None) and self.symmetry != "auto":
            yield "--permutation swap|rotate|FILE and --symmetry declared go together"
        if self.permutation is not None and self.stateless_search not in SYMMETRIC:
            yield f"--search {self.search} does not use --permutation; {', '.join(SYMMETRIC)} do"
        if self.needs_explicit or self.threads > 1:
            yield "--bitstate, --fingerprint, --checkpoint, --resume, --threads and --mpi are for the explicit engine"

    def conflicts_of_sets(self) -> Iterator[str]:
        """What the symbolic engine cannot do, and what only it can."""
        if self.engine not in ("auto", "symbolic") and self.wants_sets:
            others = [s for s in SYMMETRY if s not in OF_SETS[2:]]
            more = f"; {self.engine} has --symmetry {', '.join(others)}" if self.wants_sets == "--symmetry" else ""
            yield f"{self.wants_sets} is for --engine symbolic{more}"
        if self.engine != "symbolic" and not (self.engine == "auto" and self.wants_sets):
            return
        if self.symmetry not in OF_SETS:
            yield f"--symmetry {self.symmetry}: the symbolic engine has {', '.join(OF_SETS)}"
        refused = {
            "--search dfs": self.search != "bfs", "--por": self.por not in ("auto", "off"), "--leaks": self.leaks,
            "--threads": self.threads > 1, "--bitstate": self.bitstate is not None, "--fingerprint": self.fingerprint,
            "--checkpoint": self.checkpoint is not None, "--resume": self.resume is not None,
            "--main-array": self.main_array is not None, "--heap-symmetry": self.heap_symmetry == "on",
        }  # fmt: skip
        for name, given in refused.items():
            if given:
                yield f"{name} is not for the symbolic engine; --engine explicit has it"
        if self.direction == "backward" and self.all_errors:
            yield "--all-errors needs --direction forward: a backward search ends with its first violation"


# -------------------------------------------------------------------------------------------------- programs


@dataclass(frozen=True)
class ProgramOptions(CommonOptions):
    """What can be asked about a Python program."""

    races: bool = _RACES(False)
    workers: int = option(
        1, "programs: search with N processes at a time; executions and verdict are the same (default 1)", HOW,
        POSITIVE, "N", common=True, instead=dict.fromkeys(("promela", "pointer"), ", which have --threads"),
    )  # fmt: skip
    arguments: tuple[str, ...] = ()  # of the program: what comes after --

    narrower: ClassVar = {"search": ("auto", *SEARCHES), "symmetry": ("auto", "none", "declared", "discovered")}
    available: ClassVar = "for programs"


@dataclass(frozen=True)
class CProgramOptions(ProgramOptions):
    """What can be asked about a C program."""

    races: bool = _RACES(True)
    defines: tuple[str, ...] = _DEFINES()
    cflags: tuple[str, ...] = option((), "C programs: flags for the compiler and the linker", INPUT, WORDS, "FLAGS")
    build: str | None = option(
        None, "C programs: a command such as 'make prog'; FILE is what it makes", INPUT, LINE, "COMMAND", common=True
    )
    memory: str = option(
        "auto", "C programs: atomic accesses are ordered as in C (rc11), as on x86 (tso), or one after the other "
        "(sc); auto: sc, and rc11 for a program that can do more", HOW, choices=("auto", "sc", "tso", "rc11"),
    )  # fmt: skip
    fork: bool = option(False, "C programs: a process for each execution (slower)", HOW, FLAG)
    permutation: str | None = _PERMUTATION()
    leaks: bool = _LEAKS()
    spurious: bool = option(
        False, "C programs: a wait on a condition variable may return without a signal", WHAT, FLAG
    )
    reuse: bool = option(
        False, "C programs: malloc may hand out again what was freed (both are tried)", WHAT, FLAG
    )
    time_outs: int | None = option(
        None, "C programs: how many timeouts are tried in each thread (default 2; 0: none)", LIMITS, NATURAL, "N"
    )
    unroll: int | None = option(
        None, "C programs: a thread comes to the same operation of a loop so often; what is behind that makes the "
        "verdict incomplete (default: no limit)", LIMITS, POSITIVE, "N",
    )  # fmt: skip
    max_step: float | None = option(
        None, "C programs: a step that takes longer is a divergence (default 10)", LIMITS, SECONDS, "SECONDS"
    )
    compiler: str | None = None  # a command such as clang-16

    narrower: ClassVar = {"search": ("auto", *SEARCHES), "symmetry": ("auto", "none", "discovered")}
    available: ClassVar = "for C programs"

    def conflicts(self) -> Iterator[str]:
        if self.symmetry == "discovered" and self.search not in IN_C:
            yield f"--search {self.search} does not use symmetry in C programs; dpor does"
        if self.memory in WEAK and self.search not in ("auto", "optimal"):
            yield f"--memory {self.memory} is for --search optimal, which goes over execution graphs"
        if self.memory in WEAK and self.fork:
            yield f"--memory {self.memory} needs all executions in one process: leave --fork out"
        if self.memory in WEAK and self.max_preemptions is not None:
            yield f"--max-preemptions is for interleavings, not for --memory {self.memory}"
        if self.memory in WEAK and self.reuse:
            yield f"--memory {self.memory} does not go with --reuse"
        if self.fork and self.search not in IN_C:
            yield "--fork is for --search dpor; the other searches run the program in one process"

    @property
    def flags(self) -> tuple[str, ...]:
        """For the compiler and the linker."""
        return (*self.cflags, *(f"-D{define}" for define in self.defines))

    @property
    def for_runtime(self) -> dict[str, int]:
        """What the runtime is told, by its own names."""
        seconds = 0 if self.max_step is None else max(1, round(self.max_step))
        wanted = {"note_races": not self.races, "leaks": self.leaks, "spurious": self.spurious, "reuse": self.reuse,
                  "seconds": seconds, "unroll": self.unroll or 0}  # fmt: skip
        time_outs = {} if self.time_outs is None else {"time_outs": self.time_outs}  # none is a number, too
        return {name: int(value) for name, value in wanted.items() if value} | time_outs


@dataclass(frozen=True)
class ProcessOptions(CProgramOptions):
    """What can be asked about a C program that forks."""

    narrower: ClassVar = {"search": ("auto", *SEARCHES), "symmetry": ("auto", "none", "declared", "discovered")}
    available: ClassVar = "for programs"

    def conflicts(self) -> Iterator[str]:
        if self.permutation not in (None, "swap", "rotate") and not os.path.exists(self.permutation):
            yield f"--permutation {self.permutation}: expected swap, rotate or a file: there is none of this name"
        if self.permutation is not None and self.symmetry in ("none", "discovered"):
            yield "--permutation and --symmetry declared go together"
        if self.symmetry == "declared" and self.permutation is None:
            yield "--symmetry declared needs --permutation"
        if self.memory in WEAK:
            yield f"--memory {self.memory} is for programs of threads: memory of processes is sequentially consistent"
        for name in ("leaks", "fork", "spurious", "reuse", "time_outs", "unroll"):
            if getattr(self, name) not in (None, False):
                yield f"--{name.replace('_', '-')} is for programs of threads, not for those that fork"


# -------------------------------------------------------------------------------------------------- output


@dataclass(frozen=True)
class OutputOptions(OptionSet):
    """What the command makes of a verdict."""

    json: bool = option(False, "print one JSON document, and nothing else", OUTPUT, FLAG, common=True)
    html: str | None = option(None, "save the verdict as a page to look at", OUTPUT, metavar="FILE.html", common=True)
    trace: str | None = option(None, "save the counterexample", OUTPUT, metavar="FILE.json", common=True)
    spin_trail: str | None = option(
        None, "save the counterexample as a trail that SPIN replays", OUTPUT, metavar="FILE", only=("promela",),
        instead={"pointer": ", which SPIN does not read; --trace saves the counterexample"},
    )  # fmt: skip
    itf: str | None = option(
        None, "save the counterexample in the ITF format of Apalache and Quint", OUTPUT, metavar="FILE.itf.json",
        only=("models",),
    )  # fmt: skip
    heap_dot: str | None = option(
        None, "save a picture of the objects at the violation", OUTPUT, metavar="FILE.dot", only=("models",)
    )
    sarif: str | None = option(None, "save the violations as SARIF 2.1.0", OUTPUT, metavar="FILE.sarif")
    junit: str | None = option(
        None, "save the result as JUnit XML: a test for each property", OUTPUT, metavar="FILE.xml"
    )
    markdown: str | None = option(
        None, "save the verdict as Markdown, for the summary of a job", OUTPUT, metavar="FILE.md"
    )
    annotations: str | None = option(
        None, "print lines that GitHub shows beside the source", OUTPUT, choices=("github",)
    )
    show_active: bool = option(
        False, "print where the local variables of a pointer automaton matter", OUTPUT, FLAG, only=("models",)
    )
    quiet: bool = option(False, "print the verdict and the counterexample only", OUTPUT, FLAG)
    watch: bool = option(False, "check again whenever a source changes", OUTPUT, FLAG, common=True)
    verbose: bool = option(False, "list all unreached statements, not only the first", OUTPUT, FLAG)


# -------------------------------------------------------------------------------------------------- engines


def question(options: Options) -> Question:
    """The options as an engine of models is asked."""
    from ..engines.contract import Question

    return Question(
        search=options.search,
        all_errors=options.all_errors,
        deadlock=not options.no_deadlock,
        fair=options.fair,
        optimise=options.optimise,
        threads=options.threads,
        seed=options.seed if options.search == "dfs" else 0,
        mpi=_ranks(options),
        hostfile=options.hostfile,
        max_states=options.max_states,
        max_depth=options.max_depth,
        max_time=options.max_time,
        max_memory=options.max_memory,
        progress=options.progress,
        bitstate=options.bitstate,
        fingerprint=options.fingerprint,
        checkpoint=options.checkpoint,
        checkpoint_interval=options.checkpoint_interval,
        resume=options.resume,
    )


def _ranks(options: Options) -> int | None:
    """The processes of an MPI job, if it is one; only then the compiled engine is loaded before it is needed."""
    if options.mpi is None:
        return None
    from ..engines.explicit.drive.mpi import ranks

    return ranks(options.mpi, options.hostfile)
