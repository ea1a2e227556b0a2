"""Transition symmetry: when what one thread does first need not be explored, since another does the same.

Reference: Godefroid, FORTE 1999 (permutations of actions, w and its image are the same trace); Yang, Chen,
Gopalakrishnan, Wang, SPIN 2009 (residual code and local state).
Differs: a renaming must fix everything in the state, not only the two threads; the host proves that on the state, not
on the sequence of actions, which finds more.  What the second paper does with it is unsound, see `dpor.py`.  Declared
renamings are candidates, never facts: the host checks each use.  Outcomes of tosses are actions like any other, so
they are renamed, too.
"""

from __future__ import annotations

from ...core.partition import Partition
from .protocol import Program, Renaming, Symmetric, Thread
from .search import SearchRequest


class TransitionSymmetry:
    """The symmetries of a program's current state that were asked for: none, declared ones, or what its host finds."""

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        symmetric = program if isinstance(program, Symmetric) and asked.symmetry != "none" else None
        self._symmetric = symmetric
        self._discovering = asked.symmetry == "discovered"
        self._declared = asked.renamings
        self.found = False  # has it been of any use?

    def declared_here(self) -> list[Renaming]:
        """The declared renamings that fix the current state."""
        here = [r for r in self._declared if self.is_fixed_by(r)]
        self.found |= bool(here)
        return here

    def discover(self, first: Thread, second: Thread) -> Renaming | None:
        """One that takes the first thread to the second, if such may be looked for and the host finds one."""
        if self._symmetric is None or not self._discovering:
            return None
        renaming = self._symmetric.find_renaming(first, second)
        self.found |= renaming is not None
        return renaming

    def is_fixed_by(self, renaming: Renaming) -> bool:
        """Is the program's current state the same after the renaming?"""
        return self._symmetric is not None and self._symmetric.what_changes(renaming) == ""

    def here(self, first: Thread, second: Thread) -> Renaming | None:
        """A renaming that fixes the current state and takes the first thread to the second."""
        if self._symmetric is None:
            return None
        found = self.discover(first, second)
        if found is not None:
            return found
        return next((r for r in self._declared if r.thread(first) == second and self.is_fixed_by(r)), None)

    def distinct_choices(self, thread: Thread, choices: list[int]) -> list[int]:
        """Of the outcomes of a thread's next operation those that are the image of no earlier one."""
        if len(choices) == 1:
            return choices
        fixing = [r for r in self._declared if r.tosses and r.thread(thread) == thread and self.is_fixed_by(r)]
        parts = Partition[int]()
        for renaming in fixing:
            for choice in choices:
                parts.join(choice, renaming.choice(thread, choice))
        first: dict[int, int] = {}
        for choice in sorted(choices):
            first.setdefault(parts.find(choice), choice)
        # SOUND: a renaming that fixes state and thread takes all that follows one outcome to what follows the other.
        return [choice for choice in choices if first[parts.find(choice)] == choice]
