"""Where a program calls what nobody knows: functions of libraries, which are not compiled for control.

SOUND: what such a function touches while other threads could run is not seen, so orders may be missing
(runtime/strangers says when it is harmless).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .known import debug_of
from .wire import Stranger

UNSEEN = "a function of a library, ran beside other threads, and what it does to memory of the program is not seen"


def describe_strangers(found: Sequence[Stranger], executable: Path) -> str:
    """Why `holds` would be too much; empty if nothing was found."""
    if not found:
        return ""
    first, *others = found
    more = f" (and {len(others)} more: {', '.join(_readable(each.name) for each in others)})" if others else ""
    return f"{_readable(first.name)}{debug_of(executable).users_place(first.pc, first.calls)}, {UNSEEN}{more}"


def _readable(name: str) -> str:
    """The name of a C++ function as it is written, where the binutils are at hand."""
    if not name.startswith("_Z") or shutil.which("c++filt") is None:
        return name
    done = subprocess.run(["c++filt", "--no-params", name], capture_output=True, text=True, check=False)
    return done.stdout.strip() or name
