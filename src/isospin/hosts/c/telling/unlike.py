"""Why threads of a C program are not alike: the variable, its value in each, and the line that makes use of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from ....core.errors import InternalError
from ....engines.stateless.alike import Obstacle, ThreadSymmetry, find_families
from ....engines.stateless.protocol import Renaming, Thread
from ..host import MOST_STEPS, CProgram, run_until_known
from ..known import Places
from ..wire import Difference
from .memory import ThreadMemory

MOST_THREADS = 12  # that are compared each with each


def find_symmetry(executable: Path, library: Path, arguments: Sequence[str], words: str) -> ThreadSymmetry:
    """In the state in which main has started its threads, and none of them has moved."""
    answers = Places(executable, library)
    program = CProgram(executable, arguments, words, answers=answers)
    memory = ThreadMemory(answers, program.process.pid)
    try:
        run_until_known(program)
        _start_threads(program)
        return _compared(program, memory)
    except InternalError:  # the program itself went wrong: the check says how
        return ThreadSymmetry()
    finally:
        memory.close()
        program.close()


def _start_threads(program: CProgram) -> None:
    for _ in range(MOST_STEPS):
        pending = program.pending()
        if 0 not in program.enabled() or pending[0].kind in ("join", "end") or program.step(0):
            return


def _compared(program: CProgram, memory: ThreadMemory) -> ThreadSymmetry:
    """Families, and of each two that are not in one what keeps them from it."""
    threads = [t for t in program.pending() if t][:MOST_THREADS]
    kinds = {t: memory.thread_name(t) for t in threads}
    found: dict[tuple[Thread, Thread], Renaming | None] = {}
    differences = []
    for one, other in combinations(threads, 2):
        if kinds[one] != kinds[other]:
            continue
        found[one, other] = program.find_renaming(one, other)
        if program.difference is not None:
            differences.append(((memory.called(one), memory.called(other)), program.difference))
    obstacles = _obstacles(differences, program, memory.places) if differences else []
    return find_families(kinds, lambda a, b: found.get((a, b)), obstacles)


def _obstacles(
    differences: list[tuple[tuple[str, str], Difference]], program: CProgram, places: Places
) -> list[Obstacle]:
    from .reasons import Reasons
    from .view import ProcessView

    view = ProcessView(places.executable.path, places.runtime.path, program.process.pid)
    try:
        view.refresh(program.now)
        reasons = Reasons(places.executable.code, view)
        return [reasons.obstacle(threads, found) for threads, found in differences]
    finally:
        view.close()
