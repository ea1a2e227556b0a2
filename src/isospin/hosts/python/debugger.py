"""pdb at the end of a schedule: where the program failed, with all its threads as they stand there."""

from __future__ import annotations

import pdb
import sys
from types import FrameType, TracebackType
from typing import Any

from ...engines.stateless.protocol import Found
from .control.records import Fiber
from .control.waiting import ObjectNames, location
from .program import PythonProgram
from .rewriting.sites import is_users_frame

INTRO = "the program as it failed; `threads` lists its threads, `thread N` goes to one, the rest is pdb"


def debug(program: PythonProgram, found: Found | None, error: BaseException | None) -> None:
    """Talk to the user, until that is enough."""
    debugger = _ScheduleDebugger(program)
    print(INTRO, file=sys.__stdout__)
    step = None if error is None else _users_step(error.__traceback__)
    frame = None if step is not None or found is None else debugger.frame_of(found.thread)
    if step is None and frame is None:
        frame = next(filter(None, map(debugger.frame_of, program.now.fibers)), None)
    if step is None and frame is None:
        print("no thread is left that could be looked at", file=sys.__stdout__)
        return
    debugger.reset()
    debugger.interaction(frame, step)


def _users_step(step: TracebackType | None) -> TracebackType | None:
    """A traceback from its first frame of the user's code on."""
    while step is not None and not is_users_frame(step.tb_frame):
        step = step.tb_next
    return step


class _ScheduleDebugger(pdb.Pdb):
    """pdb that knows the threads of the program, which are none of the system."""

    def __init__(self, program: PythonProgram) -> None:
        super().__init__(stdin=sys.__stdin__, stdout=sys.__stdout__)
        self.program = program
        self.prompt = "(isospin) "

    def frame_of(self, number: int | None) -> FrameType | None:
        """Where a thread stands in the user's code; None if it has ended."""
        fiber = self.program.now.fibers.get(number) if number is not None else None
        frame: Any = None if fiber is None or fiber.done else fiber.greenlet.gr_frame
        while frame is not None and not is_users_frame(frame):
            frame = frame.f_back
        found: FrameType | None = frame
        return found

    def do_threads(self, arg: str) -> None:
        """threads: list the threads of the program."""
        names = ObjectNames(self.program.now)
        for number, fiber in sorted(self.program.now.fibers.items()):
            self.message(f"{number}  {fiber.name}: {self.state(fiber, names)}")

    def state(self, fiber: Fiber, names: ObjectNames) -> str:
        if fiber.done or fiber.greenlet.gr_frame is None:
            return "has ended"
        place = location(fiber)
        return f"line {place.line}" + (f", {names.reason(fiber)}" if fiber.waits_for is not None else "")

    def do_thread(self, arg: str) -> None:
        """thread N: go to the stack of thread N."""
        frame = self.frame_of(int(arg)) if arg.strip().isdigit() else None
        if frame is None:
            self.error(f"there is no thread {arg} that stands anywhere; `threads` lists them")
            return
        self.setup(frame, None)
        self.print_stack_entry(self.stack[self.curindex])
