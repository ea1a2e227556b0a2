"""Which threads of a C program are alike, and why others are not: in a process that is asked for that."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ....core.errors import InternalError
from ....engines.stateless.alike import ThreadSymmetry
from ....engines.stateless.protocol import Renaming, Thread
from ..host import CProgram, run_until_known
from ..known import Places
from ..wire import Difference
from .compared import Teller, compared
from .memory import ThreadMemory

if TYPE_CHECKING:
    from .view import ProcessView

MOST_THREADS = 12  # that are compared each with each


def find_symmetry(executable: Path, library: Path, arguments: Sequence[str], words: str) -> ThreadSymmetry:
    """In the state in which main has started its threads, and none of them has moved."""
    return look_at_threads(Places(executable, library), arguments, words)


def look_at_threads(answers: Places, arguments: Sequence[str], words: str) -> ThreadSymmetry:
    """The same for somebody who has read what is known of the files."""
    program = CProgram(answers.executable.path, arguments, words, answers=answers)
    memory = ThreadMemory(answers, program.process.pid)
    try:
        run_until_known(program)
        program.run(0)
        return _compared(program, memory)
    except InternalError:  # the program itself went wrong: the check says how
        return ThreadSymmetry()
    finally:
        memory.close()
        program.close()


def _compared(program: CProgram, memory: ThreadMemory) -> ThreadSymmetry:
    threads = [t for t in program.pending() if t][:MOST_THREADS]

    def compare(one: Thread, other: Thread) -> tuple[Renaming | None, Difference | None]:
        return program.find_renaming(one, other), program.difference

    def look() -> ProcessView:
        from .view import ProcessView

        view = ProcessView(memory.places.executable.path, memory.places.runtime.path, program.process.pid)
        view.refresh(program.now)
        return view

    teller = Teller(memory.places, look)
    try:
        return compared({t: memory.thread_name(t) for t in threads}, compare, teller)
    finally:
        teller.close()
