"""What blocks of the heap are made of: `struct job *job = malloc(sizeof *job)` makes a `struct job`.

The type of a block is that of what the pointers point to that get its address where it is made.  So numbers of threads
are found in blocks, too, and the elements of an array in the heap can change places.

Reference: Lee, Avgerinos, Brumley, NDSS 2011 (types of values in machine code).
Differs: types are given, not inferred.  SOUND for programs whose pointers have the types of what they point to
(walks.py).  What is known to be used otherwise has no type: memory whose address goes to pointers to bytes or to
nothing (`void *`, `char *`), and structs with something behind them (`header + 1` that is not a header).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..constants import Rule
from .carriers import Carriers
from .dwarf import UNKNOWN, Type
from .execution import CodeRule
from .numbered_code import NumberedCode
from .values import Address, Carried, as_sum


def block_types(code: NumberedCode, flows: list[CodeRule]) -> dict[int, Type]:
    """By the instruction behind the call that makes a block: the type of its elements."""
    carriers = code.carriers
    found: dict[int, dict[str, Type]] = {}
    for site, type_ in _stored(carriers, flows):
        found.setdefault(site, {})[carriers.name(type_)] = type_
    overrun = set(_overrun(carriers, flows))
    single = {site: next(iter(types.values())) for site, types in found.items() if len(types) == 1}
    return {s: t for s, t in single.items() if t is not UNKNOWN and t.size > 1 and carriers.name(t) not in overrun}


def _stored(carriers: Carriers, flows: list[CodeRule]) -> Iterator[tuple[int, Type]]:
    """Where addresses of new blocks go: the place that made one, and what the pointer there points to."""
    for rule in flows:
        sum_ = as_sum(rule.value) if rule.kind == Rule.WIDEN and rule.value is not None else None
        for base in sum_.bases if sum_ is not None else ():
            if isinstance(base, Address) and base.of == "block":
                exact = sum_ is not None and len(sum_.bases) == 1 and not sum_.offset and not sum_.step
                yield base.at, carriers.pointee(rule.target) if exact and rule.target is not None else UNKNOWN


def _overrun(carriers: Carriers, flows: list[CodeRule]) -> Iterator[str]:
    """Types behind whose objects there may be others: an address there goes to a pointer of another type."""
    for rule in flows:
        sum_ = as_sum(rule.value) if rule.kind in (Rule.FLOW, Rule.WIDEN) and rule.value is not None else None
        if sum_ is None or rule.target is None:
            continue
        goes_to = carriers.name(carriers.pointee(rule.target))
        for base in sum_.bases:
            type_ = carriers.pointee(base.carrier) if isinstance(base, Carried) else UNKNOWN
            inside = sum_.offset < type_.size and not (type_.size and sum_.step % type_.size)
            if type_ is not UNKNOWN and not inside and carriers.name(type_) != goes_to:
                yield carriers.name(type_)
