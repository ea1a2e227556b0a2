"""What pointers to plain values point to: `int id = *(int *)argument`.

Reference: Steensgaard, POPL 1996.
Differs: directed, and only for carriers that nobody writes but by rules: of stacks, parameters and results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ..constants import Rule
from .carriers import plain_element
from .dwarf import Type
from .execution import CodeRule
from .numbered_code import NumberedCode
from .values import Address, Carried, Carrier, Sum, as_sum

SMALL = 4096  # no addresses below


class Targets:
    """What carriers point to, by all that is put into them anywhere in the program."""

    def __init__(self, code: NumberedCode, flows: list[CodeRule], blocks: Mapping[int, Type]) -> None:
        self.code, self.blocks = code, blocks
        self.into: dict[Carrier, list[CodeRule]] = {}
        for rule in flows:
            if rule.target is not None and rule.target.kind != "memory":
                self.into.setdefault(rule.target, []).append(rule)
        self.opaque = any(rule.kind == Rule.OPAQUE for rule in flows)

    def found(self) -> dict[Carrier, Carrier]:
        """To a fixpoint: None is nothing so far; a carrier that gets two, or what is not known, is dropped."""
        known: dict[Carrier, Carrier | None] = {}
        bad = {c for c in self.into if not self.is_closed(c)}
        changed = True
        while changed:
            changed = False
            for carrier, rules in self.into.items():
                for rule in rules if carrier not in bad else ():
                    target = self.target(rule, known, bad)
                    if target is None or target == known.get(carrier):
                        continue
                    changed = True
                    if isinstance(target, Carrier) and known.get(carrier) is None:
                        known[carrier] = target
                    else:
                        bad.add(carrier)
                        break
        return {c: t for c, t in known.items() if t is not None and c not in bad}

    def is_closed(self, carrier: Carrier) -> bool:
        """SOUND: is nothing put into it that is not among the rules?"""
        if carrier.kind != "parameter":
            return True
        function = int(carrier.where.split()[0])
        if self.opaque or function not in self.code.reach.taken:
            return not self.opaque
        creates = {r.at for r in self.into[carrier]}
        return self.code.reach.mentions(function) == len(creates)

    def target(
        self, rule: CodeRule, known: Mapping[Carrier, Carrier | None], bad: set[Carrier]
    ) -> Carrier | bool | None:
        """What a rule lets a carrier point to; None: nothing, or not yet; False: that is not known."""
        sum_ = as_sum(rule.value) if rule.kind in (Rule.FLOW, Rule.WIDEN, Rule.OWN) and rule.value is not None else None
        if sum_ is None:
            return False
        if any(isinstance(base, Address) for base in sum_.bases):
            return self.made_here(rule.at, sum_)
        symbol = self.code.machine.symbol_at(sum_.offset, self.code.machine.objects)
        if symbol is not None:
            step = 1 if sum_.bases else sum_.step
            sizes = (self.code.carriers.at(symbol, sum_.offset - symbol.low, size, step) for size in (1, 2, 4, 8))
            return next((c for c in sizes if c is not None), False)
        if len(sum_.bases) == 1 and not sum_.offset and not sum_.step:
            [base] = sum_.bases
            carrier = base.carrier if isinstance(base, Carried) else None
            return False if carrier is None or carrier in bad or carrier not in self.into else known.get(carrier)
        return None if not sum_.bases and not sum_.step and sum_.offset < SMALL else False

    def made_here(self, at: int, sum_: Sum) -> Carrier | Literal[False]:
        """The same for an object that the function makes: a variable of its frame, or a block."""
        [first, *others] = sum_.bases
        if others or not isinstance(first, Address):
            return False
        if first.of == "block":
            type_ = self.blocks.get(first.at)
            found = None if type_ is None else self.code.carriers.in_block(first.at, type_)
        else:
            found = self.in_frame(at, first.at)
        size = self.code.carriers.types[found].size if found is not None else 1
        return found if found is not None and not sum_.offset % size and not sum_.step % size else False

    def in_frame(self, at: int, low: int) -> Carrier | None:
        """A variable of plain values in the frame of the function with that instruction."""
        function = self.code.machine.function_at(at)
        type_ = self.code.shared(function).get(low) if function is not None else None
        inner = None if type_ is None else plain_element(type_)
        if function is None or type_ is None or inner is None:
            return None
        outer = self.code.carriers.variable(function, low)
        return self.code.carriers.inside(type_, 0, inner.size, 0, outer)
