"""Transition symmetry: when what one thread does first need not be explored, since another does the same.

Reference: Godefroid, FORTE 1999 (permutations of actions, w and its image are the same trace); Yang, Chen,
Gopalakrishnan, Wang, SPIN 2009 (residual code and local state).
Differs: a renaming must fix everything in the state, not only the two threads; the host proves that on the state, not
on the sequence of actions, which finds more.  What the second paper does with it is unsound, see `dpor.py`.  Declared
renamings are candidates, never facts: the host checks each use.
"""

from __future__ import annotations

from collections.abc import Iterator

from .protocol import Program, Renaming, Thread
from .search import SearchRequest


class TransitionSymmetry:
    def __init__(self, program: Program, asked: SearchRequest) -> None:
        self.program, self.kind = program, asked.symmetry
        self.group = asked.renamings

    def candidates(self, first: Thread, second: Thread) -> Iterator[Renaming]:
        """The renamings that fix the current state and take the first thread to the second."""
        if self.kind == "discovered" and (found := self.program.taking(first, second)) is not None:
            yield found
        yield from (r for r in self.group if r.thread(first) == second and self.fixes(r))

    def fixes(self, renaming: Renaming) -> bool:
        """Is the program's current state the same after the renaming?"""
        return self.program.fixed(renaming) == ""

    def here(self, first: Thread, second: Thread) -> Renaming | None:
        """A renaming that fixes the current state and takes the first thread to the second."""
        if self.kind == "none":
            return None
        return next(self.candidates(first, second), None)
