"""What this process has used."""

from __future__ import annotations

import resource


def peak_memory() -> int:
    """The most bytes of memory that this process has used so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def seconds_spent(*who: int) -> float:
    """Seconds of CPU that this process and its children, or some of them, have used so far."""
    used = [resource.getrusage(w) for w in who or (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)
