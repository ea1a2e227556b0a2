"""Expressions over the values that variables had before, in a form in which the order of a loop is forgotten.

Reference: King, Symbolic Execution and Program Testing, 1976.
Differs: what a loop accumulates becomes one sum, one disjunction, one maximum of all its parts; `terms.py` takes those
as unordered.  Every rewriting here keeps the value in all states: SOUND rests on nothing else.  Numbers are C's 32-bit
integers, so sums may be taken apart and put together in any order, and a narrow type keeps the lowest bits of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ....core.model import Binary, Conditional, Const, Expr, Place, Scalar, Unary, apply_binary, apply_unary
from ..specialise import is_boolean

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
TRUE, FALSE = Const(1), Const(0)


class Unclear(Exception):
    """What happens cannot be said in one formula."""


# ------------------------------------------------------------------------------------------------ conditions


def truth(e: Expr) -> Expr:
    """1 if the value is not 0, else 0; what is known is `TRUE` or `FALSE` itself."""
    if isinstance(e, Const):
        return TRUE if e.value else FALSE
    if isinstance(e, Conditional) and isinstance(e.then, Const) and isinstance(e.otherwise, Const):
        yes, no = e.then.value != 0, e.otherwise.value != 0
        return (TRUE if yes else FALSE) if yes == no else e.condition if yes else negated(e.condition)
    return e if is_boolean(e) else Binary("!=", e, FALSE)


def negated(e: Expr) -> Expr:
    e = truth(e)
    if isinstance(e, Const):
        return FALSE if e.value else TRUE
    if isinstance(e, Unary) and e.op == "!":
        return truth(e.operand)
    if isinstance(e, Binary) and e.op in _OPPOSITE:
        return Binary(_OPPOSITE[e.op], e.left, e.right)
    return Unary("!", e)


def both(a: Expr, b: Expr) -> Expr:
    a, b = truth(a), truth(b)
    if isinstance(a, Const):
        return b if a.value else FALSE
    if isinstance(b, Const) and b.value:
        return a
    return a if a == b else Binary("&&", a, b)


def either(a: Expr, b: Expr) -> Expr:
    a, b = truth(a), truth(b)
    if isinstance(a, Const):
        return TRUE if a.value else b
    if isinstance(b, Const) and not b.value:
        return a
    return a if a == b else Binary("||", a, b)


# ------------------------------------------------------------------------------------------------ numbers


def _summands(e: Expr) -> tuple[list[Expr], int]:
    """What is added up, and the number that is added to it."""
    found, number, todo = list[Expr](), 0, [(e, False)]
    while todo:
        one, is_minus = todo.pop()
        if isinstance(one, Const):
            number += -one.value if is_minus else one.value
        elif isinstance(one, Binary) and one.op in ("+", "-"):
            todo += [(one.right, is_minus != (one.op == "-")), (one.left, is_minus)]
        else:
            found.append(_minus(one) if is_minus else one)
    return found, number


def _minus(e: Expr) -> Expr:
    return e.operand if isinstance(e, Unary) and e.op == "-" else Unary("-", e)


def _sum_of(parts: Iterable[Expr], number: int) -> Expr:
    result: Expr | None = None
    for part in parts:
        result = part if result is None else Binary("+", result, part)
    return Const(apply_binary("+", number, 0)) if result is None else _with_number(result, number)


def _with_number(e: Expr, number: int) -> Expr:
    number = apply_binary("+", number, 0)
    return Binary("+", e, Const(number)) if number else e


def _without_number(e: Expr) -> tuple[Expr, int]:
    """A sum without the number that comes last in it, and that."""
    if isinstance(e, Binary) and e.op == "+" and isinstance(e.right, Const):
        return e.left, e.right.value
    return e, 0


def operation(op: str, left: Expr, right: Expr) -> Expr:
    """A binary operator, not `&&` or `||`, on operands that cannot fault."""
    if isinstance(left, Const) and isinstance(right, Const) and not (op in ("/", "%") and right.value == 0):
        return Const(apply_binary(op, left.value, right.value))
    if op in ("/", "%"):
        raise Unclear
    if op == "-" and (isinstance(right, Const) or _is_summand(right)):
        op, right = "+", unary("-", right) if isinstance(right, Const) else _minus(right)
    if op == "+":
        return _added(left, right)
    if op == "-":
        return _sum_of(*_summands(Binary(op, left, right)))
    if op == "&" and isinstance(right, Const) and _mask(Binary(op, left, right)) is not None:
        left = _lowest(left, right.value)
    return Binary(op, left, right)


def _added(left: Expr, right: Expr) -> Expr:
    """A sum, and something that a loop adds to it: that takes no longer the more there is in it already."""
    if isinstance(left, Const) and _is_summand(right):
        return _with_number(right, left.value)
    before, number = _without_number(left)
    if isinstance(before, Const) or (isinstance(before, Binary) and before.op == "-"):
        return _sum_of(*_summands(Binary("+", left, right)))
    if isinstance(right, Const):
        return _with_number(before, number + right.value)
    if _is_summand(right):
        return _with_number(Binary("+", before, right), number)
    return _sum_of(*_summands(Binary("+", left, right)))


def _is_summand(e: Expr) -> bool:
    return not isinstance(e, Const) and not (isinstance(e, Binary) and e.op in ("+", "-"))


def unary(op: str, operand: Expr) -> Expr:
    if isinstance(operand, Const):
        return Const(apply_unary(op, operand.value))
    return negated(operand) if op == "!" else Unary(op, operand)


def _mask(e: Expr) -> int | None:
    """The bits that are kept of something, if all that is known is that."""
    if isinstance(e, Binary) and e.op == "&" and isinstance(e.right, Const):
        mask = e.right.value
        return mask if mask > 0 and mask & (mask + 1) == 0 else None
    return None


def _fits(e: Expr, low: int, high: int) -> bool:
    """Is the value always in this range?"""
    match e:
        case Const(value):
            return low <= value <= high
        case Place(variable):
            return low <= variable.type.low and variable.type.high <= high
        case Conditional(_, then, otherwise):
            return _fits(then, low, high) and _fits(otherwise, low, high)
        case Binary("max" | "min", left, right):
            return _fits(left, low, high) and _fits(right, low, high)
        case Binary("|" | "^", left, right) if low <= 0 <= high:
            ones = (1 << (high + 1).bit_length() - 1) - 1  # no bits come up that neither side has
            return _fits(left, 0, ones) and _fits(right, 0, ones)
    mask = _mask(e)
    if mask is not None:
        return low <= 0 and mask <= high
    return is_boolean(e) and low <= 0 and high >= 1


def stored_as(kind: Scalar, e: Expr) -> Expr:
    """The value that a variable has when `e` was assigned to it."""
    if _fits(e, kind.low, kind.high) or (kind.signed and kind.bits == 32):
        return e
    if kind.signed:
        raise Unclear
    mask = (1 << kind.bits) - 1
    return Binary("&", _lowest(e, mask), Const(mask))


def _lowest(e: Expr, mask: int) -> Expr:
    """Another expression with the same lowest bits: those of a sum or a product are decided by those of its parts."""
    known = _mask(e)
    if known is not None and known & mask == mask:
        assert isinstance(e, Binary)
        return e.left if known == mask else _lowest(e.left, mask)  # whoever keeps the lowest bits has done this
    if isinstance(e, Binary) and e.op in ("+", "-"):
        return operation(e.op, _lowest(e.left, mask), _lowest(e.right, mask))
    if isinstance(e, Binary) and e.op in ("*", "|", "^"):
        return Binary(e.op, _lowest(e.left, mask), _lowest(e.right, mask))
    if isinstance(e, Unary) and e.op == "-":
        return Unary("-", _lowest(e.operand, mask))
    return e


# ------------------------------------------------------------------------------------------------ joining


def joined(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """`condition -> then : otherwise`; repeated uses of it for the parts of a loop come out without an order."""
    if isinstance(condition, Const):
        return then if condition.value else otherwise
    if are_same(then, otherwise):
        return then
    return (
        _joined_masks(condition, then, otherwise)
        or _extremum(condition, then, otherwise)
        or _joined_choices(condition, then, otherwise)
        or _joined_sums(condition, then, otherwise)
        or Conditional(condition, then, otherwise)
    )


def are_same(a: Expr, b: Expr) -> bool:
    """Are they equal?  What a loop adds comes last, so that is looked at first."""
    if a is b:
        return True
    if isinstance(a, Binary) and isinstance(b, Binary):
        return a.op == b.op and are_same(a.right, b.right) and are_same(a.left, b.left)
    return a == b


def _joined_masks(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    mask = _mask(then) or _mask(otherwise)
    if mask is None or not (_fits(then, 0, mask) and _fits(otherwise, 0, mask)):
        return None
    return Binary("&", joined(condition, _lowest(then, mask), _lowest(otherwise, mask)), Const(mask))


def _extremum(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """`a > b -> a : b` is the larger one."""
    if not isinstance(condition, Binary) or condition.op not in ("<", "<=", ">", ">="):
        return None
    larger, smaller = condition.left, condition.right
    if condition.op in ("<", "<="):
        larger, smaller = smaller, larger
    if (then, otherwise) == (larger, smaller):
        return Binary("max", larger, smaller)
    return Binary("min", smaller, larger) if (then, otherwise) == (smaller, larger) else None


def _joined_choices(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """`c -> a : (d -> a : b)` is `c || d -> a : b`, and so on."""
    if isinstance(otherwise, Conditional):
        d, a, b = otherwise.condition, otherwise.then, otherwise.otherwise
        if then == a:
            return joined(either(condition, d), a, b)
        if then == b:
            return joined(both(negated(condition), d), a, b)
    if isinstance(then, Conditional):
        d, a, b = then.condition, then.then, then.otherwise
        if otherwise == b:
            return joined(both(condition, d), a, b)
        if otherwise == a:
            return joined(both(condition, negated(d)), b, a)
    return None


def _joined_sums(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """`c -> s + a : s + b` is `s + (c -> a : b)`."""
    if isinstance(then, Const) or isinstance(otherwise, Const):
        return None
    begin, here, there = _shared_beginning(then, otherwise)
    if begin is None:
        return None
    return operation("+", begin, joined(condition, here, there))


def _shared_beginning(then: Expr, otherwise: Expr) -> tuple[Expr | None, Expr, Expr]:
    """What is in two sums, and the rest of each.  In a loop both go on from one and the same sum."""
    (a, m), (b, n) = _without_number(then), _without_number(otherwise)
    if a is b:
        return a, Const(m), Const(n)
    if isinstance(a, Binary) and a.op == "+" and a.left is b:
        return b, _with_number(a.right, m), Const(n)
    if isinstance(b, Binary) and b.op == "+" and b.left is a:
        return a, Const(m), _with_number(b.right, n)
    (left, m), (right, n) = _summands(then), _summands(otherwise)
    common = Counter(left) & Counter(right)
    here, there = (_sum_of((Counter(x) - common).elements(), k) for x, k in ((left, m), (right, n)))
    return _sum_of(common.elements(), 0) if common else None, here, there
