"""What blocks of the heap are made of: `struct job *job = malloc(sizeof *job)` makes a `struct job`.

The type of a block is that of what the pointers point to that get its address where it is made.  So numbers of threads
are found in blocks, too, and the elements of an array in the heap can change places.  Where a function does nothing
with a block but return it (`xmalloc`), that is where the function is called.

Reference: Lee, Avgerinos, Brumley, NDSS 2011 (types of values in machine code).
Differs: types are given, not inferred.  SOUND for programs whose pointers have the types of what they point to
(walks.py).  What is known to be used otherwise has no type: memory whose address goes to pointers to bytes or to
nothing (`void *`, `char *`), and structs with something behind them (`header + 1` that is not a header).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..constants import Rule
from .carriers import Carriers
from .dwarf import UNKNOWN, Type
from .execution import CodeRule
from .numbered_code import NumberedCode
from .values import Address, Carried, Carrier, Value, as_sum, leaves
from .values import carriers as carriers_in


class MadeAt(NamedTuple):
    """Where a block is made: behind this call; if that is in a function that returns it, behind this call of that."""

    call: int
    outer: int = 0

    @property
    def names(self) -> int:
        """The call by which carriers in such blocks are known."""
        return self.outer or self.call


def block_types(code: NumberedCode, flows: list[CodeRule]) -> dict[MadeAt, Type]:
    """What the elements of blocks are, by where they are made."""
    carriers = code.carriers
    found: dict[MadeAt, dict[str, Type]] = {}
    for made, type_ in _Stored(code, flows).all():
        found.setdefault(made, {})[carriers.name(type_)] = type_
    overrun = set(_overrun(carriers, flows))
    # SOUND: a block that its maker keeps as well as returns is of the type of neither.
    single = {
        m: next(iter(t.values())) for m, t in found.items() if len(t) == 1 and not (m.outer and (m.call, 0) in found)
    }
    return {m: t for m, t in single.items() if t is not UNKNOWN and t.size > 1 and carriers.name(t) not in overrun}


class _Stored:
    """Where addresses of new blocks go: the place that made one, and what the pointer there points to."""

    def __init__(self, code: NumberedCode, flows: list[CodeRule]) -> None:
        self.code, self.flows = code, flows
        self.uses: dict[Carrier, list[CodeRule]] = {}  # where what a carrier holds goes to
        for rule in flows:
            gets = rule.target and rule.value and rule.kind != Rule.LEADS
            for carrier in carriers_in(rule.value) if gets and rule.value else ():
                self.uses.setdefault(carrier, []).append(rule)

    def all(self) -> Iterator[tuple[MadeAt, Type]]:
        """Each place of each block."""
        for rule in self.flows:
            sum_ = as_sum(rule.value) if rule.kind == Rule.WIDEN and rule.value is not None else None
            for base in sum_.bases if sum_ is not None else ():
                if isinstance(base, Address) and base.of == "block":
                    yield from self.goes_to(base.at, rule.target if _is_only(rule.value, base) else None)

    def goes_to(self, call: int, target: Carrier | None) -> Iterator[tuple[MadeAt, Type]]:
        """A carrier gets the address of a new block."""
        type_ = UNKNOWN if target is None else self.code.carriers.pointee(target)
        if target is None or type_ is not UNKNOWN or target.kind not in ("stack", "result"):
            yield MadeAt(call), type_
        elif target.kind == "result":
            yield from self.returned(call, target)
        else:  # a pointer to anything: what gets it from there
            uses = self.uses.get(target, [])
            kept = [r for r in uses if r.target is None or r.target.kind != "result" or not _holds(r.value, target)]
            if kept or not uses:
                yield MadeAt(call), UNKNOWN
                return
            for result in {r.target for r in uses if r.target is not None}:
                yield from self.returned(call, result)

    def returned(self, call: int, result: Carrier) -> Iterator[tuple[MadeAt, Type]]:
        """What callers do with the result of the function that made the block."""
        for rule in self.uses.get(result, []):
            calls = {leaf.at for leaf in leaves(rule.value) if leaf.carrier == result} if rule.value else set[int]()
            if not calls:
                yield MadeAt(call), UNKNOWN  # something is computed from it, and nobody knows of which call
            for at in calls:
                function = self.code.machine.function_at(at)
                target = rule.target if _holds(rule.value, result) else None
                type_ = UNKNOWN if target is None else self.code.carriers.pointee(target)
                yield MadeAt(call, function.code[at].end if function is not None else 0), type_


def _is_only(value: Value | None, base: Value) -> bool:
    """Is it this address, and nothing is added to it?"""
    sum_ = as_sum(value) if value is not None else None
    return sum_ is not None and sum_.bases == (base,) and not sum_.offset and not sum_.step


def _holds(value: Value | None, carrier: Carrier) -> bool:
    """Is it just what the carrier held?"""
    return isinstance(value, Carried) and value.carrier == carrier


def _overrun(carriers: Carriers, flows: list[CodeRule]) -> Iterator[str]:
    """Types behind whose objects there may be others: an address there goes to a pointer of another type."""
    for rule in flows:
        sum_ = as_sum(rule.value) if rule.kind in (Rule.FLOW, Rule.WIDEN, Rule.OWN) and rule.value is not None else None
        if sum_ is None or rule.target is None:
            continue
        goes_to = carriers.name(carriers.pointee(rule.target))
        for base in sum_.bases:
            type_ = carriers.pointee(base.carrier) if isinstance(base, Carried) else UNKNOWN
            inside = sum_.offset < type_.size and not (type_.size and sum_.step % type_.size)
            if type_ is not UNKNOWN and not inside and carriers.name(type_) != goes_to:
                yield carriers.name(type_)
