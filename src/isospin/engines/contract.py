"""What every stateful engine is asked, and what it answers.

An engine knows nothing of reports: it returns paths as choices.  The pipeline replays them on the reference
semantics before anything is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from ..core.errors import Location
from ..core.permutation import Permutation
from ..core.records import dataclass
from ..core.trace import Choice, Start


@dataclass(frozen=True)
class Progress:
    """How far a search has come."""

    states: int
    transitions: int
    depth: int
    queue: int
    seconds: float
    memory_bytes: int
    executions: int | None = None  # of a stateless search
    expected: float | None = None  # how many there may be in all
    doing: str = ""  # what is done before there is anything to count


@dataclass(frozen=True)
class Question:
    """What to search for, how, and how far."""

    search: str = "bfs"  # bfs, dfs
    all_errors: bool = False
    deadlock: bool = True
    fair: bool = False  # of cycles: only those in which no process waits for ever that could always move
    optimise: str = "full"  # none, spin, full
    threads: int = 1
    seed: int = 0  # of the order in which a depth-first search takes successors; 0: as the model has them
    mpi: int | None = None  # ranks of an MPI job; None: one process
    hostfile: str | None = None  # where they run
    budget: int | None = None  # of the interpreter, in work that it counts; None: as much as it takes
    mark: int = 0  # work after which it does something else on the way: `at_mark`
    at_mark: Callable[[], None] | None = None
    max_states: int | None = None
    max_depth: int | None = None
    max_time: float | None = None
    max_memory: int | None = None
    progress: Callable[[Progress], None] | None = None
    progress_interval: float = 0.5
    bitstate: int | None = None  # bytes of the array of bits: an inexact search
    fingerprint: bool = False  # a hash instead of each state: an inexact search
    checkpoint: str | None = None  # the file where the search is saved
    checkpoint_interval: float = 300.0
    resume: str | None = None  # the file of the search that goes on

    @property
    def mode(self) -> str:
        return "bitstate" if self.bitstate is not None else "fingerprint" if self.fingerprint else "exact"


@dataclass(frozen=True)
class Finding:
    """What an engine says it found; not shown before it is run again."""

    kind: str
    message: str
    location: Location
    path: tuple[Choice, ...]
    before_start: bool = False  # a fault in an initial value: there is no initial state
    start: Start = ()  # of a model with several initial states: from which of them
    folds: tuple[Permutation | None, ...] = ()  # of a reduced search: the permutation after each step of the path
    cycle_start: int | None = None  # where in the path the cycle starts; its length: the run stays in its last state
    moves: int | None = None  # of the path, if the engine counts them; a search level by level finds the fewest


@dataclass
class Exploration:
    """What was seen.  `incomplete` says why something was not, and is empty if nothing was left out."""

    findings: list[Finding] = field(default_factory=list)
    states: int = 0
    transitions: int = 0
    depth: int = 0
    incomplete: str = ""
    executed: set[int] = field(default_factory=set)  # ids of the actions that were executed
    seconds: float = 0.0
    compile_seconds: float = 0.0  # of these, those in which a compiler worked
    cpu_seconds: float = 0.0
    memory_bytes: int = 0
    bytes_per_state: float | None = None
    nodes: int | None = None  # of decision diagrams: the most that were in the table
    orbit_sum: int | None = None  # how many the states (folded by a canonical strategy) or executions stand for
    mode: str = "exact"  # exact, bitstate, fingerprint; what is not exact is always incomplete
    omission_probability: float | None = None
    sample: tuple[int, ...] = ()  # the least hashes of the states of a bit-state search with a seed
    executions: int | None = None  # of a stateless search: those that went to their end
    blocked: int | None = None  # and those that were given up
    over_graphs: bool = False  # and it was made over graphs, without symmetry, instead
    notes: tuple[str, ...] = ()  # what the user should know besides
