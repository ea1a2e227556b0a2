"""Are the numbers of processes seen by anybody?  Where not, it does not matter in which order they are born and die.

Reference: Holzmann, The SPIN Model Checker (2004), chapter 7, for what a number is: that of the next free place, and
only the youngest process can leave.
Differs: we ask what a model can notice of it.

Why it is right.  A number is seen through `_pid`, what `run` returns, `_nr_pr`, and references to a process from
outside; the number of a channel that a process makes through computing with it, or by keeping its name longer than the
channel is there.  SOUND: in a model with nothing of this, take two states that differ in the numbers of processes that
were started, and in those of their channels, and in nothing else.  What one can do the other can do, with the same
errors, and they still differ in nothing else: numbers are a bisimulation.  A process that has come to its end does
nothing but leave, and nobody can tell whether it has: those who know its channels were started by it, so they left
before.  `timeout` would tell (somebody can still leave), and so does the end of a trace assertion.

A symmetry keeps this: what differs in numbers only differs in numbers only when both are renamed.  So "the image of a
state that differs in numbers only" is a bisimulation, too, and the arguments about shortest runs in `ample.py` hold on
quotients: they ask for the lengths of runs and for their errors, and for nothing else.
"""

from __future__ import annotations

from ..core.model import (
    AtLabel,
    Binary,
    ChannelTest,
    Const,
    Enabled,
    Expr,
    LastPid,
    LocationOf,
    Model,
    NonProgress,
    Place,
    Poll,
    Priority,
    ProcessCount,
    RemoteRead,
    Run,
    Self,
    Timeout,
)
from ..semantics.walk import children, parts_of
from .footprint import all_expressions
from .queues import ChannelValues, is_channel

_TELLING = (
    Self, ProcessCount, RemoteRead, AtLabel, LocationOf, Enabled, LastPid, Priority, NonProgress, Timeout,
)  # fmt: skip


def numbers_are_unseen(model: Model) -> bool:
    """Does the model start processes, and can nobody tell their numbers?"""
    runs = [s for t in model.templates for a in t.actions for s in parts_of(a.step) if isinstance(s, Run)]
    if not runs or any(run.into is not None for run in runs):
        return False
    if model.claims or model.invariants or model.monitor is not None or any(v.owned for v in model.globals):
        return False
    if model.uses_priority or model.uses_last or any(t.provided is not None for t in model.templates):
        return False
    if any(isinstance(e, _TELLING) or _computes_with_channels(e) for e in all_expressions(model)):
        return False
    return not ChannelValues(model).outlasting


def _computes_with_channels(e: Expr) -> bool:
    """Does it look at the number of a channel otherwise than to ask whether two names mean the same one?"""
    if isinstance(e, ChannelTest | Poll):
        return False  # what is in it
    parts = list(children(e))
    if not any(map(_is_channel, parts)):
        return False
    same = isinstance(e, Binary) and e.op in ("==", "!=")
    return not (same and all(_is_channel(part) or (isinstance(part, Const) and part.value == 0) for part in parts))


def _is_channel(e: Expr) -> bool:
    return isinstance(e, Place) and is_channel(e.variable)
