"""Why threads of a C program are not alike: the variable, its value in each, and the line that makes use of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from ....core.errors import NOWHERE, InternalError, Location
from ....engines.stateless.alike import Obstacle, ThreadSymmetry, find_families
from ....engines.stateless.protocol import Renaming, Thread
from ..constants import REGION_BASE
from ..host import CProgram, run_until_known
from ..known import Places, placed, written
from ..wire import Difference
from .memory import ThreadMemory

if TYPE_CHECKING:
    from .reasons import Reasons
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
    """Families, and of each two that are in none together what keeps them from it."""
    threads = [t for t in program.pending() if t][:MOST_THREADS]
    kinds = {t: memory.thread_name(t) for t in threads}
    found: dict[tuple[Thread, Thread], Renaming | None] = {}
    differences: dict[tuple[Thread, Thread], Difference] = {}

    def find(one: Thread, other: Thread) -> Renaming | None:
        if (one, other) not in found:
            found[one, other] = program.find_renaming(one, other)
            if program.difference is not None:
                differences[one, other] = program.difference
        return found[one, other]

    families = find_families(kinds, find)
    for one, other in combinations(threads, 2):
        if kinds[one] == kinds[other] and not _lead_to(found.values(), one, other):
            find(one, other)
    return replace(families, obstacles=tuple(_obstacles(differences, program, memory)))


def _lead_to(renamings: Iterable[Renaming | None], one: Thread, other: Thread) -> bool:
    """Can one of them take the other's place, in some steps?"""
    images = [r.threads for r in renamings if r is not None]
    seen = [one]
    for at in seen:  # grows
        seen += {each[at] for each in images if at in each} - set(seen)
    return other in seen


def _obstacles(
    differences: Mapping[tuple[Thread, Thread], Difference], program: CProgram, memory: ThreadMemory
) -> list[Obstacle]:
    teller = _Teller(program, memory.places)
    try:
        return [teller.obstacle((memory.called(a), memory.called(b)), d) for (a, b), d in sorted(differences.items())]
    finally:
        teller.close()


class _Teller:
    """Says what keeps threads apart.  What follows from the program's files alone is kept beside them: to read machine
    code and debugging information takes longer than most searches."""

    def __init__(self, program: CProgram, places: Places) -> None:
        self.program, self.places = program, places

    @cached_property
    def view(self) -> ProcessView:
        from .view import ProcessView

        view = ProcessView(self.places.executable.path, self.places.runtime.path, self.program.process.pid)
        view.refresh(self.program.now)
        return view

    @cached_property
    def reasons(self) -> Reasons:
        from .reasons import Reasons

        return Reasons(self.places.executable.code, self.view)

    def close(self) -> None:
        if "view" in self.__dict__:
            self.view.close()

    def obstacle(self, threads: tuple[str, str], found: Difference) -> Obstacle:
        variable, why, where = self.reason(found)
        if not why:
            return Obstacle(threads, why=self.difference(found), location=where)
        values = (str(found.one), str(found.other)) if variable and found.one != found.other else ()
        return Obstacle(threads, variable, values, why, where)

    def reason(self, found: Difference) -> tuple[str, str, Location]:
        """What is done with a number, and where."""
        if not found.rule and not found.carrier:
            return "", "", NOWHERE
        key = f"reason {found.rule} {found.carrier} {int(found.one != found.other)}"
        variable, why, where = json.loads(self.places.executable.kept(key, lambda: self.read_reason(found)))
        return variable, why, placed(where)

    def read_reason(self, found: Difference) -> str:
        variable, why, where = self.reasons.reason(found)
        return json.dumps([variable, why, written(where)])

    def difference(self, found: Difference) -> str:
        """What differs, and the variable in which that is seen."""
        name = self.name(found.where) if found.where else ""
        return f"they differ in {found.what}" + (f": {name}" if name else "")

    def name(self, address: int) -> str:
        """Of variables of the file it is always the same; of what is on stacks and in the heap it is not."""
        name = ""
        if address < REGION_BASE:
            name = self.places.executable.kept(f"variable {address}", lambda: self.view.names.variable(address))
        return name or getattr(self.view.names.place(address), "name", "")
