"""What went wrong in one execution, and what becomes of it: the scheduler tells, the host says what it means."""

from __future__ import annotations

from ....engines.stateless.protocol import Found
from .records import Fiber, SharedPlace
from .watchdog import Blocked


class NotControllable(BaseException):
    """Raised in a fiber that asks for what cannot be done here; what happened after that would mean nothing."""


class ExecutionOutcome:
    """The findings of one execution.  This one is for programs that nobody checks."""

    __slots__ = ("found", "news", "past_errors", "stepped")

    def __init__(self, past_errors: bool = False) -> None:
        self.found: list[Found] = []  # what ended the execution
        self.past_errors = past_errors  # a thread that fails just ends, as in Python, and the others go on
        self.news: list[Found] = [] if past_errors else self.found  # what went wrong in the step that was made last
        self.stepped = False  # a step was made, and what went wrong before it was told

    def fail(self, error: BaseException, fiber: Fiber, again: bool) -> None:
        """A thread ends with an exception; `again`: in steps that were made before."""

    def leave_control(self, error: Blocked | NotControllable) -> None:
        """A thread does what cannot be controlled: nothing that comes after it is believed."""

    def race(self, first: int, second: int, place: SharedPlace, fiber: Fiber, again: bool) -> None:
        """Accesses at two sites race; the second one is what the thread does now."""

    def diverge(self, fiber: Fiber, site: int) -> None:
        """A thread goes round a loop for ever."""
