"""The numbers and words that the explicit engine and its runtime in C share."""

from __future__ import annotations

from enum import IntEnum, IntFlag, StrEnum
from typing import NamedTuple

from ...core import c_header

MOST_ALIVE = 255  # processes, and channels: their numbers are bytes
WHERE = 1 << 16  # a place that two numbers name is one number: first * WHERE + second
SITE_NONE, SITE_LAYOUT = 0, 1  # where something went wrong: nowhere; the layout was too small


class OverflowKind(IntEnum):
    """What does not fit into the layout of the states."""

    GLOBAL = 1
    LOCAL = 2
    FIELD = 3
    PROCESSES = 4
    TEMPLATE = 5
    CHANNELS = 6
    TYPE = 7
    OBJECT = 8
    SAVED = 9
    OBJECTS = 10
    DEPTH = 11
    FIXED = 13  # nothing is too small, but a variable that seemed to be fixed is not
    PIDS = 12  # nothing is too small, but pids are used again: states must be folded with more caution


class Cut(IntFlag):
    """A bound behind which nothing was seen."""

    OBJECTS = 1
    CALLS = 2


class EndReason(StrEnum):
    """Why a search ended; a text that is none of these is for the user."""

    COMPLETE = ""
    VIOLATION = "violation"
    STATES = "states"
    DEPTH = "depth"
    TIME = "time"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"
    OVERFLOW = "overflow"


class RunKind(StrEnum):
    """How a run violates a claim: it goes round for ever, it ends, or the claim has no value there."""

    CYCLE = "cycle"
    FINAL = "final"
    FAULT = "fault"


class Cycles(IntEnum):
    """Which cycles through a state of a claim's automaton accept."""

    NO_CYCLE = 0
    SOME_CYCLES = 1
    EVERY_CYCLE = 2


class AmpleFlag(IntFlag):
    """What partial orders know of a location."""

    MAY_BE_AMPLE = 1
    HAS_NO_CHOICE = 2


class Overflow(NamedTuple):
    """The layout was too small for this: which one, and what it would have to hold."""

    kind: OverflowKind
    where: int
    what: int


def header() -> str:
    """All of the above as a C header; the runtime has no other definition of them."""
    return c_header.header(
        c_header.numbers(MOST_ALIVE=MOST_ALIVE, WHERE=WHERE, SITE_NONE=SITE_NONE, SITE_LAYOUT=SITE_LAYOUT),
        c_header.enumeration(OverflowKind, "OVERFLOW_"),
        c_header.enumeration(Cut, "CUT_"),
        c_header.words(EndReason, "END_"),
        c_header.words(RunKind, "RUN_"),
        c_header.enumeration(Cycles),
        c_header.enumeration(AmpleFlag),
    )
