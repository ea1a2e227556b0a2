"""Whose search a checkpoint is: the first line of the file, written by us, read before the checker sees the file.

The line has the key of the model and of this version, the options that decide what is searched, and the values that did
not fit into the first layout: with them the layout of the saved states comes about again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

from ...errors import UsageError
from ..cache import digest
from ..contract import Question
from .build import runtime_text

Overflow: TypeAlias = tuple[int, int, int]
MAGIC = "isospin checkpoint"
MOST_CHARACTERS = 100_000
OPTIONS = {
    "all_errors": "--all-errors", "no_deadlock": "--no-deadlock", "optimise": "--optimise", "symmetry": "--symmetry",
}  # fmt: skip


def key(source: str) -> str:
    """`source` is what is generated for the first layout: all that the search depends on, and no names of files."""
    return digest(source, runtime_text())


def options(question: Question, strategy: str) -> dict[str, Any]:
    return {
        "all_errors": question.all_errors,
        "no_deadlock": not question.deadlock,
        "optimise": question.optimise,
        "symmetry": strategy,
    }


def head(source: str, question: Question, strategy: str, overflows: list[Overflow]) -> str:
    chosen = options(question, strategy)
    document = {"key": key(source), "runtime": digest(runtime_text()), **chosen, "overflows": overflows}
    return f"{MAGIC} {json.dumps(document)}"


def overflows(source: str, question: Question, strategy: str) -> list[Overflow]:
    """What did not fit in the search that is to go on; refuses the file of any other search."""
    document = read(question.resume or "")
    wrong = f"--resume {question.resume}:"
    if document.get("runtime") != digest(runtime_text()):
        raise UsageError(f"{wrong} the checkpoint was written by another version of isospin")
    for name, value in options(question, strategy).items():
        if document.get(name) != value:
            raise UsageError(f"{wrong} the checkpoint is of a search with another {OPTIONS[name]}")
    if document.get("key") != key(source):
        raise UsageError(f"{wrong} the checkpoint is of another model; was the model or a -D changed?")
    return [(kind, where, what) for kind, where, what in document["overflows"]]


def read(path: str) -> dict[str, Any]:
    try:
        with Path(path).open("rb") as file:
            line = file.readline(MOST_CHARACTERS)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    try:
        text = line.decode()
        document = json.loads(text.removeprefix(MAGIC)) if text.startswith(MAGIC) else None
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise UsageError(f"--resume {path}: this is no checkpoint of isospin")
    return document
