"""What an execution notes about the border of control, and about iterators: by name and type, for `border`, `hooking`.

Nothing of it decides who goes on; the scheduler does not know it.
"""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType

OUTSIDE = object()  # stands for all that unknown code may touch


class BorderNotes:
    """What left control in this execution, and what is known about the types that code without hooks is given."""

    __slots__ = ("changed_libraries", "connections", "constructors", "crossed", "has_own_seed", "noisy", "opaque",
                 "risky", "seen_weakly", "strange", "uncontrolled", "wrappers")  # fmt: skip

    def __init__(self) -> None:
        self.uncontrolled: dict[str, int | str] = {}  # calls that cannot be controlled, and where
        self.crossed: dict[str, int | str] = {}  # calls in which others might have run; see `border`
        self.risky: dict[str, int | str] = {}  # what makes attributes hard to follow, if there are several threads
        # SOUND: who had a weak reference could tell when the object ended, also if the reference is gone by now.
        self.seen_weakly: list[ReferenceType[Any]] = []
        self.connections: dict[int, tuple[Any, Any, bool]] = {}  # who made them, and do they wait; see `databases`
        self.has_own_seed = False  # the program has chosen its random numbers itself
        self.strange: dict[type, bool] = {}  # are such objects those of an unknown library?
        self.noisy: dict[type, bool] = {}  # do such objects make C code run Python code?
        self.opaque: dict[tuple[type, str], bool] = {}  # do items of such objects have no hooks?
        self.wrappers: dict[type, bool] = {}  # are such objects those of a library, with items?
        self.constructors: dict[type, Any] = {}  # what is known about them: a policy each
        self.changed_libraries: list[tuple[Any, str, Any]] = []  # their attributes before; see `libraries`

    def run_as_one_step(self, what: str, site: int | str) -> None:
        """Others might have come in between: what was found may be believed, that there is nothing else not."""
        self.crossed.setdefault(what, site)


class IteratorNotes:
    """Iterators over containers on their way through C code; see `iterators.py`."""

    __slots__ = ("drained", "drawn", "executing", "views")

    def __init__(self) -> None:
        self.views: dict[int, tuple[Any, Any]] = {}  # d.items() and the like, and the dictionary
        self.drawn: list[Any] = []  # those that the next draw comes to
        self.drained: list[Any] = []  # those that C code uses up
        self.executing: set[int] = set()  # generators
