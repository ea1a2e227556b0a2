"""What was made from a content is kept by that content, in the user's cache directory."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

MOST_KEPT = 400  # files in one directory


def cache_root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "isospin"


def digest(*parts: str | bytes) -> str:
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()[:32]


def tidy(directory: Path) -> None:
    """Remove what was not used for longest."""
    kept = []
    for path in directory.iterdir():
        try:
            if path.is_file():
                kept.append((path.stat().st_mtime, path))
        except OSError:
            continue
    kept.sort(reverse=True)
    for _, path in kept[MOST_KEPT:]:
        path.unlink(missing_ok=True)
