"""Libraries that look at the stack: who called them, and where from.

`namedtuple` asks its caller for the name of its module, `warnings` and `logging` go up a number of frames.  Our frames
between the program and the library must not count: the last one before a library has the globals of the program, and
all of them have the name of a file that these libraries skip, as they do for the import system.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any

from ..rewriting.sites import is_users_frame

HIDDEN = "<importlib _bootstrap> isospin"


def through(function: Any, arguments: Any, keywords: Any) -> Any:
    """As it stands: other code is put into its place, to look like the program's."""
    return function(*arguments, **keywords)


THROUGH = through.__code__.replace(co_filename=HIDDEN)


def hide(function: Callable[..., Any]) -> None:
    """This function of ours stands between two of the program's."""
    function.__code__ = function.__code__.replace(co_filename=HIDDEN)


def called_from_the_program(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call a function so that it sees the program's frame as its caller's."""
    found = caller(sys._getframe(1))
    if found is None:
        return function(*arguments, **keywords)
    return FunctionType(THROUGH, found.f_globals)(function, arguments, keywords)


def caller(frame: FrameType | None, depth: int = 0) -> FrameType | None:
    """The frame of the program that is so many calls up from here."""
    while frame is not None:
        if is_users_frame(frame):
            if depth == 0:
                return frame
            depth -= 1
        frame = frame.f_back
    return None


def get_frame(depth: int = 0, /) -> FrameType:
    """`sys._getframe` for a program, without our frames."""
    found = caller(sys._getframe(1), depth)
    if found is None:
        raise ValueError("call stack is not deep enough")
    return found


hide(called_from_the_program)
