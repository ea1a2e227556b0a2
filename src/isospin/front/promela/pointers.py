"""Pointers: following arrows, and what pointers may be compared with and stored in."""

from __future__ import annotations

from abc import abstractmethod

from ...core.model import Allocate, Const, Delete, Expr, Field, Place, RemoteRead, Scalar, Sort, Target, pointed_to
from .names import SCALARS, Names, RecordType, Symbol
from .render import expression as render_expression
from .render import reference as render_reference
from .syntax import DeleteStatement, Expression, NewExpression, Operation, Part, Reference


class Pointers(Names):
    """Types and values of pointers."""

    @abstractmethod
    def expr(self, e: Expression) -> Expr:
        """The meaning of an expression."""

    @abstractmethod
    def follow(self, symbol: Symbol, e: Reference) -> tuple[Scalar | RecordType, int | None, tuple[str, ...]]:
        """From a symbol, which the first part names, along the other parts."""

    @abstractmethod
    def indices(self, e: Reference, symbol: Symbol) -> tuple[Expr, ...]:
        """The index expressions along a reference."""

    def check_scalar(self, e: Reference, kind: Scalar | RecordType) -> None:
        if isinstance(kind, RecordType):
            names = ", ".join(name for name, _, _ in kind.fields)
            self.fail(e.location, f"'{render_reference(e)}' is a whole {kind.name}", f"name one of its fields: {names}")

    def chain(self, start: Place | RemoteRead, e: Reference) -> Target:
        """Follow the arrows of a reference whose first segment is known."""
        known: Place | RemoteRead | Field = start
        parts = e.segments()[0].parts
        for segment in e.segments()[1:]:
            known = self.object_field(known, Reference(parts), segment)
            parts += segment.parts
        assert not isinstance(known, RemoteRead)
        return known

    def object_field(self, pointer: Expr, before: Reference, segment: Reference) -> Field:
        text, part = render_reference(before), segment.parts[0]
        kind = pointed_to(pointer)
        if not kind:
            place = pointer.place if isinstance(pointer, RemoteRead) else pointer
            assert isinstance(place, Place | Field)
            hint = "'->' with a space on both sides separates statements"
            self.fail(before.location, f"'{text}' is a {place.variable.type.name}, not a pointer", hint)
        symbol = self.object_symbol(kind, part.location)
        whole = Reference((Part(text, None, part.location), *segment.parts))
        fields = [name for name, _, _ in self.records[kind].fields]
        if part.name not in fields and self.lookup(part.name) is not None:
            hint = "write ' -> ' with spaces to separate statements"
            self.fail(part.location, f"'{part.name}' is no field of {kind}", hint)
        inner, _, path = self.follow(symbol, whole)
        self.check_scalar(Reference((*before.parts, *segment.parts)), inner)
        return Field(pointer, kind, symbol.leaves[path], self.indices(whole, symbol), part.location, text)

    # ---------------------------------------------------------------- types

    def check_operands(self, e: Operation, left: Expr, right: Expr) -> None:
        kinds = [pointed_to(left), pointed_to(right)]
        if kinds == [None, None] or e.op in ("&&", "||"):
            return
        if e.op not in ("==", "!="):
            what = "order" if e.op in ("<", "<=", ">", ">=") else "arithmetic"
            source = e.operands[0 if kinds[0] is not None else 1]
            self.fail(e.location, f"{what} ({e.op}) on the pointer '{render_expression(source)}'")
        self.check_same_pointers(e.operands[0 if kinds[0] is None else 1], left, right)

    def check_same_pointers(self, source: Expression, left: Expr, right: Expr) -> None:
        """Two values that are compared, or one of which is taken: none or both are pointers, to the same type."""
        kinds = [pointed_to(left), pointed_to(right)]
        if kinds[0] == kinds[1] or ("" in kinds and None not in kinds):
            return
        if None in kinds:
            pointer = next(k for k in kinds if k is not None)
            what = f"a pointer to {pointer}" if pointer else "null"
            hint = "write null" if Const(0) in (left, right) else ""
            self.fail(source.location, f"a number and {what} do not go together", hint)
        self.fail(source.location, f"pointers to different types: {kinds[0]} and {kinds[1]}")

    def check_pointer(self, kind: Scalar, where: str, value: Expr, source: Expression) -> None:
        """May the value be stored in something of this type?"""
        given = pointed_to(value)
        wanted = kind.enum if kind.sort is Sort.POINTER else None
        if wanted == given or (wanted and given == ""):
            return
        what = "null" if given == "" else f"a pointer to {given}" if given else "a number"
        hint = "write null" if wanted and value == Const(0) else ""
        self.fail(source.location, f"{where} is a {kind.name}, this is {what}", hint)

    def allocate(self, place: Target, e: NewExpression) -> Allocate:
        kind = place.variable.type
        if e.type not in self.records:
            if e.type in SCALARS or e.type in ("mtype", "unsigned"):
                self.fail(e.location, f"new makes objects of a typedef, {e.type} is none")
            self.unknown(e.location, "type", e.type, list(self.records))
        if kind.sort is not Sort.POINTER:
            hint = f"declare {place.variable.name} as {e.type} *{place.variable.parts[-1]}"
            self.fail(e.location, f"'{place.variable.name}' is a {kind.name}, not a pointer", hint)
        if kind.enum != e.type:
            self.fail(e.location, f"'{place.variable.name}' points to {kind.enum}, not to {e.type}")
        return Allocate(place, e.type)

    def delete(self, s: DeleteStatement) -> Delete:
        pointer = self.expr(s.pointer)
        if not pointed_to(pointer):
            what = "null" if pointed_to(pointer) == "" else "not a pointer"
            self.fail(s.pointer.location, f"'{render_expression(s.pointer)}' is {what}", "delete takes a pointer")
        return Delete(pointer, render_expression(s.pointer))
