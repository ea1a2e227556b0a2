"""`isospin check models/*.pml`: several models or Python programs, one after the other."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from copy import copy

from ..core.errors import UsageError
from ..pipeline.kinds import kind_of
from ..pipeline.settings import OutputOptions
from .screen import HOLDS, INCOMPLETE, INTERNAL, USAGE, VIOLATED, console

BY_WEIGHT = (HOLDS, INCOMPLETE, VIOLATED, USAGE, INTERNAL)  # the status of several checks is the heaviest of theirs
FOR_ONE = ("json", "html", "trace", "spin_trail", "heap_dot", "sarif", "junit", "markdown", "checkpoint", "resume")


def is_several(args: argparse.Namespace) -> bool:
    """Are there several files, each to be checked by itself?  The files of a C program make up one."""
    if args.command != "check" or not args.more or args.build:
        return False
    return not any(kind_of(file).several for file in (args.file, *args.more))


def check_each(args: argparse.Namespace, check: Callable[[argparse.Namespace], int]) -> int:
    """Check one file after the other; the worst status counts."""
    for name in FOR_ONE:
        if getattr(args, name):
            option = OutputOptions.declared.get(name)
            written = option.written(name) if option else f"--{name}"
            raise UsageError(f"{written} is for one file; here are {1 + len(args.more)}")
    statuses = []
    for file in (args.file, *args.more):
        console(args).rule(file)
        one = copy(args)
        one.file, one.more = file, []
        statuses.append(check(one))
    return max(statuses, key=BY_WEIGHT.index)
