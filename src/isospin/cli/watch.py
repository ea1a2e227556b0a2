"""`isospin check --watch`: check again whenever a source changes.

What a check reads is known to nobody before it has read it (includes, headers, imports), so all sources in the folders
of the files that were given are looked at, and those that `--include` names.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable
from copy import copy
from pathlib import Path

from ..pipeline.kinds import endings
from .screen import HOLDS, console

INTERVAL = 0.2  # seconds between two looks
SOURCES = (*endings(programs=False), *endings(programs=True), ".h", ".hh", ".hpp", ".inc")

Seen = dict[str, tuple[int, int]]  # by file: when it was changed, and its size


def watch(args: argparse.Namespace, check: Callable[[argparse.Namespace], int]) -> int:
    """Check, wait for a change, check again; the status of the last check when somebody ends it."""
    status, before = HOLDS, _look(args)
    while True:
        status = check(copy(args))
        try:
            console(args).print("waiting for a change; Ctrl-C ends", style="dim")
            sys.stdout.flush()
            before, changed = _wait(args, before)
        except KeyboardInterrupt:
            return status
        console(args).rule(f"{time.strftime('%H:%M:%S')} {', '.join(changed)}")


def _wait(args: argparse.Namespace, before: Seen) -> tuple[Seen, list[str]]:
    """What there is after the next change, and what it was.  A file that is being written is waited for."""
    while True:
        now = _look(args)
        if now != before:
            while (later := _slowly(args)) != now:
                now = later
            changed = sorted(name for name in {*now, *before} if now.get(name) != before.get(name))
            if changed:
                return now, [os.path.basename(name) for name in changed]
        time.sleep(INTERVAL)


def _slowly(args: argparse.Namespace) -> Seen:
    time.sleep(INTERVAL)
    return _look(args)


def _look(args: argparse.Namespace) -> Seen:
    found: Seen = {}
    for path in _sources(args):
        try:
            status = path.stat()
        except OSError:  # it went away meanwhile
            continue
        found[str(path)] = (status.st_mtime_ns, status.st_size)
    return found


def _sources(args: argparse.Namespace) -> Iterable[Path]:
    given = [Path(name) for name in (args.file, *args.more)]
    yield from given
    for folder in {*(path.parent for path in given), *map(Path, args.include)}:
        try:
            yield from (path for path in folder.iterdir() if path.name.endswith(SOURCES))
        except OSError:
            continue
