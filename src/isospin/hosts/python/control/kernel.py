"""One execution of a Python program, and what each part of it knows.

A `Kernel` is the scheduler (`scheduler.py`: threads, and who goes on) with five parts that hooks and stand-ins ask:

- `objects` (`accesses.py`): the objects that threads share, who accessed what of them, and which accesses race;
- `outcome` (`outcome.py`): what went wrong;
- `border` (`notes.py`): what left control, and what is known about types that code without hooks is given;
- `iterators` (`notes.py`): iterators on their way through C code;
- `indices` (`indices.py`): numbers by which threads are told apart.

It is made anew for each execution.  Whatever must survive from one execution to the next (which places are shared, the
names of operations) is in `SearchMemory`.
"""

from __future__ import annotations

from typing import Any

from ..rewriting.sites import HOOKED
from .accesses import Accesses
from .indices import Indices
from .notes import BorderNotes, IteratorNotes
from .outcome import ExecutionOutcome
from .records import SearchMemory
from .scheduler import Scheduler


class Kernel(Scheduler):
    """One execution."""

    __slots__ = ("border", "declared", "indices", "iterators", "named", "objects")

    def __init__(
        self, memory: SearchMemory, outcome: ExecutionOutcome | None = None, wants_races: bool = False
    ) -> None:
        super().__init__(memory, ExecutionOutcome() if outcome is None else outcome)
        self.border = BorderNotes()
        self.iterators = IteratorNotes()
        self.objects = Accesses(self, self.border, wants_races)
        self.declared: list[tuple[str, list[list[Any]]]] = []  # permutations
        facts = memory.known.indices, memory.learnt.indices
        self.indices = Indices(facts, memory.learn, self._note, self._is_worker, memory.symmetric, memory.numbering)
        self.named = 0  # threads that got a number in their name

    def _note(self, value: Any) -> None:
        self.running.log.append(value)

    def _is_worker(self) -> bool:
        return self.running.tid != 0

    def forget(self) -> None:
        super().forget()
        self.objects.forget()
        self.iterators.views.clear()
        self.border.connections.clear()


def has_hooks(function: Any) -> bool:
    """Is a function one of the user's, rewritten?  One that `exec` made in a module of the program is not."""
    return "_iso_module" in function.__builtins__ and function.__code__.co_filename in HOOKED
