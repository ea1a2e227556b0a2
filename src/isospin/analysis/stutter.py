"""Can a never claim tell how often a state is repeated?

Reference: Peled, Wilke, Wolper, An Algorithmic Approach for Checking Closure Properties of Temporal Logic
Specifications (1998), for what it means; the question itself is hard.
Differs: a condition that is enough, and quick.  A letter is what a state makes of the conditions of the claim.

SOUND: a claim reads a run letter by letter.  Suppose that for every letter a

* q -a-> r implies q -a-> q or r -a-> r: then it can read a once more, and goes on from where it was;
* q -a-> r -a-> t implies q -a-> t, and if r accepts, then so does q or t: then it can read a once less.

Take an accepting run over a word, and a word that differs only in how often each letter is repeated.  Block by block,
leave letters out until there is one, then repeat it as often as the other word does: the claim starts and ends each
block in the same states, and accepts in it if it did.  The last block, if it has no end, is the same in both.  A claim
that has come to its end, or whose assertion has failed, stays there, accepting.

A worked example.  `never { do :: p -> break :: else od; accept: do :: !q od }` waits for p; then q must never come.

>>> counts_steps("do :: p -> break :: else od; accept: do :: !q od")
True
>>> counts_steps("do :: p && !q -> break :: true od; accept: do :: !q od")
False

The first reads p in one state and asks for !q from the next one on: if p and q are true in one state, it matters
whether that state is repeated.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import product

from ..core.model import (
    Action,
    Assert,
    Binary,
    Const,
    Else,
    End,
    Expr,
    Guard,
    LastPid,
    Place,
    Print,
    Skip,
    Template,
    Unary,
)
from ..semantics.walk import by_source, subexpressions
from .effects import FAR
from .footprint import deciding

MOST_ATOMS = 8
OVER = -1  # where a claim is that was violated
Letter = dict[Hashable, bool]


def counts_steps(claim: Template) -> bool:
    """Might the claim tell runs apart that differ only in repetitions?  Never wrong if it says that it does not."""
    conditions = [a.step.condition for a in claim.actions if isinstance(a.step, Guard | Assert)]
    if not all(_is_plain(a) for a in claim.actions) or any(map(_is_odd, conditions)):
        return True
    names = sorted({name for e in conditions for name in _atoms(e)}, key=repr)
    if len(names) > MOST_ATOMS:
        return True
    letters = [dict(zip(names, values, strict=True)) for values in product((False, True), repeat=len(names))]
    tables = [_edges(claim, letter) for letter in letters]
    places = _reached(claim.entry, tables)
    return not all(_keeps(claim, edges, places) for edges in tables)


def _is_plain(action: Action) -> bool:
    plain = isinstance(action.step, Guard | Assert | Skip | Print | Else | End)
    return plain and not (action.keeps_control or action.escape)


def _is_odd(e: Expr) -> bool:
    """May it fault, or does it look at more than the state?"""
    return any(True for _ in deciding(e)) or any(isinstance(part, (*FAR, LastPid)) for part in subexpressions(e))


def _reached(entry: int, tables: list[dict[int, set[int]]]) -> set[int]:
    """Where the claim can come to, whatever it reads."""
    found, todo = {entry}, [entry]
    while todo:
        here = todo.pop()
        new = set().union(*(edges[here] for edges in tables)) - found
        found |= new
        todo += new
    return found


def _keeps(claim: Template, edges: dict[int, set[int]], places: set[int]) -> bool:
    """Is this letter read as often as one likes?"""
    accepting = claim.accept_locations | {OVER}
    for q in places:
        found = edges[q]
        for r in found:
            if q not in found and r not in edges[r]:
                return False
            for t in edges[r]:
                if t not in found or (r in accepting and not {q, t} & accepting):
                    return False
    return True


def _edges(claim: Template, letter: Letter) -> dict[int, set[int]]:
    """Where the claim can go from each location when it reads a letter."""
    leaving = by_source(claim.actions)
    places = {a.source for a in claim.actions} | {a.target for a in claim.actions} | {claim.entry}
    found = {q: {OVER} if q in claim.end_locations else set(_targets(leaving.get(q, []), letter)) for q in places}
    over = {q: {OVER if t in claim.end_locations else t for t in targets} for q, targets in found.items()}
    return over | {OVER: {OVER}}


def _targets(actions: list[Action], letter: Letter) -> Iterator[int]:
    moved = False
    for action in actions:
        step = action.step
        holds = _value(step.condition, letter) if isinstance(step, Guard | Assert) else True
        if (isinstance(step, Else) and moved) or (isinstance(step, Guard) and not holds) or isinstance(step, End):
            continue
        moved = True
        yield action.target if holds else OVER


# ------------------------------------------------------------------------------------------------ conditions


def _atoms(e: Expr) -> Iterator[Hashable]:
    match e:
        case Binary("&&" | "||", left, right):
            yield from (*_atoms(left), *_atoms(right))
        case Unary("!", operand):
            yield from _atoms(operand)
        case Const():
            pass
        case _:
            yield _name(e)


def _value(e: Expr, letter: Letter) -> bool:
    match e:
        case Binary("&&", left, right):
            return _value(left, letter) and _value(right, letter)
        case Binary("||", left, right):
            return _value(left, letter) or _value(right, letter)
        case Unary("!", operand):
            return not _value(operand, letter)
        case Const(value):
            return bool(value)
    return letter[_name(e)]


def _name(e: Expr) -> Hashable:
    """The same for the same condition, wherever it stands."""
    match e:
        case Const(value):
            return value
        case Place(variable, indices):
            return "place", variable.base, tuple(map(_name, indices))
        case Binary(op, left, right):
            return op, _name(left), _name(right)
        case Unary(op, operand):
            return op, _name(operand)
    return "one of its kind", id(e)
