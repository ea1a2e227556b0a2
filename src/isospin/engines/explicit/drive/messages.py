"""What a checker says: JSON lines become messages with types, here and nowhere else.

`docs/develop/wire.md` describes the protocol; runtime/core/report.c and runtime/search/checkpoint.c write the lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ....core.records import dataclass
from ....core.trace import Choice, FoldedChoice
from ..constants import Overflow, OverflowKind, RunKind


class FoundPath(NamedTuple):
    """Something is wrong at the end of a path."""

    initial: int  # number of the state where it starts
    path: tuple[FoldedChoice, ...]
    moves: int  # an atomic sequence is one


class ClaimRun(NamedTuple):
    """A run that violates the claim."""

    what: RunKind
    initial: int
    path: tuple[FoldedChoice, ...]
    cycle: int | None  # how many of the choices come before the cycle


class Refused(NamedTuple):
    """The search that was to go on cannot."""

    why: str


class Warned(NamedTuple):
    """Something that the user should know, in words."""

    text: str


class Saved(NamedTuple):
    """A checkpoint was written."""

    depth: int


@dataclass(frozen=True)
class Counts:
    """How far the search is: a sign of life, and what is known of a checker that vanishes."""

    states: int = 0
    transitions: int = 0
    depth: int = 0
    queue: int = 0
    memory: int = 0


@dataclass(frozen=True)
class EndMessage(Counts):
    """The last message."""

    end: str = ""  # of constants.EndReason, or a text for the user
    peak: int = 0
    cpu: float = 0.0
    cut: int = 0  # of constants.Cut
    overflow: Overflow | None = None
    omission: float | None = None  # the probability, in an inexact search
    sample: tuple[int, ...] = ()  # the least hashes of the states of a bit-state search with a seed
    orbits: int | None = None
    executed: frozenset[int] = frozenset()


Message = FoundPath | ClaimRun | Refused | Warned | Saved | Counts


def understood(line: str) -> Message | None:
    """A line that the checker wrote, as one of the messages above; None: it died while it wrote, and its launcher went
    on with a text of its own.  SOUND: then there is no last message."""
    try:
        said = json.loads(line)
    except ValueError:
        return None
    if "finding" in said:
        return FoundPath(said["initial"], tuple(map(_folded_choice, said["path"])), said["moves"])
    if "run" in said:
        path = tuple(map(_folded_choice, said["path"]))
        return ClaimRun(RunKind(said["run"]), said["initial"], path, said.get("cycle"))
    if "refused" in said:
        return Refused(said["refused"])
    if "warning" in said:
        return Warned(said["warning"])
    if "saved" in said:
        return Saved(said["saved"])
    return _ended(said) if "end" in said else Counts(**_counts(said))


def _counts(said: Mapping[str, Any]) -> dict[str, int]:
    return {name: said[name] for name in ("states", "transitions", "depth", "queue", "memory")}


def _ended(said: Mapping[str, Any]) -> EndMessage:
    """The last message, with what did not fit if the layout was too small."""
    kind, where, what = said.get("overflow", (0, 0, 0))
    return EndMessage(
        **_counts(said), end=said["end"], peak=said["peak"], cpu=said["cpu"], cut=said["cut"],
        overflow=Overflow(OverflowKind(kind), where, what) if kind else None, omission=said.get("omission"),
        sample=tuple(said.get("sample", ())), orbits=said.get("orbits"), executed=frozenset(said.get("executed", ())),
    )  # fmt: skip


def _folded_choice(step: list[Any]) -> FoldedChoice:
    """Process, action, perhaps those of the partner, or the slot that `new` used again; perhaps the permutation that
    was applied then."""
    permutation = tuple(step.pop()) if isinstance(step[-1], list) else None
    if len(step) == 5:
        return FoldedChoice(Choice(step[0], step[1], reuse=step[4]), permutation)
    return FoldedChoice(Choice(*(*step, None, None)[:4]), permutation)
