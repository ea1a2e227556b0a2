"""Where a program can show more than interleavings: accesses that are weaker than seq_cst, and that nothing orders.

SOUND: a program of which no such access is found in any interleaving has no other behaviours (atomic.c in the runtime
says by which theorem).  Where one is found there may be others, which nobody has explored.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .constants import RACE_UPDATE, RACE_WEAK, RACE_WEAK_SHIFT, RACE_WRITE
from .known import debug_of
from .wire import Weak

ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
EXPLORED = "explored under sequential consistency only (--memory sc takes that as enough)"


def _words(how: int) -> str:
    kind = "update" if how & RACE_UPDATE else "store" if how & RACE_WRITE else "load"
    return f"atomic {kind} ({ORDERS[5 - ((how & RACE_WEAK) >> RACE_WEAK_SHIFT)]})"


def describe_weak(found: Sequence[Weak], executable: Path) -> str:
    """Why `holds` would be too much; empty if nothing was found."""
    if not found:
        return ""
    debug, calls = debug_of(executable), {w.pc: w.calls for w in found}
    first = next((w for w in found if w.how & RACE_WEAK), found[0])
    one, other = ((how, pc) for how, pc in ((first.how, first.pc), (first.other_how, first.other_pc)))
    if not first.how & RACE_WEAK:
        one, other = other, one
    mine, its = (f"{_words(how)}{debug.users_place(pc, calls.get(pc, ()))}" for how, pc in (one, other))
    places = {pc for w in found for pc, how in ((w.pc, w.how), (w.other_pc, w.other_how)) if how & RACE_WEAK}
    more = f", and {len(places) - 1} more such" if len(places) > 1 else ""
    return f"{mine}, which nothing orders against the {its} of another thread{more}: {EXPLORED}"
