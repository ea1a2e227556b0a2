"""Who moves alone, and which states need not be stored.

Reference: analysis/ample.py, which says where that is right.
Differs: nothing; both the search for errors and the one for cycles ask here.
"""

from __future__ import annotations

from ...analysis.ample import Ample
from ...semantics.interp import Interpreter, Move
from ...semantics.state import State


class Order:
    """The moves of one process where they are enough."""

    def __init__(self, interpreter: Interpreter, ample: Ample) -> None:
        self.interpreter, self.ample = interpreter, ample

    def alone(self, state: State, single: bool = False) -> list[Move]:
        """The moves of a process that may move alone, if there is one."""
        found = (list(self.interpreter.moves(state, pid)) for pid in self.ample.candidates(state, single))
        # SOUND: a step that is cut off at a bound, or ends in an error, leads nowhere: then the others move as well.
        return next((own for own in found if own and all(move.state is not None for move in own)), [])

    def leap(self, move: Move) -> Move:
        """Go on while there is one process that may move alone, and one way for it.

        SOUND: what is skipped has one successor, and cycles have a state where everybody moves, so this ends.
        """
        while move.state is not None and len(following := self.alone(move.state, single=True)) == 1:
            move = Move((*move.steps, *following[0].steps), following[0].state)
        return move
