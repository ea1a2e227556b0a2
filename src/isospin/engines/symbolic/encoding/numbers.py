"""Whole numbers as vectors of diagrams, with C's arithmetic on 32 bits.

Reference: Clarke, McMillan, Zhao, Fujita, Yang, Spectral Transforms for Large Boolean Functions (1993), the part on
word-level operations; textbook circuits.
Differs: two's complement of any width up to 32, lowest bit first, the last one is the sign; since diagrams are
canonical, a vector is as narrow as its values allow, and constants stay constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ....core.model import Scalar
from ..backend import Bdd, Manager

Number: TypeAlias = tuple[Bdd, ...]
WORD = 32


class Arithmetic:
    """Numbers as lists of diagrams, in two's complement, and the operators of the model on them."""

    def __init__(self, manager: Manager) -> None:
        self.manager, self.true, self.false, self.xor = manager, manager.true, manager.false, manager.xor
        self.constants: dict[int, Number] = {}
        self.known: dict[int, int] = {}  # by id: the values of those numbers, which live as long as this
        self.zero: Number = (self.false,)
        self.one: Number = (self.true, self.false)

    # ---------------------------------------------------------------- making and looking

    def constant(self, value: int) -> Number:
        found = self.constants.get(value)
        if found is None:
            width = (value if value >= 0 else ~value).bit_length() + 1
            found = self.constants[value] = tuple(self.true if value >> i & 1 else self.false for i in range(width))
            self.known[id(found)] = value
        return found

    def value(self, a: Number) -> int | None:
        """What the number is, if it is the same everywhere."""
        if (known := self.known.get(id(a))) is not None:
            return known
        if any(bit != self.true and bit != self.false for bit in a):
            return None
        low = sum(1 << i for i, bit in enumerate(a[:-1]) if bit == self.true)
        return low - (1 << len(a) - 1) if a[-1] == self.true else low

    def narrow(self, bits: Sequence[Bdd]) -> Number:
        """Without the bits that only repeat the sign; what is wider than a word wraps."""
        bits = list(bits[:WORD])
        while len(bits) > 1 and bits[-1] == bits[-2]:
            bits.pop()
        return tuple(bits)

    def bit(self, a: Number, i: int) -> Bdd:
        return a[i] if i < len(a) else a[-1]

    def extend(self, a: Number, width: int) -> list[Bdd]:
        return [self.bit(a, i) for i in range(width)]

    def unsigned(self, bits: Sequence[Bdd]) -> Number:
        return self.narrow((*bits, self.false))

    def boolean(self, f: Bdd) -> Number:
        return self.unsigned((f,))

    def truth(self, a: Number) -> Bdd:
        """Where it is not 0."""
        result = self.false
        for bit in a:
            result = result | bit
        return result

    def wrap(self, a: Number, kind: Scalar) -> Number:
        """What a variable of this type holds when the number is stored in it."""
        bits = self.extend(a, kind.bits)
        return self.narrow(bits) if kind.signed else self.unsigned(bits)

    def choose(self, condition: Bdd, a: Number, b: Number) -> Number:
        if condition == self.true:
            return a
        if condition == self.false:
            return b
        width = max(len(a), len(b))
        return self.narrow([self.manager.ite(condition, self.bit(a, i), self.bit(b, i)) for i in range(width)])

    # ---------------------------------------------------------------- comparing

    def equal(self, a: Number, b: Number) -> Bdd:
        if a is b:
            return self.true
        if (value := self.known.get(id(b))) is not None:
            return self.is_value(a, value)
        result = self.true
        for i in range(max(len(a), len(b))):
            result = result & ~self.xor(self.bit(a, i), self.bit(b, i))
        return result

    def is_value(self, a: Number, value: int) -> Bdd:
        """As `equal`, with a constant: the bits themselves say it."""
        if (known := self.known.get(id(a))) is not None:
            return self.true if known == value else self.false
        if not -1 << len(a) - 1 <= value < 1 << len(a) - 1:
            return self.false  # SOUND: no number of so many bits, the last of which is the sign, has this value
        result = self.true
        for i, bit in enumerate(a):
            result = result & (bit if value >> i & 1 else ~bit)
        return result

    def less(self, a: Number, b: Number) -> Bdd:
        left, right = self.known.get(id(a)), self.known.get(id(b))
        if left is not None and right is not None:
            return self.true if left < right else self.false
        if right is not None:
            return self.is_less(a, right)
        if left is not None:
            return ~self.is_less(b, left + 1)
        width = max(len(a), len(b))
        result = self.false
        for i in range(width):
            x, y = self.bit(a, i), self.bit(b, i)
            if i == width - 1:
                x, y = y, x  # the sign counts the other way round
            result = self.manager.ite(self.xor(x, y), y, result)
        return result

    def is_less(self, a: Number, value: int) -> Bdd:
        """As `less`, with a constant: from the lowest bit, the highest in which they differ decides."""
        width = len(a)
        if value >= 1 << width - 1:
            return self.true
        if value <= -1 << width - 1:
            return self.false
        if value == 0:
            return a[-1]
        result = self.false
        for i, bit in enumerate(a[:-1]):
            result = ~bit | result if value >> i & 1 else ~bit & result
        return a[-1] | result if value > 0 else a[-1] & result

    # ---------------------------------------------------------------- computing

    def add(self, a: Number, b: Number, carry: Bdd | None = None) -> Number:
        carry = self.false if carry is None else carry
        bits = []
        for i in range(max(len(a), len(b)) + 1):
            x, y = self.bit(a, i), self.bit(b, i)
            odd = self.xor(x, y)
            bits.append(self.xor(odd, carry))
            carry = self.manager.ite(odd, carry, x)
        return self.narrow(bits)

    def complement(self, a: Number) -> Number:
        return tuple(~bit for bit in a)

    def negate(self, a: Number) -> Number:
        return self.add(self.complement(a), self.zero, self.true)

    def subtract(self, a: Number, b: Number) -> Number:
        return self.add(a, self.complement(b), self.true)

    def multiply(self, a: Number, b: Number) -> Number:
        """By adding shifted copies, cut to the width of a word."""
        width = min(len(a) + len(b), WORD)
        wide = self.extend(a, width)
        result = self.zero
        for i in range(width):
            bit = self.bit(b, i)
            if bit != self.false:
                part = [self.false] * i + [x & bit for x in wide[: width - i]]
                result = self.narrow(self.extend(self.add(result, tuple(part)), width))
        return result

    def absolute(self, a: Number) -> Number:
        return self.choose(a[-1], self.negate(a), a)

    def divide(self, a: Number, b: Number) -> tuple[Number, Number]:
        """Quotient, rounded towards 0, and remainder; where b is 0 they mean nothing."""
        # One bit more than a word, so that the absolute value of the least int is not negative.
        dividend = self.magnitude(a)
        divisor = self.magnitude(b)
        rest: list[Bdd] = [self.false] * (len(divisor) + 1)
        quotient: list[Bdd] = []
        for bit in reversed(dividend):
            rest = [bit, *rest[:-1]]
            fits, reduced = self.reduce(rest, divisor)
            rest = [self.manager.ite(fits, x, y) for x, y in zip(reduced, rest, strict=True)]
            quotient.append(fits)
        whole = self.unsigned(quotient[::-1])
        left = self.unsigned(rest)
        return self.choose(self.xor(a[-1], b[-1]), self.negate(whole), whole), self.choose(
            a[-1], self.negate(left), left
        )

    def magnitude(self, a: Number) -> list[Bdd]:
        """The absolute value without a sign bit; the bits of -a without sign are right for the least int too."""
        wide = self.extend(a, len(a) + 1)
        flipped = [~bit for bit in wide]
        carry, negated = self.true, []
        for bit in flipped:
            negated.append(self.xor(bit, carry))
            carry = bit & carry
        return [self.manager.ite(a[-1], n, p) for n, p in zip(negated, wide, strict=True)][:-1]

    def reduce(self, rest: list[Bdd], divisor: list[Bdd]) -> tuple[Bdd, list[Bdd]]:
        """Is the divisor at most the rest, and what is the difference?"""
        borrow, bits = self.false, []
        for i, x in enumerate(rest):
            y = divisor[i] if i < len(divisor) else self.false
            bits.append(self.xor(self.xor(x, y), borrow))
            borrow = (~x & (y | borrow)) | (y & borrow)
        return ~borrow, bits

    def shift(self, op: str, a: Number, b: Number) -> Number:
        """By the lowest five bits of b, as the common processors do."""
        result = a
        for i in range(5):
            by, distance = self.bit(b, i), 1 << i
            if by == self.false:
                continue
            if op == "<<":
                moved = self.narrow([self.false] * distance + list(result))
            else:
                moved = tuple(result[distance:]) or (result[-1],)
            result = self.choose(by, moved, result)
        return result

    def bitwise(self, op: str, a: Number, b: Number) -> Number:
        bits = []
        for i in range(max(len(a), len(b))):
            x, y = self.bit(a, i), self.bit(b, i)
            bits.append(x & y if op == "&" else x | y if op == "|" else self.xor(x, y))
        return self.narrow(bits)

    # ---------------------------------------------------------------- operators

    def unary(self, op: str, a: Number) -> Number:
        if op == "!":
            return self.boolean(~self.truth(a))
        return self.negate(a) if op == "-" else self.complement(a)

    def binary(self, op: str, a: Number, b: Number) -> Number:
        """Every operator but && and ||, which may leave their right side alone."""
        match op:
            case "+":
                return self.add(a, b)
            case "-":
                return self.subtract(a, b)
            case "*":
                return self.multiply(a, b)
            case "/" | "%":
                return self.divide(a, b)[op == "%"]
            case "<<" | ">>":
                return self.shift(op, a, b)
            case "&" | "|" | "^":
                return self.bitwise(op, a, b)
        return self.boolean(self.compare(op, a, b))

    def compare(self, op: str, a: Number, b: Number) -> Bdd:
        match op:
            case "==":
                return self.equal(a, b)
            case "!=":
                return ~self.equal(a, b)
            case "<":
                return self.less(a, b)
            case ">=":
                return ~self.less(a, b)
            case ">":
                return self.less(b, a)
        return ~self.less(b, a)
