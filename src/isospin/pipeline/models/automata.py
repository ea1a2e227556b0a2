"""Automata of other tools as claims of a model, and formulas as automata for other tools."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...core.deadline import stretch
from ...core.depth import room
from ...core.errors import Diagnostic, Location, SourceError, UsageError
from ...core.files import read_text
from ...core.model import Claim, Model
from ...engines.interp.claim_view import automaton_text
from ...ltl.hoa import HoaAutomaton, never_claim, read_hoa
from ..kinds import KINDS, InputKind

CLAIM = "the_automaton_of_the_command_line"
_WORDS = frozenset(("X", "U", "V", "W", "always", "eventually", "until", "stronguntil", "weakuntil", "release", "next",
                    "implies", "equivalent", "true", "false"))  # fmt: skip
_NAME = re.compile(r"[A-Za-z_]\w*")


def with_automaton(kind: InputKind, text: str, file: str, options: dict[str, Any]) -> Model:
    """The model with one more never claim, which is the automaton of a file; its place is that file."""
    path = str(options["claim"])
    automaton = read_hoa(read_text(path), path)
    lines = text.splitlines()
    whole = "\n".join([*lines, never_claim(automaton, CLAIM), ""])
    try:
        model: Model = kind.read_model(whole, file, options)
    except SourceError as error:
        if all(d.location.file != file or d.location.line <= len(lines) for d in error.diagnostics):
            raise
        raise SourceError(_problems(kind, text, file, options, automaton) or error.diagnostics) from None
    own = next(c for c in model.claims if c.name == CLAIM)
    name = automaton.name or os.path.basename(path)
    claim = replace(own, name=name, text=name, location=Location(path, 1, 1))
    return replace(model, claims=tuple(claim if c is own else c for c in model.claims))


def _problems(
    kind: InputKind, text: str, file: str, options: dict[str, Any], automaton: HoaAutomaton
) -> list[Diagnostic]:
    """What is wrong with the propositions, each tried by itself, told where it stands in the file of the automaton."""
    found = []
    for proposition, location in automaton.propositions:
        alone = f"{text}\nnever {CLAIM} {{ do :: ({proposition}) od }}\n"
        try:
            kind.read_model(alone, file, options)
        except SourceError as error:
            hint = "a proposition is an expression over the variables of the model"
            found.append(Diagnostic(location, error.diagnostics[0].message, hint))
    return found


# ------------------------------------------------------------------------------------------------ formulas


@room()
def formula_automaton(formula: str, model: Model | None, negated: bool, version: str) -> str:
    """The automaton of a formula, or of a named claim of the model, in the HOA format."""
    claim = _claim_of(formula, model)
    with stretch("translating a formula"):
        return automaton_text(claim, () if model is None else model.mtypes, negated, version)


def _claim_of(formula: str, model: Model | None) -> Claim:
    """Without a model, the names in a formula are numbers of nobody."""
    if model is None:
        names = dict.fromkeys(name for name in _NAME.findall(formula) if name not in _WORDS)
        declared = "".join(f"int {name};\n" for name in names)
        source = f"{declared}active proctype nobody() {{ skip }}\n"
        model = KINDS["promela"].read_model(source, "<formula>", {"defines": (), "include": (), "ltl": formula})
        assert model is not None
    found = next(_formulas(model, formula), None)
    if found is None:
        known = ", ".join(c.name for c in model.claims if c.formula is not None) or "none"
        raise UsageError(f"{formula} is no formula of the model (it has: {known})")
    return found


def _formulas(model: Model, name: str) -> Iterator[Claim]:
    return (c for c in model.claims if c.name == name and c.formula is not None)
