"""The options of `isospin.check` and `@isospin.test` with their types, for editors and type checkers.

Written by `python -m tests.docs.reference` from the declarations in settings.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from ..engines.contract import Progress


class CheckOptions(TypedDict, total=False):
    """Of `isospin.check`."""

    search: str
    symmetry: str
    seed: int
    no_deadlock: bool
    all_errors: bool
    max_depth: int | None
    max_time: float | None
    max_executions: int | None
    max_preemptions: int | None
    progress: Callable[[Progress], None] | None
    defines: tuple[str, ...]
    include: tuple[str, ...]
    processes: int | None
    engine: str
    permutation: str | None
    direction: str
    bdd: str
    main_array: str | None
    heap_symmetry: str
    por: str
    optimise: str
    threads: int
    mpi: str | None
    hostfile: str | None
    bitstate: int | None
    fingerprint: bool
    no_claim: bool
    ltl: str | None
    claim: str | None
    non_progress: bool
    fair: bool
    leaks: bool
    max_states: int | None
    max_memory: int | None
    max_objects: int
    max_recursion: int
    checkpoint: str | None
    checkpoint_interval: float
    resume: str | None
    races: bool
    workers: int
    arguments: tuple[str, ...]
    cflags: tuple[str, ...]
    build: str | None
    memory: str
    fork: bool
    spurious: bool
    reuse: bool
    time_outs: int | None
    unroll: int | None
    max_step: float | None
    compiler: str | None


class TestOptions(TypedDict, total=False):
    """Of `@isospin.test`."""

    search: str
    symmetry: str
    seed: int
    no_deadlock: bool
    all_errors: bool
    max_depth: int | None
    max_time: float | None
    max_executions: int | None
    max_preemptions: int | None
    races: bool
    workers: int
    allow_incomplete: bool
