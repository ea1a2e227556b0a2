"""Nobody can go on: who waits for whom, and what to call it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from ....core.errors import NOWHERE, Location
from ....core.trace import Wait
from ....engines.stateless.protocol import Found, Op
from ..rewriting.sites import is_users_frame
from ..stdlib.sync import Condition, Lock, Sync
from ..stdlib.threads import ThreadEnd
from .kernel import Kernel
from .polling import is_left_alone
from .records import Fiber, ObjectRecord, SharedPlace, place_text


def describe_stuck(kernel: Kernel) -> Found | None:
    """None if all threads that matter have ended: those that are daemons may wait for ever."""
    waiting = kernel.living() if kernel.pending else []
    if not waiting or all(f.daemon for f in waiting) or any(is_left_alone(f) for f in waiting):
        return None
    named = ObjectNames(kernel)
    message = "; ".join(f"{f.name} {named.reason(f)}" for f in waiting)
    main = next((f for f in waiting if not _is_join(f) and not f.daemon), waiting[0])
    waits = tuple(Wait(f.tid, f.name, named.reason(f), tuple(named.whom(f))) for f in waiting)
    return Found(kind(waiting), message, location(main), main.tid, waits=waits)


def kind(waiting: list[Fiber]) -> str:
    """A thread that goes round a loop until something changes waits like any other; if it looks at nothing, it is not
    dead, but will not end either."""
    first = [f for f in waiting if not _is_join(f) and not f.daemon] or waiting
    unheard = any(isinstance(f.waits_for, Condition) and f.waits_for.unheard for f in first)
    if unheard:
        return "lost-wakeup"
    return "divergence" if all(f.waits_for == ("await", []) for f in first) else "deadlock"


def _is_join(fiber: Fiber) -> bool:
    return isinstance(fiber.waits_for, tuple) and fiber.waits_for[0] in ("join", "futures")


def location(fiber: Fiber) -> Location:
    """The line of the user's code at which a thread stands."""
    frame = fiber.greenlet.gr_frame
    while frame is not None:
        if is_users_frame(frame):
            return Location(frame.f_code.co_filename, frame.f_lineno, 1)
        frame = frame.f_back
    return NOWHERE


class ObjectNames:
    """Names for objects, as a reader of the program would call them."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.known: dict[int, str] = {}
        self.objects: dict[Hashable, str] = {}  # by what operations call them
        for which in ("f_globals", "f_locals"):
            for fiber in kernel.fibers.values():
                self.collect_frames(fiber, which)
        for record in list(kernel.objects.records.values()):
            self.collect_record(record)

    def collect_frames(self, fiber: Fiber, which: str) -> None:
        frame = None if fiber.done else fiber.greenlet.gr_frame
        while frame is not None:
            if is_users_frame(frame):
                self.collect(getattr(frame, which), "{}")
            frame = frame.f_back

    def collect_record(self, record: ObjectRecord) -> None:
        inner = getattr(record.thing, "__dict__", None)
        if isinstance(inner, dict) and not isinstance(record.thing, type):
            self.collect(inner, f"{type(record.thing).__name__}.{{}}")

    def collect(self, values: dict[str, Any], form: str) -> None:
        """Names for the locks and the like among these variables, and in lists of them."""
        for name, value in values.items():
            if name.startswith("_"):
                continue
            if isinstance(value, Sync):
                self.call(value, form.format(name))
            elif type(value) in (list, tuple):
                for index, part in enumerate(value):
                    if isinstance(part, Sync):
                        self.call(part, f"{form.format(name)}[{index}]")

    def call(self, thing: Sync, name: str) -> None:
        self.known.setdefault(id(thing), name)
        self.objects.setdefault(thing.name, name)

    def touched_by(self, op: Op) -> str:
        """The locks and the like that an operation is about, if they have names."""
        return ", ".join(self.objects[each] for each in self.objects if each in op.reads or each in op.writes)

    def of(self, thing: Any) -> str:
        """What the user calls it, or its kind."""
        kind = type(thing).__name__
        if id(thing) in self.known:
            return f"{kind} {self.known[id(thing)]}"
        return f"{'an' if kind[0] in 'AEIO' or kind == 'RLock' else 'a'} {kind}"

    def reason(self, fiber: Fiber) -> str:
        """What a fiber waits for, in words: object, owner, line."""
        what = fiber.waits_for
        line = location(fiber).line
        at = f" (line {line})" if line else ""
        if isinstance(what, tuple) and what[0] == "join":
            return f"waits for the end of {', '.join(f.name for f in what[1] if not f.finished)}{at}"
        if isinstance(what, tuple) and what[0] == "futures":
            return f"waits for {len(what[1])} futures{at}"
        if isinstance(what, tuple):
            return f"goes round a loop until {self.places(what[1])} changes{at}"
        if isinstance(what, Lock) and what.owner is not None:
            owner = "itself" if what.owner is fiber else what.owner.name
            return f"waits for {self.of(what)}, held by {owner}{at}"
        if isinstance(what, Condition):
            heard = " (a notification came when nobody waited)" if what.unheard else ""
            return f"waits to be notified by {self.of(what)}{heard}{at}"
        return f"waits for {self.of(what)}{at}" if what is not None else f"waits{at}"

    def whom(self, fiber: Fiber) -> Iterator[tuple[int, str]]:
        """Who could let it go on, and what connects the two."""
        what = fiber.waits_for
        if isinstance(what, tuple) and what[0] == "join":
            yield from ((f.tid, "its end") for f in what[1] if not f.finished)
        elif isinstance(what, Lock) and what.owner is not None:
            yield what.owner.tid, self.of(what)

    def places(self, whats: list[Any]) -> str:
        """What would have to change, for people."""

        def name(what: Any) -> str:
            if isinstance(what, ThreadEnd):
                return str(what.fiber.name)
            return place_text(what) if isinstance(what, SharedPlace) else self.of(what)

        found = map(name, whats)
        return " or ".join(dict.fromkeys(found)) or "nothing"
