"""What every stateful engine is asked, and what it answers.

An engine knows nothing of reports: it returns paths as choices.  The pipeline replays them on the reference
semantics before anything is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..errors import Location
from ..trace import Choice


@dataclass(frozen=True)
class Progress:
    states: int
    transitions: int
    depth: int
    queue: int
    seconds: float
    memory_bytes: int


@dataclass(frozen=True)
class Question:
    """What to search for, how, and how far."""

    search: str = "bfs"  # bfs, dfs
    all_errors: bool = False
    deadlock: bool = True
    optimise: str = "full"  # none, spin, full
    threads: int = 1
    max_states: int | None = None
    max_depth: int | None = None
    max_time: float | None = None
    max_memory: int | None = None
    progress: Callable[[Progress], None] | None = None
    progress_interval: float = 0.5


@dataclass(frozen=True)
class Finding:
    kind: str
    message: str
    location: Location
    path: tuple[Choice, ...]
    before_start: bool = False  # a fault in an initial value: there is no initial state


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
    cpu_seconds: float = 0.0
    memory_bytes: int = 0
    bytes_per_state: float | None = None
