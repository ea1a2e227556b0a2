"""What looks at others: references to the places and variables of processes, and the events of a trace."""

from __future__ import annotations

from ...core.errors import Location
from ...core.model import AtLabel, Bind, Expr, LocationOf, Match, Observe, Place, RemoteRead, Skip, Step
from .discipline import ANY_INDEX
from .meaning import Meaning, is_wildcard, strip_eval
from .names import Symbol
from .syntax import (
    Break,
    ConditionStatement,
    Goto,
    MtypeDeclaration,
    Number,
    Part,
    ReceiveStatement,
    Reference,
    RemoteLabel,
    RemoteVariable,
    SendStatement,
    Statement,
)


class Remote(Meaning):
    # ---------------------------------------------------------------- references

    """References to variables and labels of other processes."""

    def template_of(self, process: str, location: Location) -> dict[str, Symbol] | None:
        if process not in self.signatures:
            self.unknown(location, "proctype", process, list(self.signatures))
        return self.locals_of.get(process)

    def remote_label(self, e: RemoteLabel) -> Expr:
        self.template_of(e.process, e.location)
        self.check_remote(e.process, e.location)
        self.pin_label(e)
        pid = None if e.index is None else self.expr(e.index)
        return AtLabel(e.process, pid, e.label, e.location)

    def check_remote(self, process: str, location: Location) -> None:
        if process not in self.locals_of:
            self.beyond_spin(location, f"a reference to {process} before its definition")
        if self.in_d_step():
            self.beyond_spin(location, "references to other processes in a d_step")
        if self.inside == "provided":
            self.beyond_spin(location, "references to other processes in a provided clause")

    def in_d_step(self) -> bool:
        return False  # see flow.py

    def pin_label(self, e: RemoteLabel) -> None:
        """Make sure that the label is a location at which a process can be (see flow.py)."""

    def remote_variable(self, e: RemoteVariable) -> Expr:
        """`P[pid]:x`, looked up among the variables of P; `_p` is its location."""
        symbols = self.template_of(e.process, e.location)
        if symbols is None:
            hint = f"move {e.process} before its first use"
            self.fail(e.location, f"the variables of {e.process} are not declared yet", hint)
        self.check_remote(e.process, e.location)
        pid = None if e.index is None else self.expr(e.index)
        parts = e.variable.segments()[0].parts
        if parts[0].name == "_p":
            if pid is None:
                self.fail(e.location, f"which {e.process} is meant?", f"write {e.process}[pid]:_p")
            return LocationOf(pid)
        values = [None if p.index is None else self.expr(p.index) for p in parts]
        saved, self.scopes = self.scopes, [symbols]
        try:
            place = self.place(Reference(tuple(_with_zero_index(p) for p in parts)))
        finally:
            self.scopes = saved
        place = Place(place.variable, tuple(v for v in values if v is not None), place.location)
        read = RemoteRead(e.process, pid, place, e.location)
        return read if len(e.variable.segments()) == 1 else self.chain(read, e.variable)

    # ---------------------------------------------------------------- events

    def event(self, s: Statement) -> Step:
        """What may stand in a trace automaton: operations on global channels, and jumps."""
        if isinstance(s, Goto | Break):
            return Skip()
        if isinstance(s, ConditionStatement) and isinstance(s.expression, Number):
            self.beyond_spin(s.location, "skip in a trace")
            return Skip()
        if not isinstance(s, SendStatement | ReceiveStatement):
            assert not isinstance(s, MtypeDeclaration)
            self.fail(s.location, "a trace contains only send and receive operations")
        flat = [f for a in s.arguments for f in self.fields(a)]
        self.check_arity(s.channel, len(flat), s.location, fewer=True)
        sends = isinstance(s, SendStatement)
        if s.sorted if isinstance(s, SendStatement) else s.anywhere or s.keep:
            self.beyond_spin(s.location, "!!, ?? and ?<...> in a trace")
        if sends and any(strip_eval(f) is not f for f in flat):
            self.beyond_spin(s.location, "eval() in what a trace sends")
        patterns = tuple(Bind(None) if is_wildcard(f) else Match(self.expr(strip_eval(f))) for f in flat)
        kind = "send" if sends else "receive"
        return Observe(kind, self.channel(s.channel), patterns)


def _with_zero_index(part: Part) -> Part:
    """The index belongs to the scope of the reader; only the name is looked up in the other process."""
    return Part(part.name, None if part.index is None else Number(0, part.location, ANY_INDEX), part.location)
