"""What the runtime says about a difference between two threads, in the words of the source."""

from __future__ import annotations

from collections.abc import Iterator

from ....core.errors import NOWHERE, Location
from ..binary.execution import CodeRule
from ..binary.places import CodeFile, identity
from ..binary.values import Carrier, Made, Number, leaves
from ..constants import Compute, Rule
from ..wire import Difference
from .view import ProcessView

MEMORY = "memory is touched through a pointer whose type says nothing of what is there"
UNKNOWN_CODE = "a function is called through a pointer, or is not understood"


class Reasons:
    """What the runtime says about a difference, in the words of the source."""

    def __init__(self, code: CodeFile, view: ProcessView) -> None:
        self.code, self.debug, self.names = code, view.debug, view.names

    def reason(self, found: Difference) -> tuple[str, str, Location]:
        """The variable that has the number, what is done with it, and where; of the state of the program nothing.

        Nothing is said about what is done if the difference is in no number.
        """
        rule = self.rule(found)
        carrier = self.carrier(found)
        where = self.debug.own_place(found.rule) if found.rule else self.declared(carrier)
        if rule is None and carrier is None:
            return "", "", where
        name = carrier.name if carrier is not None else ""
        return name, self.why(rule, name, found.one != found.other), where

    def rule(self, found: Difference) -> CodeRule | None:
        """The rule that does not hold; of several at one place, one about what holds the number."""
        function = self.code.machine.function_at(found.rule) if found.rule else None
        rules = self.code.rules.of(function).rules.get(found.rule, ()) if function is not None else ()
        about = [r for r in rules if r.value is not None and found.carrier in map(identity, self.holders(r))]
        return next(iter((*about, *rules)), None)

    @staticmethod
    def holders(rule: CodeRule) -> list[Carrier]:
        return [leaf.carrier for leaf in leaves(rule.value)] if rule.value is not None else []

    def carrier(self, found: Difference) -> Carrier | None:
        for function in self.code.reach.every():
            for _, carrier in self.code.rules.slots(function).values():
                if identity(carrier) == found.carrier:
                    return carrier
        return next((c for c in self.in_memory() if identity(c) == found.carrier), None)

    def in_memory(self) -> Iterator[Carrier]:
        """What carries numbers in variables of the program, in those that frames share, and in blocks."""
        rules = self.code.rules
        parts = [rules.carriers.parts(symbol) for symbol in self.code.machine.objects]
        parts += [rules.records(function) for function in self.code.reach.every()]
        parts += [rules.carriers.block_parts(made.names, type_) for made, type_ in rules.blocks.items()]
        return (carrier for each in parts for _, _, carrier in each)

    def declared(self, carrier: Carrier | None) -> Location:
        if carrier is None or carrier.kind != "stack":
            return NOWHERE
        return self.debug.place(int(carrier.where.split()[0]))

    def why(self, rule: CodeRule | None, name: str, changes: bool) -> str:
        """What happens at the place."""
        if rule is None:
            return "is more than a number that names a thread" if name else "their numbers differ"
        match rule.kind:
            case Rule.WILD:
                return f"cannot change, since {MEMORY}" if name else MEMORY
            case Rule.OPAQUE:
                return UNKNOWN_CODE
            case Rule.FLOW | Rule.WIDEN | Rule.OWN | Rule.LEADS:
                into = rule.target.name if rule.target is not None else ""
                return f"is put into {into}, together with other values" if into else "is passed on with other values"
            case Rule.ADDRESS | Rule.PIN:
                if not changes:
                    return "goes through memory in an order of its own" if name else "a variable is named here"
                return "finds a place in memory that the other does not have"
        return self.decided(rule)

    @staticmethod
    def decided(rule: CodeRule) -> str:
        """It decides, or is data."""
        value = rule.value
        if isinstance(value, Made) and value.how == Compute.XOR:
            value = value.one
        if isinstance(value, Made) and value.how in (Compute.EQUAL, Compute.LESS, Compute.BELOW):
            constants = [side.value for side in (value.one, value.other) if isinstance(side, Number)]
            return f"is compared with {constants[0]}" if constants else "is compared by its order or with other values"
        return "is used as a number like any other"
