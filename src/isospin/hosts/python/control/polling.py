"""Loops that look again and again, and count how often: each turn leaves another state, so there is no end of them.

A turn that leaves everything as it was is repeated only when something has changed (`loops.py`).  One that counts is
repeated a few times; then the thread lets the others go on until one of them changes what it looked at, or none can.
SOUND: that leaves out the schedules in which it goes round more often meanwhile, so the search is bounded, and says so.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ....engines.stateless.protocol import Op
from .kernel import Kernel
from .notes import OUTSIDE
from .records import Fiber, SharedPlace, Turn, Watched

MOST_TURNS = 10  # of a loop that sleeps, or was seen to wait for others
MOST_BUSY_TURNS = 2000  # of one that may as well compute something
MOST_ROUNDS = 200  # that it may wait for others, and go on because they cannot
MOST_CHANGED = 500  # things that a package may look at before it sleeps again


def changed(watched: Watched) -> bool:
    """Has somebody changed something of it?"""
    return any(what.version != version for what, version in watched)


def watch(kernel: Kernel, read: Watched) -> Watched:
    """What was read, each thing once, with its first version; from now on it is watched."""
    seen: dict[int, tuple[Any, int]] = {}
    for what, version in read:
        seen.setdefault(id(what), (what, version))
    for what, _ in seen.values():
        _expose(kernel, what)
    return list(seen.values())


def _expose(kernel: Kernel, what: Any) -> None:
    """SOUND: whoever changes what a loop waits for does it by a visible operation."""
    if isinstance(what, SharedPlace):
        kernel.memory.learnt.awaited.add(what.name)
        for _, site in what.writes:
            kernel.objects.share(site)


def polled(kernel: Kernel, me: Fiber, site: int, last: Turn) -> int:
    """One more turn: how many there were in a row in which nobody else changed anything that was looked at."""
    looked = [(what, version) for what, version in me.read_log[last.reads :] if not _is_private(what, me.who)]
    if any(what.version != version for what, version in looked):
        return 0
    sleeps = me.slept > last.slept
    if not sleeps and not looked:
        return 0
    known, learnt = kernel.memory.known.polling, kernel.memory.learnt
    most = MOST_TURNS if sleeps or site in known else MOST_BUSY_TURNS
    if last.idle + 1 < most or not (me.daemon or _others(kernel, me)):
        return last.idle + 1
    if site not in known:
        learnt.polling.add(site)
        kernel.memory.learn()
    _give_way(kernel, me, watch(kernel, looked))
    return 0


def _is_private(what: Any, tid: int) -> bool:
    """Did nobody but this thread ever change it, as a counter of its own?"""
    return isinstance(what, SharedPlace) and bool(what.writes) and all(writer == tid for writer, _ in what.writes)


def _others(kernel: Kernel, me: Fiber) -> list[Fiber]:
    return [kernel.fibers[t] for t in kernel.pending if t != me.tid]


def _give_way(kernel: Kernel, me: Fiber, watched: Watched) -> None:
    """Let the others go on until one of them changes something of it, or none can."""
    op = Op("poll", reads=frozenset(what.name for what, _ in watched), waits=True)
    me.waits_for = ("await", [what for what, _ in watched])
    me.gives_way = True
    kernel.visit(op, lambda: changed(watched) or _is_needed(kernel, me))
    if not changed(watched):
        me.rounds += 1
    me.gives_way, me.waits_for = False, None


def give_way_to_all(kernel: Kernel, me: Fiber) -> bool:
    """The same for a package that sleeps, of which nobody knows what it looks at: it may be whatever is changed.  Has
    something happened?"""
    before = _done_by_others(kernel, me)
    me.gives_way = True
    known, learnt = kernel.memory.known, kernel.memory.learnt
    names = frozenset([kernel.objects.record(OUTSIDE).name, *known.changed])
    op = kernel.memory.op("sleep", lambda: Op("sleep", reads=names, waits=True))
    kernel.visit(op, lambda: _done_by_others(kernel, me) != before or _is_needed(kernel, me))
    news = _done_by_others(kernel, me) != before
    me.rounds += not news
    me.gives_way = False
    if not _changed(kernel) <= known.changed and len(known.changed) < MOST_CHANGED:
        learnt.changed |= _changed(kernel)
        kernel.memory.learn()
    return news


def _changed(kernel: Kernel) -> set[Hashable]:
    """What visible operations of this search have changed so far."""
    places = [place for record in kernel.objects.records.values() for place in record.places.values()]
    seen = {p.name for p in places if any(site in kernel.objects.shared for _, site in p.writes)}
    return seen.union(*(op.writes for op in kernel.memory.ops.values()))


def _done_by_others(kernel: Kernel, me: Fiber) -> int:
    return sum(f.effects + f.finished for f in kernel.fibers.values() if f is not me)


def _is_needed(kernel: Kernel, me: Fiber) -> bool:
    """Can nobody else go on?  A daemon need not, and what went round for so long without avail is left alone."""
    if me.rounds >= MOST_ROUNDS or (me.daemon and all(f.daemon for f in _others(kernel, me))):
        return False
    waiting = kernel.waiting
    return all(f.gives_way or (f.tid in waiting and not waiting[f.tid]()) for f in _others(kernel, me))


def is_left_alone(fiber: Fiber) -> bool:
    """Does it go round a loop that was not followed any further?"""
    return fiber.gives_way and fiber.rounds >= MOST_ROUNDS
