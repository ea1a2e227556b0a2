"""What pointers to plain values point to: `int id = *(int *)argument`.

Reference: Steensgaard, POPL 1996.
Differs: directed, and only for carriers that nobody writes but by rules: of stacks, parameters and results.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..constants import Rule
from .execution import CodeRule
from .numbered_code import NumberedCode
from .sums import as_sum
from .values import Carrier

SMALL = 4096  # no addresses below


class Targets:
    """What carriers point to, by all that is put into them anywhere in the program."""

    def __init__(self, code: NumberedCode, flows: list[CodeRule]) -> None:
        self.code = code
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
        sum_ = as_sum(rule.value) if rule.kind == Rule.FLOW and rule.value is not None else None
        if sum_ is None:
            return False
        symbol = self.code.machine.symbol_at(sum_.offset, self.code.machine.objects)
        if symbol is not None:
            step = 1 if sum_.bases else sum_.step
            sizes = (self.code.carriers.at(symbol, sum_.offset - symbol.low, size, step) for size in (1, 2, 4, 8))
            return next((c for c in sizes if c is not None), False)
        if len(sum_.bases) == 1 and not sum_.offset and not sum_.step:
            base = sum_.bases[0].carrier
            return False if base in bad or base not in self.into else known.get(base)
        return None if not sum_.bases and not sum_.step and sum_.offset < SMALL else False
