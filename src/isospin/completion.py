"""Completion for shells, written from the arguments themselves by `shtab`; what is ours are the endings of files."""

from __future__ import annotations

import argparse
from typing import Any

import shtab

from .pipeline.kinds import endings

SHELLS = ("bash", "zsh", "fish")
MODELS, PROGRAMS = (tuple(e[1:] for e in endings(programs)) for programs in (False, True))
ENDINGS: dict[str, tuple[str, ...]] = {"sources": (*MODELS, *PROGRAMS), "traces": ("json",)}


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The completion script of `parser` for a shell."""
    for below in commands(parser).values():
        for action in below._actions:
            if (kind := _files_of(action)) is not None:
                action.complete = pattern(kind)  # type: ignore[attr-defined]
    return shtab.complete(parser, shell=shell, preamble=_preamble(shell))


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (found,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(found.choices)


def _files_of(action: argparse.Action) -> str | None:
    """Which files an argument names; None if it names none."""
    metavar = str(action.metavar or "")
    if action.dest == "file" and not action.option_strings:
        return "sources"
    if action.dest == "trace" and not action.option_strings:
        return "traces"
    if metavar.startswith("DIR"):
        return "directory"
    return "file" if "FILE" in metavar or metavar.endswith((".json", ".html")) else None


def pattern(kind: str) -> Any:
    if kind == "file":
        return shtab.FILE
    if kind == "directory":
        return shtab.DIRECTORY
    globs = "|".join(ENDINGS[kind])
    return {"bash": f"_isospin_{kind}", "zsh": f"_files -g '*.({globs})'", "fish": f"(_isospin_{kind})"}


def _preamble(shell: str) -> str:
    """The functions that `pattern` names."""
    write = {"bash": _bash_function, "fish": _fish_function}.get(shell)
    return "" if write is None else "\n".join(write(kind, endings) for kind, endings in ENDINGS.items())


def _bash_function(kind: str, endings: tuple[str, ...]) -> str:
    """Files with these endings, and directories, through which one gets there."""
    files = "\n".join(f"  compgen -f -X '!*.{ending}' -- \"$1\"" for ending in endings)
    return f'_isospin_{kind}() {{\n  compgen -d -S / -- "$1"\n{files}\n}}\n'


def _fish_function(kind: str, endings: tuple[str, ...]) -> str:
    wanted = "|".join(endings)
    return (
        f"function _isospin_{kind}\n"
        f"  __fish_complete_path (commandline -ct) | string match -r '^.*(?:\\.(?:{wanted})|/)(?:\\t.*)?$'\nend\n"
    )
