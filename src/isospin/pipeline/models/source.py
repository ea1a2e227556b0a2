"""From a file or a text to a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...core.deadline import stretch
from ...core.depth import room
from ...core.errors import InternalError, UsageError, shown
from ...core.files import read_text
from ...core.model import Model
from ...semantics import spec
from ..kind_options import refuse
from ..kinds import is_text, kind_of


def load(
    source: str | Path, defines: tuple[str, ...] = (), ltl: str | None = None, processes: int | None = None,
    include: tuple[str, ...] = (), claim: str | None = None,
) -> Model:  # fmt: skip
    """Read a model from a file, or from Promela text (anything with a line break or a brace in it).

    `ltl` is the name of a claim of the model, or a formula, which becomes a claim with its own text for a name;
    `processes` is the size of a pointer automaton, `include` are further folders of files that are included,
    `claim` is a file with an automaton, which becomes a never claim.
    """
    given = {"defines": defines, "include": include, "ltl": ltl, "processes": processes, "claim": claim}
    with room(), stretch("reading the model"):
        return _read_model(source, given)


def _read_model(source: str | Path, options: dict[str, Any]) -> Model:
    kind = kind_of(source)
    if kind.is_program:
        raise UsageError(f"{shown(str(source))} is a program: that is what `isospin check` and `replay` are for")
    text, file = (str(source), "<text>") if is_text(source) else (read_text(Path(source)), str(source))
    refuse(kind, options)
    if options["claim"] is not None:
        from .automata import with_automaton

        return checked(with_automaton(kind, text, file, options))
    return checked(kind.read_model(text, file, options))


def checked(model: Model) -> Model:
    if wrong := spec.problems(model):
        raise InternalError("the front end made a model that is not well formed: " + "; ".join(wrong[:5]))
    return model
