"""Files that a user gives us: read whole, if they are files at all, and shown only where that gives nothing away."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from .errors import UsageError, shown

MOST_BYTES = 1 << 28  # of one file: what is larger was not meant


def read_text(path: str | Path, signature: bool = True) -> str:
    """The text of a file, with a replacement for what is not UTF-8 (`signature`: a mark at its start is left out).

    UsageError says why there is none: a pipe or a device could keep us for ever, or give more than the memory holds.
    """
    name = shown(str(path))
    try:
        # O_NONBLOCK: opening a pipe does not wait for somebody who writes into it
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISDIR(status.st_mode):
                raise UsageError(f"cannot read {name}: Is a directory")
            if not stat.S_ISREG(status.st_mode):
                raise UsageError(f"cannot read {name}: it is no ordinary file, but a pipe or a device")
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from None
    except ValueError:  # a zero byte in the name
        raise UsageError(f"cannot read {name}: that is not a file name") from None
    if len(content) > MOST_BYTES:
        raise UsageError(f"cannot read {name}: it has more than {MOST_BYTES >> 20} MB")
    return content.decode("utf-8-sig" if signature else "utf-8", errors="replace").replace("\r\n", "\n")


def is_below(file: str, folders: Iterable[str]) -> bool:
    """Does the file really lie in one of the folders, or below it?"""
    try:
        real, roots = os.path.realpath(file), [os.path.realpath(folder or ".") for folder in folders]
        return any(os.path.commonpath([real, root]) == root for root in roots)
    except (OSError, ValueError):
        return False
