"""Whose search a checkpoint is: the first line of the file, written by us, read before the checker sees the file.

The line has the key of the model and of this version, the options that decide what is searched, the values that did
not fit into the first layout (with them the layout of the saved states comes about again), and a digest of itself.  The
checker looks at the sum of the whole file, this line included, before it uses any of it.
"""

from __future__ import annotations

import json
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from ....core.cache import digest
from ....core.errors import UsageError
from ...contract import Question
from ..constants import Overflow, OverflowKind
from .build import runtime_text

MAGIC = "isospin checkpoint"
MANIFEST = "manifest"  # in the folder of a search by several processes
MOST_CHARACTERS = 100_000
OPTIONS = {
    "all_errors": "--all-errors", "no_deadlock": "--no-deadlock", "optimise": "--optimise", "symmetry": "--symmetry",
}  # fmt: skip


def _key(source: str) -> str:
    """`source` is what is generated for the first layout: all that the search depends on, and no names of files."""
    return digest(source, runtime_text())


def _options(question: Question, strategy: str) -> dict[str, Any]:
    """What must be the same when a search goes on."""
    return {
        "all_errors": question.all_errors,
        "no_deadlock": not question.deadlock,
        "optimise": question.optimise,
        "symmetry": strategy,
    }


def head(source: str, question: Question, strategy: str, overflows: list[Overflow]) -> str:
    """The first line of a checkpoint: what it belongs to, sealed."""
    chosen = _options(question, strategy)
    document = {"key": _key(source), "runtime": digest(runtime_text()), **chosen, "overflows": overflows}
    text = json.dumps(document)
    return f"{MAGIC} {text} {digest(MAGIC, text)}"


def head_of(path: str, by_ranks: bool = False) -> str:
    """The first line of the file of a search that is to go on; refuses what was not written by us."""
    if by_ranks != os.path.isdir(path):
        other = "a folder, of a search with --mpi" if not by_ranks else "no folder: the search was one without --mpi"
        raise UsageError(f"--resume {path}: this is {other}")
    line = _first_line(os.path.join(path, MANIFEST) if by_ranks else path)
    if not line.startswith(MAGIC):
        raise UsageError(f"--resume {path}: this is no checkpoint of isospin")
    found = re.fullmatch(rf"{MAGIC} (.*) ([0-9a-f]+)\n", line)
    if found is None or digest(MAGIC, found[1]) != found[2]:
        raise UsageError(f"--resume {path}: the file is damaged, or its first line was changed")
    return line.removesuffix("\n")


def overflows(line: str, source: str, question: Question, strategy: str) -> list[Overflow]:
    """What did not fit in the search that is to go on; refuses the file of any other search."""
    document = json.loads(line.removeprefix(MAGIC).rpartition(" ")[0])
    wrong = f"--resume {question.resume}:"
    if document.get("runtime") != digest(runtime_text()):
        raise UsageError(f"{wrong} the checkpoint was written by another version of isospin")
    for name, value in _options(question, strategy).items():
        if document.get(name) != value:
            raise UsageError(f"{wrong} the checkpoint is of a search with another {OPTIONS[name]}")
    if document.get("key") != _key(source):
        raise UsageError(f"{wrong} the checkpoint is of another model; was the model or a -D changed?")
    return [Overflow(OverflowKind(kind), where, what) for kind, where, what in document["overflows"]]


def _first_line(path: str) -> str:
    """The head of a checkpoint, which is JSON; a mistake of the user is told as one."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would let us wait for ever
            raise UsageError(f"--resume {path}: this is no regular file")
        with Path(path).open("rb") as file:
            return file.readline(MOST_CHARACTERS).decode(errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:  # a name with a NUL in it
        raise UsageError(f"cannot read {path!r}: {error}") from None


def check_place(path: str, by_ranks: bool = False) -> None:
    """A checkpoint takes the place of a file; never that of a device or a folder.  Several processes have a folder."""
    if by_ranks:
        _make_folder(path)
        return
    with suppress(OSError, ValueError):
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UsageError(f"--checkpoint {path}: this is there, and no regular file")


def _make_folder(path: str) -> None:
    """The folder of a search by several processes."""
    try:
        os.makedirs(path, exist_ok=True)
    except (OSError, ValueError) as error:
        raise UsageError(f"--checkpoint {path}: {getattr(error, 'strerror', None) or error}") from None


def sweep(path: str) -> None:
    """Remove what a search that was killed while it saved has left beside the file."""
    part = Path(f"{path}.part")
    with suppress(OSError, ValueError):
        if stat.S_ISREG(part.lstat().st_mode):
            with part.open("rb") as file:
                ours = file.read(len(MAGIC)) == MAGIC.encode()
            if ours:
                part.unlink()
