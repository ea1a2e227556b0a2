"""The discipline of scalarsets: values without order or number, which symmetry may permute.

Reference: Ip and Dill, Better Verification Through Symmetry, 1996 (section 4: the rules for scalarsets in Murphi).
Differs: no loop visits all values (its order would show), `select` chooses any value instead.  The rules give early and
clear messages; soundness does not rest on them, since every permutation of values is checked on the whole model later.
"""

from __future__ import annotations

import re

from ...core.errors import Location, SourceError
from ...core.model import Conditional, Const, Expr, Field, Place, RemoteRead, Scalar, Sort

UNDEFINED = "undefined"  # names no value of any set
ANY_INDEX = "#"  # the text of an index that is filled in later
MOST_VALUES = 255
_VALUE = re.compile(r"(\w*)#\d*")  # Value#1; the character '#' is a number like any other
ORDER = ("<", "<=", ">", ">=")
LOGIC = ("&&", "||", "!")


class SetSize(int):
    """The size of an array that is indexed by the values of a scalarset; element 0 belongs to `undefined`."""

    scalarset: str

    def __new__(cls, size: int, scalarset: str) -> SetSize:
        made = super().__new__(cls, size + 1)
        made.scalarset = scalarset
        return made


def _set_of(e: Expr) -> str | None:
    """The scalarset of an expression: empty for `undefined`, None if it is no such value."""
    match e:
        case Const(_, text) if named := _VALUE.fullmatch(text):
            return named[1]
        case Const(_, text):
            return "" if text == UNDEFINED else None
        case Place(variable) | Field(_, _, variable) | RemoteRead(_, _, Place(variable)):
            return variable.type.enum if variable.type.sort is Sort.SCALARSET else None
        case Conditional(_, then, otherwise):
            return _set_of(then) or _set_of(otherwise)
    return None


def check_same(wanted: Scalar, value: Expr, location: Location, where: str) -> None:
    """A value goes to a place of a type: both are of one scalarset, or neither is of any."""
    needed, given = wanted.enum if wanted.sort is Sort.SCALARSET else None, _set_of(value)
    if needed is None:
        if given is not None:
            what = f"a value of the scalarset {given}" if given else UNDEFINED
            hint = "such values can only be copied, compared for equality and used as an index"
            raise SourceError.at(location, f"{where} is a {wanted.name} and cannot take {what}", hint)
        return
    if given is None:
        raise SourceError.at(location, *_no_value(value, needed, where))
    if given not in ("", needed):
        hint = "values of different scalarsets have nothing to do with each other"
        raise SourceError.at(location, f"{where} is a {needed} and cannot take a value of the scalarset {given}", hint)


def _no_value(value: Expr, needed: str, where: str) -> tuple[str, str]:
    if isinstance(value, Const):
        hint = f"select (v : {needed}) chooses any value; {UNDEFINED} is none of them"
        return f"{where} is a {needed}: a constant would single out one of its values", hint
    return f"{where} is a {needed} and cannot take a number", f"only values of {needed} and {UNDEFINED} fit here"


def check_index(size: int, index: Expr, location: Location, name: str) -> None:
    """An array by a scalarset takes only its values as an index, and any other array none of them."""
    if isinstance(index, Const) and index.text == ANY_INDEX:
        return
    if isinstance(size, SetSize):
        wanted = Scalar(size.scalarset, 8, sort=Sort.SCALARSET, enum=size.scalarset)
        check_same(wanted, index, location, f"the index of '{name}'")
    elif (given := _set_of(index)) is not None:
        what = f"a value of the scalarset {given}" if given else UNDEFINED
        hint = f"declare it as {name}[{given}]" if given else ""
        raise SourceError.at(location, f"'{name}' is indexed by numbers, not by {what}", hint)


def check_operands(op: str, operands: tuple[Expr, ...], locations: tuple[Location, ...]) -> None:
    """Equality is all that can be asked of a scalarset value."""
    sets = [_set_of(o) for o in operands]
    if all(s is None for s in sets):
        return
    first = next(i for i, s in enumerate(sets) if s is not None)
    if op in ("==", "!="):
        other = 1 - first
        name = sets[first] or sets[other]
        if name:
            wanted = Scalar(name, 8, sort=Sort.SCALARSET, enum=name)
            check_same(wanted, operands[other], locations[other], "what is compared here")
        elif sets[other] is None:
            check_same(Scalar("number", 32), operands[first], locations[first], "what is compared here")
        return
    name = sets[first] or UNDEFINED
    kind = "order" if op in ORDER else "truth value" if op in LOGIC else "arithmetic"
    hint = "compare it with == or != instead"
    raise SourceError.at(locations[first], f"there is no {kind} on the values of a scalarset ({op} on {name})", hint)


def check_condition(condition: Expr, location: Location) -> None:
    if (name := _set_of(condition)) is not None:
        hint = f"compare it: ... != {UNDEFINED}"
        raise SourceError.at(location, f"a value of the scalarset {name or UNDEFINED} is neither true nor false", hint)
