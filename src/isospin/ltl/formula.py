"""Formulas in negation normal form: literals, and, or, next, until, release; made as small as rules can.

Reference: Somenzi and Bloem, Efficient Buchi automata from LTL formulae, CAV 2000; Etessami and Holzmann, Optimizing
Buchi automata, CONCUR 2000 (rewriting, syntactic implication).
Differs: one set of constructors that simplify what they build; comparisons are brought to one form, so that `x != 0`
is the negation of `x == 0`.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from ..core.errors import NOWHERE, Location
from ..core.model import Binary, Const, Expr, Temporal, Unary

OPPOSITE = {"!=": "==", ">=": "<", "<=": ">"}


class Formula(NamedTuple):
    """`op` is one of: true false lit and or next until release.  A literal is an atom's number, positive or not."""

    op: str
    parts: tuple[Formula, ...] = ()
    atom: int = 0
    positive: bool = True


TRUE, FALSE = Formula("true"), Formula("false")


def always(a: Formula) -> Formula:
    return release(FALSE, a)


def eventually(a: Formula) -> Formula:
    return until(TRUE, a)


def _is_always(f: Formula) -> bool:
    return f.op == "release" and f.parts[0] == FALSE


def _is_eventually(f: Formula) -> bool:
    return f.op == "until" and f.parts[0] == TRUE


def _is_suspendable(f: Formula) -> bool:
    """Does its truth not depend on any finite beginning of a run?"""
    if f.op in ("true", "false"):
        return True
    if _is_always(f) or _is_eventually(f):
        inner = f.parts[1]
        return (
            _is_suspendable(inner)
            or (_is_always(f) and _is_eventually(inner))
            or (_is_eventually(f) and _is_always(inner))
        )
    return f.op != "lit" and all(map(_is_suspendable, f.parts))


def negation(f: Formula) -> Formula:
    match f.op:
        case "true" | "false":
            return FALSE if f == TRUE else TRUE
        case "lit":
            return f._replace(positive=not f.positive)
        case "and":
            return _disjunction(map(negation, f.parts))
        case "or":
            return conjunction(map(negation, f.parts))
        case "next":
            return _next_(negation(f.parts[0]))
    left, right = map(negation, f.parts)
    return release(left, right) if f.op == "until" else until(left, right)


# ------------------------------------------------------------------------------------------------ implication


def implies(a: Formula, b: Formula) -> bool:
    """Does a imply b, as far as can be seen from how they are written?  A no may be wrong, a yes never is."""
    if a in (b, FALSE) or b == TRUE:
        return True
    if b.op == "and":
        return all(implies(a, x) for x in b.parts)
    if a.op == "or":
        return all(implies(x, b) for x in a.parts)
    if a.op == "and" and any(implies(x, b) for x in a.parts):
        return True
    if b.op == "or" and any(implies(a, x) for x in b.parts):
        return True
    if a.op == b.op and a.op in ("next", "until", "release") and all(map(implies, a.parts, b.parts)):
        return True
    if b.op == "until" and implies(a, b.parts[1]):
        return True
    if b.op == "release" and implies(a, b.parts[0]) and implies(a, b.parts[1]):
        return True
    if a.op == "until" and implies(a.parts[0], b) and implies(a.parts[1], b):
        return True
    return a.op == "release" and implies(a.parts[1], b)


def _contradict(a: Formula, b: Formula) -> bool:
    return implies(a, negation(b)) or implies(b, negation(a))


# ------------------------------------------------------------------------------------------------ constructors


def conjunction(parts: Any) -> Formula:
    return join("and", parts)


def _disjunction(parts: Any) -> Formula:
    return join("or", parts)


def join(op: str, parts: Any) -> Formula:
    """A conjunction or disjunction without needless parts."""
    unit, zero = (TRUE, FALSE) if op == "and" else (FALSE, TRUE)
    flat: list[Formula] = list(parts)
    before: list[Formula] | None = None
    while flat != before:
        before = flat
        flat = [f for part in flat for f in (part.parts if part.op == op else (part,))]
        flat = _merged(op, sorted(set(flat) - {unit}))
    if zero in flat:
        return zero
    weaker = implies if op == "and" else lambda a, b: implies(b, a)
    kept: list[Formula] = []
    for i, a in enumerate(flat):  # of two that imply each other the first stays
        if not any(weaker(b, a) and (j < i or not weaker(a, b)) for j, b in enumerate(flat) if j != i):
            kept.append(a)
    for i, a in enumerate(kept):
        for b in kept[:i]:
            if (op == "and" and _contradict(a, b)) or (op == "or" and _contradict(negation(a), negation(b))):
                return zero
    if len(kept) == 1:
        return kept[0]
    return Formula(op, tuple(sorted(kept))) if kept else unit


