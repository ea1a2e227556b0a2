"""What the user asks for: the options of `check`, their values, and what does not go together."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from ..core.errors import UsageError
from ..core.model import MOST_OBJECTS
from ..engines.contract import Progress, Question
from ..engines.stateless.registry import SEARCHES, SYMMETRIC
from ..symmetry.strategies import REGISTRY

OF_SETS = ("auto", "none", "gasr", "bdd-sorted")  # how the symbolic engine folds
SMALLEST_BITSTATE = 64  # bytes
AVAILABLE: dict[str, tuple[str, ...]] = {
    "engine": ("auto", "explicit", "interp", "symbolic", "stateless"),
    "search": ("auto", "bfs", "dfs", *(s for s in SEARCHES if s != "dfs")),
    "symmetry": ("auto", *REGISTRY, "gasr", "bdd-sorted", "declared", "discovered"),
    "direction": ("auto", "forward", "backward"),
    "bdd": ("auto", "oxidd", "cudd"),
    "heap_symmetry": ("auto", "on", "off"),
    "por": ("auto", "on", "off", "standard"),
    "optimise": ("none", "spin", "full"),
}


@dataclass(frozen=True)
class Options:
    """The options of `check`, by their names on the command line."""

    engine: str = "auto"
    search: str = "auto"  # becomes bfs, or dpor for the stateless engine
    symmetry: str = "auto"
    direction: str = "auto"  # of the symbolic engine
    bdd: str = "auto"  # the library that keeps its diagrams
    main_array: str | None = None
    heap_symmetry: str = "auto"
    por: str = "auto"
    optimise: str = "full"
    all_errors: bool = False
    no_deadlock: bool = False
    no_claim: bool = False
    ltl: str | None = None
    fair: bool = False
    non_progress: bool = False
    max_states: int | None = None
    max_depth: int | None = None
    max_time: float | None = None
    max_memory: int | None = None
    max_objects: int = 64
    max_recursion: int = 32
    leaks: bool = False
    threads: int = 1
    bitstate: int | None = None
    fingerprint: bool = False
    checkpoint: str | None = None
    checkpoint_interval: float = 300.0
    resume: str | None = None
    permutation: str | None = None
    max_executions: int | None = None
    max_preemptions: int | None = None
    seed: int = 0
    defines: tuple[str, ...] = ()
    include: tuple[str, ...] = ()  # folders of files that the model includes
    processes: int | None = None  # of a pointer automaton
    progress: Callable[[Progress], None] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name, values in AVAILABLE.items():
            if getattr(self, name) not in values:
                raise UsageError(
                    f"--{name.replace('_', '-')} {getattr(self, name)}: available in this version: {', '.join(values)}"
                )
        if self.search == "auto":
            object.__setattr__(self, "search", "dpor" if self.engine == "stateless" else "bfs")
        limits = ("max_states", "max_depth", "max_time", "max_memory", "max_objects", "max_recursion", "max_executions")
        for name in (*limits, "threads", "bitstate", "checkpoint_interval"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise UsageError(f"--{name.replace('_', '-')} {value}: expected a positive number")
        if self.max_objects > MOST_OBJECTS:
            raise UsageError(f"--max-objects {self.max_objects}: at most {MOST_OBJECTS}")
        if problem := next(self.conflicts(), ""):
            raise UsageError(problem)

    def tell(self, doing: str) -> None:
        """Say what takes its time before there is anything to count."""
        if self.progress is not None:
            self.progress(Progress(0, 0, 0, 0, 0.0, 0, doing=doing))

    @property
    def needs_explicit(self) -> bool:
        return self.bitstate is not None or self.fingerprint or bool(self.checkpoint or self.resume)

    @property
    def is_stateless(self) -> bool:
        """Searches that only the stateless engine has ask for it."""
        return self.engine == "stateless" or (self.engine == "auto" and self.search not in ("bfs", "dfs"))

    @property
    def stateless_symmetry(self) -> str:
        """Which symmetry a stateless search uses: what was declared, else what is discovered, if it can use any."""
        if self.symmetry != "auto":
            return self.symmetry
        if self.search not in SYMMETRIC:
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
        return self.por in ("on", "standard") or (self.por == "auto" and self.optimise == "full")

    @property
    def commutes_up_to_addresses(self) -> bool:
        """Symmetric independence of steps; `--por standard` is for comparing with it."""
        return self.por != "standard"

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
        if self.bitstate is not None and self.fingerprint:
            yield "--bitstate and --fingerprint are two kinds of tables: choose one"
        if self.bitstate is not None and self.bitstate < SMALLEST_BITSTATE:
            yield f"--bitstate {self.bitstate}: expected at least {SMALLEST_BITSTATE} bytes"
        if self.bitstate is not None and self.threads > 1:
            yield "--bitstate runs with one thread: several would count states twice"
        yield from self.stateless_conflicts()
        if saved and inexact:
            yield f"{saved} saves exact searches only, not those with {inexact}"
        if saved and self.search != "bfs":
            yield f"{saved} saves breadth-first searches only: leave out --search {self.search}"
        if saved and self.threads > 1:
            yield f"{saved} saves searches with one thread only: leave out --threads"

    def stateless_conflicts(self) -> Iterator[str]:
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
        if self.symmetry in programs and self.search not in SYMMETRIC:
            yield f"--search {self.search} does not use symmetry; {', '.join(SYMMETRIC)} do"
        if (self.symmetry == "declared") != (self.permutation is not None) and self.symmetry != "auto":
            yield "--permutation swap|rotate|FILE and --symmetry declared go together"
        if self.permutation is not None and self.search not in SYMMETRIC:
            yield f"--search {self.search} does not use --permutation; {', '.join(SYMMETRIC)} do"
        if self.needs_explicit or self.threads > 1:
            yield "--bitstate, --fingerprint, --checkpoint, --resume and --threads are for the explicit engine"


    def conflicts_of_sets(self) -> Iterator[str]:
        """What the symbolic engine cannot do, and what only it can."""
        if self.engine not in ("auto", "symbolic") and self.wants_sets:
            others = [s for s in AVAILABLE["symmetry"] if s not in OF_SETS[2:]]
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


def options(**chosen: Any) -> Options:
    """Options by name; an unknown one lists what is available."""
    known = {f.name for f in fields(Options)}
    for name in chosen:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"available: {', '.join(sorted(known))}"
            raise UsageError(f"there is no option {name}; {hint}")
    return Options(**chosen)


def question(options: Options) -> Question:
    return Question(
        search=options.search,
        all_errors=options.all_errors,
        deadlock=not options.no_deadlock,
        fair=options.fair,
        optimise=options.optimise,
        threads=options.threads,
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
