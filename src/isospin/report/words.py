"""The kinds of violations in words, and how a trace ends: what several reports say alike."""

from __future__ import annotations

from ..core.trace import Trace

KINDS: dict[str, str] = {
    "assertion": "an assertion fails",
    "deadlock": "nobody can move, and not everybody is at an end",
    "acceptance-cycle": "a run for ever that the property forbids",
    "non-progress-cycle": "a run for ever that passes no progress label",
    "claim": "a run that the never claim forbids",
    "event-trace": "messages in an order that the trace assertion forbids",
    "invariant": "an invariant is broken",
    "out-of-range": "an index or a value out of range",
    "division-by-zero": "a division by zero",
    "channel-misuse": "a channel is used in a way that it does not allow",
    "too-many-processes": "more processes than there can be",
    "null-dereference": "a null pointer is followed",
    "use-after-delete": "a pointer to a deleted object is followed",
    "double-delete": "an object is deleted twice",
    "leak": "an object is lost",
    "race": "two threads use the same memory at once, and one of them writes",
    "exception": "an exception that nobody caught",
    "crash": "the program crashed",
    "divergence": "a thread runs on without a visible operation",
    "lost-wakeup": "a thread waits for a notification that was given before it waited",
    "lock-misuse": "a lock is used by who does not hold it, or twice",
    "use-after-free": "memory is used after it was freed",
    "double-free": "memory is freed twice",
    "invalid-free": "an address is freed that no allocation returned",
    "out-of-bounds": "memory of the heap is used that is in no block",
}


MOST_RENAMED = 4  # objects that are told by name


def cycle_words(trace: Trace) -> str:
    """How a run that does not end goes on."""
    start, length = trace.cycle_start or 0, len(trace.steps)
    if start == length:
        return "the run ends here, and stays in its last state for ever"
    which = f"step {length} is" if start + 1 == length else f"steps {start + 1} to {length} are"
    return f"{which} repeated for ever{_renamed_words(trace.renamed)}"


def _renamed_words(renamed: tuple[tuple[str, str], ...]) -> str:
    """Which objects stand in whose places when a cycle begins again."""
    if not renamed:
        return ""
    told = [f"{new} in the place of {old}" for old, new in renamed[:MOST_RENAMED]]
    more = [f"{len(renamed) - MOST_RENAMED} more"] if len(renamed) > MOST_RENAMED else []
    return f", each time with other objects: {', '.join([*told, *more])}"


def factor_words(factor: float) -> str:
    """How many times fewer: `24`, `3.6`."""
    return f"{factor:,.1f}".removesuffix(".0")


def memory_words(memory: str) -> str:
    """Behind `holds`: under which memory model, if one was asked for."""
    named = {"sc": "sequential consistency", "tso": "x86-TSO", "rc11": "the memory model of C (RC11)"}
    return f" under {named[memory]}" if memory in named else ""
