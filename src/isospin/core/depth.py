"""How deep a model may be nested.

Expressions and statements are trees, and whoever works on them goes down by recursion.  So the front ends refuse a tree
that is too high, with its place (`LEVELS`), and all that is done with a model is done with room for such a tree
(`room`): Python's own limit is for programs that recurse by mistake.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LEVELS = 500  # operators inside each other
BLOCKS = 100  # statements inside each other
_FRAMES = 12 * LEVELS  # of Python; the greediest needs ten for a level

_lock = threading.Lock()
_users = 0
_before = 0


@contextmanager
def room() -> Iterator[None]:
    """Room for recursion; what was allowed before is back when the last one leaves."""
    global _users, _before
    with _lock:
        if _users == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, _FRAMES))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setrecursionlimit(_before)
