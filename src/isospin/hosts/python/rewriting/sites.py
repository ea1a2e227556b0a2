"""Places in the source of a program."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, NamedTuple

TARGET = 0  # the call of a thread's target, if that is no function of the user
INSIDE = 1  # a library's own access to what a program can see


class Site(NamedTuple):
    """A place in the source where something shared may be accessed."""

    file: str
    line: int
    column: int
    text: str
    function: str = ""


class Sites:
    """All places of all modules; they keep their numbers when a module is rewritten again."""

    def __init__(self) -> None:
        self.places: list[Site] = []
        self.numbers: dict[tuple[Site, str, int], int] = {}
        self.blocks: dict[str, list[tuple[int, int]]] = {}  # by file: where something is held that no variable names
        self.first_calls: dict[str, dict[Any, str]] = {}  # by file: see `syntax.first_calls`
        self.addressed = False  # a module asks for id() or hash()
        self.looks_inside = False  # a module uses the lock or the container of a queue
        self.add(Site("-", 0, 0, "the function that a thread calls"), "Thread", 0)
        self.add(Site("-", 0, 0, "inside the library"), "Library", 0)

    def add(self, place: Site, kind: str, count: int) -> int:
        number = self.numbers.setdefault((place, kind, count), len(self.places))
        if number == len(self.places):
            self.places.append(place)
        return number


HOOKED: set[str] = set()  # files whose code has hooks


def is_users_frame(frame: Any) -> bool:
    """Is this a frame of a function of the user, rewritten?"""
    return "_iso_module" in frame.f_builtins and frame.f_code.co_filename in HOOKED


def users_line() -> str:
    """The line of the user's program that is being executed."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_users_frame(frame):
        frame = frame.f_back
    return "somewhere" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