def _merged(op: str, parts: list[Formula]) -> list[Formula]:
    """Put together what the operator distributes over: G a and G b, F a or F b, X a and X b, (a U c) and (b U c)."""
    groups: dict[tuple[str, Formula | None], list[Formula]] = {}
    for f in parts:
        groups.setdefault(_key_of(op, f), []).append(f)
    result: list[Formula] = []
    for (kind, side), group in groups.items():
        if kind == "" or len(group) == 1:
            result += group
        elif kind == "next":
            result.append(_next_(join(op, [f.parts[0] for f in group])))
        elif kind in ("GF", "FG"):
            inner = join(op, [f.parts[1].parts[1] for f in group])
            result.append(always(eventually(inner)) if kind == "GF" else eventually(always(inner)))
        else:
            make = until if kind == "until" else release
            by_left = (kind == "until") == (op == "or")  # (a U b) or (a U c) = a U (b or c)
            inner = join(op, [f.parts[1 if by_left else 0] for f in group])
            assert side is not None
            result.append(make(side, inner) if by_left else make(inner, side))
    return sorted(set(result))


def _key_of(op: str, f: Formula) -> tuple[str, Formula | None]:
    if f.op == "next":
        return "next", None
    if op == "or" and _is_always(f) and _is_eventually(f.parts[1]):
        return "GF", None
    if op == "and" and _is_eventually(f) and _is_always(f.parts[1]):
        return "FG", None
    if f.op in ("until", "release"):
        by_left = (f.op == "until") == (op == "or")
        return f.op, f.parts[0 if by_left else 1]
    return "", None


def _next_(a: Formula) -> Formula:
    return a if _is_suspendable(a) else Formula("next", (a,))


def until(a: Formula, b: Formula) -> Formula:
    """`a U b`, made simpler where one side decides, or implies the other."""
    if b.op in ("true", "false") or a == FALSE or _is_suspendable(b) or implies(a, b):
        return b
    if a != TRUE and implies(negation(a), b):  # nothing can keep it from becoming true but b itself
        return eventually(b)
    if a.op == "next" and b.op == "next":
        return _next_(until(a.parts[0], b.parts[0]))
    if b.op == "until" and implies(a, b.parts[0]):
        return b  # a U (c U d), where a implies c
    if b.op == "until" and implies(b.parts[0], a):
        return until(a, b.parts[1])
    if a == TRUE:
        if b.op == "next":
            return _next_(eventually(b.parts[0]))
        if b.op == "until":
            return eventually(b.parts[1])
        if b.op == "and" and (free := [f for f in b.parts if _is_suspendable(f)]):
            return conjunction([*free, eventually(conjunction([f for f in b.parts if f not in free]))])
    if b.op == "or" and (free := [f for f in b.parts if _is_suspendable(f)]):
        return _disjunction([*free, until(a, _disjunction([f for f in b.parts if f not in free]))])
    if a.op == "and" and (free := [f for f in a.parts if _is_suspendable(f)]):  # they hold always or never
        rest = conjunction([f for f in a.parts if f not in free])
        return _disjunction([b, conjunction([*free, until(rest, b)])])
    return Formula("until", (a, b))


def release(a: Formula, b: Formula) -> Formula:
    if b.op in ("true", "false") or a == TRUE or _is_suspendable(b) or implies(b, a):
        return b
    return _dual(negation(a), negation(b))


def _dual(a: Formula, b: Formula) -> Formula:
    """not (a U b), through the rules of until."""
    f = until(a, b)
    if f.op == "until":
        return Formula("release", (negation(f.parts[0]), negation(f.parts[1])))
    return negation(f)


# ------------------------------------------------------------------------------------------------ the user's formula


class Atoms:
    """The predicates of a formula, each once."""

    def __init__(self) -> None:
        self.number: dict[Expr, int] = {}

    def literal(self, e: Expr) -> Formula:
        positive, e = True, plain(e)
        while True:
            if isinstance(e, Const):
                return TRUE if bool(e.value) == positive else FALSE
            if isinstance(e, Unary) and e.op == "!":
                positive, e = not positive, e.operand
            elif isinstance(e, Binary) and e.op in OPPOSITE:
                positive, e = not positive, replace(e, op=OPPOSITE[e.op])
            else:
                return Formula("lit", (), self.number.setdefault(e, len(self.number)), positive)

    @property
    def expressions(self) -> tuple[Expr, ...]:
        return tuple(self.number)


def plain(e: Any) -> Any:
    """The expression without its places in the source, so that two uses of it are equal."""
    if isinstance(e, Location):
        return NOWHERE
    if isinstance(e, tuple):
        return tuple(map(plain, e))
    if is_dataclass(e) and not isinstance(e, type):
        if isinstance(e, Const):
            return Const(e.value)
        changes = {f.name: plain(getattr(e, f.name)) for f in fields(e) if f.init}
        return replace(e, **changes)
    return e


def normal(formula: Temporal, atoms: Atoms) -> Formula:
    """The formula in negation normal form, simplified."""
    if formula.atom is not None:
        return atoms.literal(formula.atom)
    parts = [normal(f, atoms) for f in formula.operands]
    match formula.op:
        case "!":
            return negation(parts[0])
        case "&&":
            return conjunction(parts)
        case "||":
            return _disjunction(parts)
        case "implies":
            return _disjunction([negation(parts[0]), parts[1]])
        case "equivalent":
            both, none = conjunction(parts), conjunction(map(negation, parts))
            return _disjunction([both, none])
        case "next":
            return _next_(parts[0])
        case "eventually":
            return eventually(parts[0])
        case "always":
            return always(parts[0])
        case "until":
            return until(*parts)
        case "release":
            return release(*parts)
        case "weakuntil":
            return release(parts[1], _disjunction(parts))
    raise ValueError(f"no temporal operator {formula.op}")
