"""One function executed on terms (values.py): what registers hold, to a fixpoint, and then the rules (rules.py).

Reference: Kildall 1973; King, CACM 1976.
Differs: where two ways meet, terms that are not the same are unknown; no conditions of paths are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ..constants import SAVED_REGISTERS, Compute, Rule
from .calls import ALLOCATES, ATOMIC, CREATES, LIBRARY, SAYS
from .carriers import plain_element
from .frame import TOLD, FrameState, Pointer, is_string
from .liveness import Liveness
from .machine import Immediate, MachineFunction, MachineInstruction, MemoryOperand, Operand, Register
from .numbered_code import GIVEN, NumberedCode
from .values import (
    CONDITIONS,
    NOTHING,
    Address,
    Carried,
    Carrier,
    LostValue,
    Low,
    Made,
    Number,
    Sum,
    Value,
    as_sum,
    condition_name,
    has_address,
    leaves,
    lost,
    made,
    narrow,
    number,
    numbers,
    sign_of,
    signed,
    terms,
    written,
)

State = dict[str, Value]  # registers; "flags": of the last comparison
FLAGS = "flags"
_TWO = {"add": Compute.ADD, "sub": Compute.SUB, "and": Compute.AND, "or": Compute.OR, "xor": Compute.XOR}
_SHIFTS = {"shl": Compute.SHL, "sal": Compute.SHL, "shr": Compute.SHR, "sar": Compute.SAR}
QUIET = ("nop", "endbr64", "leave", "hlt", "ud2", "pause", "mfence", "lfence", "sfence")


class CodeRule(NamedTuple):
    """One rule, of one instruction."""

    kind: Rule
    at: int
    value: Value | None = None
    target: Carrier | None = None
    objects: tuple[int, ...] = ()  # variables of the program whose addresses are in it
    size: int = 0  # of what is touched at an address, where that is known


class FunctionRules(NamedTuple):
    """Of one function: by instruction; and what registers hold behind each call."""

    rules: dict[int, tuple[CodeRule, ...]]
    behind: dict[int, State]


class TermExecution:
    """One function on terms: first what registers hold, to a fixpoint, then the rules."""

    def __init__(
        self, code: NumberedCode, function: MachineFunction, targets: Mapping[Carrier, Carrier], typed: AbstractSet[int]
    ) -> None:
        self.program, self.function, self.machine = code, function, code.machine
        self.targets, self.typed = targets, typed  # what pointers point to; where blocks of a known type are made
        self.liveness: Liveness = code.reach.liveness(function)
        self.slots, self.shared = code.slots(function), code.shared(function)
        self.found: list[CodeRule] | None = None  # those of the current instruction, once states are known
        self.this = next(iter(function.code.values()))
        self.frame_state: FrameState | None = None

    def run(self) -> FunctionRules:
        """SOUND: code that is not understood, or that exceptions may leave anywhere, keeps nothing but itself."""
        function = self.function
        if function.obscure or self.liveness.obscure or function.landing:
            opaque: dict[int, tuple[CodeRule, ...]] = {a: (CodeRule(Rule.OPAQUE, a),) for a in function.code}
            return FunctionRules(opaque, {})
        before = self.states()
        rules: dict[int, tuple[CodeRule, ...]] = {}
        behind: dict[int, State] = {}
        for address in sorted(before):
            self.found = []
            after = self.step(function.code[address], dict(before[address]))
            rules[address] = tuple(dict.fromkeys(self.found))
            if address in function.calls:
                behind[function.code[address].end] = after
        given = self.program.given_by_others(function.low)
        rules[function.low] = (*(CodeRule(Rule.WIDEN, function.low, target=c) for c in given), *rules[function.low])
        return FunctionRules(rules, behind)

    def states(self) -> dict[int, State]:
        first: State = {
            r: Carried(self.program.carriers.parameter(self.function.low, r), self.function.low) for r in GIVEN
        }
        before: dict[int, State] = {}
        todo: list[tuple[int, State]] = [(self.function.low, first)]
        while todo:
            address, state = todo.pop()
            known = before.get(address)
            merged = state if known is None else _joined(known, state)
            if merged == known or address not in self.liveness.frame.before:
                continue
            before[address] = merged
            after = self.step(self.function.code[address], dict(merged))
            todo += [(following, after) for following in self.function.following[address]]
        return before

    # ---------------------------------------------------------------------------------------------- rules

    def rule(self, kind: Rule, value: Value | None = None, target: Carrier | None = None, size: int = 0) -> None:
        """Note a rule; one about something unknown is one about each carrier that it was made from."""
        if self.found is None:
            return
        whole = value
        if isinstance(value, Low) or (value is not None and has_address(value)):
            value = lost([value])
        objects = self.program.objects(numbers(value)) if value is not None else ()
        if isinstance(value, LostValue):
            for each in sorted(value.carriers):
                self.found.append(CodeRule(Rule.SAME, self.this.address, Carried(each, self.this.address)))
            if objects:
                self.found.append(CodeRule(Rule.PIN, self.this.address, objects=objects))
            if kind in (Rule.FLOW, Rule.LEADS):
                own = kind == Rule.FLOW and whole is not None and self.is_own(whole)
                self.found.append(CodeRule(Rule.OWN if own else Rule.WIDEN, self.this.address, whole, target))
            return
        self.found.append(CodeRule(kind, self.this.address, value, target, objects, size))

    def is_own(self, value: Value) -> bool:
        """Is it an address in what the code makes, all of whose parts are known, and get what rules say?"""
        made_here = [term for term in terms(value) if isinstance(term, Address)]
        return bool(made_here) and all(
            each.at in (self.typed if each.of == "block" else self.shared) for each in made_here
        )

    def same(self, value: Value) -> None:
        if not isinstance(value, Number) or self.program.objects([value.value]):
            self.rule(Rule.SAME, value)

    def store(self, carrier: Carrier | None, value: Value) -> None:
        if carrier is None:
            self.same(value)
        else:
            self.rule(Rule.FLOW, value, carrier)

    # ---------------------------------------------------------------------------------------------- operands

    def register(self, name: str, state: State, size: int = 8) -> Value:
        assert self.frame_state is not None
        if name in self.frame_state.pointers:
            return self.own_address(self.frame_state.pointers[name])
        return narrow(state.get(name, NOTHING), size)

    def own_address(self, pointer: Pointer) -> Value:
        """One in the own frame, in a variable that others may touch."""
        around = self.variables(pointer)
        return Address("frame", around[0]) if len(around) == 1 else NOTHING

    def variables(self, pointer: Pointer) -> list[int]:
        """Those that an address in the own frame may lead to."""
        places = pointer.roots if pointer.exact is None else {pointer.exact}
        return [low for low, type_ in self.shared.items() if any(low <= place < low + type_.size for place in places)]

    def address(self, operand: MemoryOperand, state: State) -> Value:
        """Of memory that is not in the own frame."""
        found: Value = number(operand.offset)
        if operand.by:
            by = self.register(operand.by, state)
            found = made(Compute.ADD, made(Compute.MUL, by, number(operand.scale)) if operand.scale > 1 else by, found)
        return made(Compute.ADD, self.register(operand.base, state), found) if operand.base else found

    def place(self, operand: MemoryOperand, state: State) -> Carrier | None:
        """The carrier of an operand in memory, which is touched; None: none."""
        assert self.frame_state is not None
        frame = self.liveness.frame.address(operand, self.frame_state)
        if frame is not None or operand.segment:
            for register in (operand.base, operand.by):
                if register and (register not in self.frame_state.pointers):
                    self.same(self.register(register, state))
            return None if frame is None else self.in_frame(frame, operand)
        return self.memory(self.address(operand, state), operand.size)

    def in_frame(self, pointer: Pointer, operand: MemoryOperand) -> Carrier | None:
        """The same for the own frame."""
        slot = None if pointer.exact is None else self.slots.get(pointer.exact)
        if slot is not None and slot[0] == operand.size:
            return slot[1]
        around = self.variables(pointer)
        found = self.in_variable(around[0], pointer, operand) if len(around) == 1 else None
        if found is None:
            self.touch(around)
        return found

    def in_variable(self, low: int, pointer: Pointer, operand: MemoryOperand) -> Carrier | None:
        type_, outer = self.shared[low], self.program.carriers.variable(self.function, low)
        if pointer.exact is not None:
            return self.program.carriers.inside(type_, pointer.exact - low, operand.size, 0, outer)
        inner = plain_element(type_)
        if inner is not None and inner.size == operand.size:
            return self.program.carriers.inside(type_, 0, operand.size, inner.size, outer)
        if len(pointer.roots) == 1 and operand.base in ("rsp", "rbp") and operand.by:
            [root] = pointer.roots
            return self.program.carriers.inside(type_, root - low, operand.size, operand.scale, outer)
        return None

    def touch(self, variables: list[int]) -> None:
        """SOUND: whatever is in a variable may be read and written."""
        for low in variables:
            for carrier in sorted(self.program.carriers.all_in(self.function, low, self.shared[low])):
                self.rule(Rule.SAME, Carried(carrier, self.this.address))
                self.rule(Rule.WIDEN, target=carrier)

    def memory(self, address: Value, size: int) -> Carrier | None:
        """The same for an address."""
        self.rule(Rule.ADDRESS, address, size=size)
        sum_ = as_sum(address)
        found = None
        if sum_ is not None and size:
            symbol = self.machine.symbol_at(sum_.offset, self.machine.objects)
            if symbol is not None:
                step = 1 if sum_.bases else sum_.step
                found = self.program.carriers.at(symbol, sum_.offset - symbol.low, size, step)
            elif len(sum_.bases) == 1 and isinstance(sum_.bases[0], Carried):
                base = sum_.bases[0].carrier
                found = self.program.carriers.behind(base, sum_.offset, size, sum_.step)
                found = found or self.pointed(base, sum_, size)
                if found is not None:
                    self.rule(Rule.LEADS, address, found)
        if found is None:
            self.rule(Rule.WILD)
        return found

    def pointed(self, base: Carrier, sum_: Sum, size: int) -> Carrier | None:
        """Behind a pointer to plain values: the same carrier, wherever in its array."""
        target = self.targets.get(base)
        if target is None or self.program.carriers.types[target].size != size:
            return None
        return None if sum_.offset % size or sum_.step % size else target

    def read(self, operand: Operand, state: State) -> Value:
        """What an operand holds, the upper bytes zero."""
        if isinstance(operand, Immediate):
            return number(operand.value)
        if isinstance(operand, Register):
            return self.register(operand.name, state, operand.size)
        carrier = self.place(operand, state)
        return NOTHING if carrier is None else Carried(carrier, self.this.address)

    def write(self, operand: Operand, value: Value, state: State) -> None:
        if isinstance(operand, Register):
            state[operand.name] = written(state.get(operand.name, NOTHING), value, operand.size)
        elif isinstance(operand, MemoryOperand):
            self.store(self.place(operand, state), narrow(value, operand.size))

    # ---------------------------------------------------------------------------------------------- instructions

    def step(self, this: MachineInstruction, state: State) -> State:
        """What registers hold behind an instruction; its rules are noted."""
        self.this, self.frame_state = this, self.liveness.frame.before[this.address]
        self.forget_stale(state)
        if this.address in self.function.calls:
            return self.call(state)
        handler = self.handler(this)
        if handler is None:
            self.unknown(this, state)
        else:
            handler(this, state)
        for register in this.writes & set(self.frame_state.pointers):
            if register not in ("rsp", "rbp") and handler is None:
                state[register] = NOTHING
        return state

    def forget_stale(self, state: State) -> None:
        """SOUND: what the same instruction loaded when it was executed before is another value."""
        here = self.this.address
        for name, value in state.items():
            if any(leaf.at == here and leaf.carrier.kind != "parameter" for leaf in leaves(value)):
                state[name] = lost([value])

    def handler(self, this: MachineInstruction) -> Callable[[MachineInstruction, State], None] | None:
        name = this.name
        if this.has_upper:
            return None
        if name in ("mov", "movabs", "movzx", "movsx", "movsxd") and not this.is_vector:
            return self.move
        if name == "lea":
            return self.lea
        if name in _TWO or name in ("inc", "dec", "neg", "not", "imul", *_SHIFTS):
            return self.arithmetic if not (name == "imul" and len(this.operands) == 1) else self.product
        if name in ("cmp", "test"):
            return self.compare
        if name.startswith("set") or (name.startswith("j") and name not in ("jmp", "jrcxz", "jecxz")):
            return self.decide
        if name in ("cdqe", "cwde", "cdq", "cqo", "mul", "idiv", "div"):
            return {"mul": self.product, "idiv": self.divide, "div": self.divide}.get(name, self.extend)
        if name in ("ret", "push", "pop", "jmp", *QUIET):
            return self.leave
        return None

    def unknown(self, this: MachineInstruction, state: State) -> None:
        """Whatever it reads must be the same, and nothing is known of what it writes.

        SOUND: it may leave its target as it was (`cmov`), and decoders do not count that as reading it.
        """
        if is_string(this):
            self.rule(Rule.WILD)
        for operand in this.operands:
            if isinstance(operand, MemoryOperand):
                carrier = self.place(operand, state)
                if carrier is not None:
                    self.same(Carried(carrier, this.address))
                    self.rule(Rule.WIDEN, target=carrier)
        for register in sorted(r for r in self.liveness.looks_at(this) if r in state):
            self.same(state[register])
        if "rflags" in this.reads:
            self.same(lost([state.get(FLAGS, NOTHING)]))  # SOUND: they are kept as a term that is no value
        for register in this.writes:
            state[register] = NOTHING
        state[FLAGS] = NOTHING if "rflags" in this.writes else lost([state.get(FLAGS, NOTHING)])

    def move(self, this: MachineInstruction, state: State) -> None:
        target, source = this.operands
        value = self.read(source, state)
        if this.name in ("movsx", "movsxd"):
            size = source.size if isinstance(source, Register | MemoryOperand) else 8
            value = signed(value, size)
        if isinstance(source, Immediate) and isinstance(target, Register) and target.size == 4:
            value = narrow(value, 4)
        self.write(target, value, state)

    def lea(self, this: MachineInstruction, state: State) -> None:
        target, source = this.operands
        assert isinstance(source, MemoryOperand)
        assert self.frame_state is not None
        if self.liveness.frame.address(source, self.frame_state) is not None:
            for register in (source.base, source.by):
                if register and register not in self.frame_state.pointers:
                    self.same(self.register(register, state))
            self.write(target, NOTHING, state)  # what a pointer points to is asked of the frame: own_address
        else:
            self.write(target, self.address(source, state), state)

    def arithmetic(self, this: MachineInstruction, state: State) -> None:
        """Two operands, or one; the first is the target."""
        target = this.operands[0]
        size = target.size if isinstance(target, Register | MemoryOperand) else 8
        if isinstance(target, Register) and target.name in ("rsp", "rbp"):
            return
        if this.name == "xor" and this.operands[0] == this.operands[1]:
            value: Value = Number(0)
        elif this.name == "imul" and len(this.operands) == 3:
            value = made(Compute.MUL, self.read(this.operands[1], state), self.read(this.operands[2], state))
        else:
            value = self.computed(this, self.read(target, state), size, state)
        value = narrow(value, size)
        self.write(target, value, state)
        # SOUND: these leave some flags as they were, or all.
        kept = this.name in ("inc", "dec", "not", *_SHIFTS)
        state[FLAGS] = lost([value, state.get(FLAGS, NOTHING)] if kept else [value])

    def computed(self, this: MachineInstruction, old: Value, size: int, state: State) -> Value:
        if this.name in ("inc", "dec"):
            return made(Compute.ADD if this.name == "inc" else Compute.SUB, old, Number(1))
        if this.name == "neg":
            return made(Compute.SUB, Number(0), old)
        if this.name == "not":
            return made(Compute.XOR, old, number(-1))
        if this.name in _SHIFTS:
            by: Value = self.read(this.operands[1], state) if len(this.operands) > 1 else Number(1)
            by = made(Compute.AND, narrow(by, 1), Number(63 if size == 8 else 31))
            return made(_SHIFTS[this.name], signed(old, size) if this.name == "sar" else old, by)
        how = Compute.MUL if this.name == "imul" else _TWO[this.name]
        return made(how, old, self.read(this.operands[1], state))

    def product(self, this: MachineInstruction, state: State) -> None:
        """Of rax and the operand, into rdx and rax."""
        operand = this.operands[0]
        size = operand.size if isinstance(operand, Register | MemoryOperand) else 0
        one, other = self.register("rax", state, size), self.read(operand, state)
        if size == 4:
            wide = signed if this.name == "imul" else narrow
            whole = made(Compute.MUL, wide(one, 4), wide(other, 4))
            state["rax"], state["rdx"] = narrow(whole, 4), narrow(made(Compute.SHR, whole, Number(32)), 4)
        elif size == 8:
            high = Compute.HIGH if this.name == "imul" else Compute.HIGHU
            state["rax"], state["rdx"] = made(Compute.MUL, one, other), made(high, one, other)
        else:
            state["rax"] = state["rdx"] = lost([one, other])
        state[FLAGS] = lost([one, other])

    def divide(self, this: MachineInstruction, state: State) -> None:
        """rdx and rax by the operand: followed only if rdx is no more than the sign of rax."""
        operand, by_sign = this.operands[0], this.name == "idiv"
        size = operand.size if isinstance(operand, Register | MemoryOperand) else 0
        low, high, other = (
            self.register("rax", state, max(size, 4)),
            self.register("rdx", state, max(size, 4)),
            self.read(operand, state),
        )
        above = sign_of(low, size) if by_sign else Number(0)
        parts: list[Value] = [low, high, other]
        if size in (4, 8) and high == above:
            wide = signed if by_sign else narrow
            one, two = wide(low, size), wide(other, size)
            quotient, remainder = (
                (Compute.QUOTIENT, Compute.REMAINDER) if by_sign else (Compute.QUOTIENTU, Compute.REMAINDERU)
            )
            state["rax"], state["rdx"] = narrow(made(quotient, one, two), size), narrow(made(remainder, one, two), size)
        else:
            state["rax"] = state["rdx"] = lost(parts)
        self.same(made(Compute.EQUAL, other, Number(0)))  # a division by zero ends the program
        state[FLAGS] = lost(parts)

    def extend(self, this: MachineInstruction, state: State) -> None:
        if this.name == "cdqe":
            state["rax"] = signed(self.register("rax", state, 4), 4)
        elif this.name == "cwde":
            state["rax"] = narrow(signed(self.register("rax", state, 2), 2), 4)
        elif this.name == "cdq":
            state["rdx"] = sign_of(self.register("rax", state, 4), 4)
        else:
            state["rdx"] = sign_of(self.register("rax", state), 8)

    def compare(self, this: MachineInstruction, state: State) -> None:
        first, second = this.operands
        size = first.size if isinstance(first, Register | MemoryOperand) else 8
        one, other = self.read(first, state), self.read(second, state)
        if isinstance(second, Immediate):
            other = narrow(other, size)
        if this.name == "test":
            one, other = (one if first == second else made(Compute.AND, one, other)), Number(0)
        known = not isinstance(made(Compute.SUB, one, other), LostValue)
        # What the conditions are computed from; the size is kept as a number.
        sized = Made(Compute.ADD, one, number(size))
        state[FLAGS] = Made(Compute.EQUAL, sized, other) if known else lost([one, other])

    def condition(self, name: str, state: State) -> Value:
        flags = state.get(FLAGS, NOTHING)
        if not isinstance(flags, Made) or name not in (*CONDITIONS, "s", "ns"):
            return lost([flags])
        assert isinstance(flags.one, Made)
        one, other, kept = flags.one.one, flags.other, flags.one.other
        assert other is not None
        assert isinstance(kept, Number)
        size = kept.value
        how, exchanged, negated, by_sign = CONDITIONS.get(name, (Compute.LESS, False, name == "ns", True))
        if name in ("s", "ns") and other != Number(0):
            return lost([one, other])
        wide = signed if by_sign else narrow
        one, other = wide(one, size), wide(other, size)
        found = made(how, other, one) if exchanged else made(how, one, other)
        return made(Compute.XOR, found, Number(1)) if negated else found

    def decide(self, this: MachineInstruction, state: State) -> None:
        """A jump goes one way or the other; `set` only makes a value of it."""
        if this.name.startswith("j"):
            self.same(self.condition(condition_name(this.name[1:]), state))
        else:
            self.write(this.operands[0], self.condition(condition_name(this.name[3:]), state), state)

    def leave(self, this: MachineInstruction, state: State) -> None:
        if this.name == "ret":
            self.returned(state)
        elif this.name == "push":
            source = this.operands[0]
            if not (isinstance(source, Register) and source.name in (*SAVED_REGISTERS, "rbp")):
                self.same(self.read(source, state))
            elif source.name in state:
                self.same(state[source.name])
        elif this.name == "pop" and isinstance(this.operands[0], Register):
            state[this.operands[0].name] = NOTHING
        elif this.name == "jmp" and not isinstance(this.operands[0], Immediate):
            self.same(self.read(this.operands[0], state))

    def returned(self, state: State) -> None:
        if not self.program.returns(self.function.low):
            return
        value = state.get("rax", NOTHING)
        self.rule(Rule.FLOW, value, self.program.carriers.result(self.function.low))
        if self.program.returns_two(self.function.low):
            self.same(state.get("rdx", NOTHING))  # SOUND: nobody follows it to the caller
        if self.function.low in self.program.reach.taken:
            self.same(value)  # it may be the result of a thread

    # ---------------------------------------------------------------------------------------------- calls

    def call(self, state: State) -> State:
        target = self.function.calls[self.this.address]
        after: State = {r: v for r, v in state.items() if r in SAVED_REGISTERS}
        if isinstance(target, int):
            self.pass_to(target, state)
            after["rax"] = Carried(self.program.carriers.result(target), self.this.address)
        elif target is None:
            self.rule(Rule.OPAQUE)
        else:
            after["rax"] = self.library(target, state)
        return after

    def pass_to(self, callee: int, state: State) -> None:
        for register in sorted(self.program.parameters(callee)):
            value = self.register(register, state)
            self.rule(Rule.FLOW, value, self.program.carriers.parameter(callee, register))

    def library(self, name: str, state: State) -> Value:
        """A call of a library; what it returns."""
        if TOLD.match(name):
            if "func" not in name:
                self.rule(Rule.ADDRESS, self.register("rdi", state))
            return NOTHING
        atomic = ATOMIC.match(name)
        if atomic:
            return self.atomic(int(atomic[1]) // 8, atomic[2], state)
        if name in CREATES:
            return self.create(name, state)
        ours = name.startswith("isospin_")  # in front of that of a library: it tells what it touches
        name = name if name in LIBRARY else name.removeprefix("isospin_")
        if name not in LIBRARY or (name == SAYS and not self.program.says_values(self.register("rdi", state))):
            self.rule(Rule.WILD if ours else Rule.UNSEEN)
            self.anything(state)
            return NOTHING
        printed: list[Value] = []
        for register, how in zip(GIVEN, LIBRARY[name], strict=False):
            value = self.register(register, state)
            if how == "a":
                self.rule(Rule.ADDRESS, value)
            elif how == "v" or self.program.reads_back:
                self.same(value)
            else:
                printed.append(value)
        if name in ALLOCATES:
            return Address("block", self.this.end)
        return lost(printed)  # how many characters were printed

    def anything(self, state: State) -> None:
        """Nobody knows what is done with the values that are given."""
        for register in GIVEN:
            self.same(state.get(register, NOTHING))

    def create(self, name: str, state: State) -> Value:
        start, argument, touched = CREATES[name]
        for register in GIVEN[: len(touched)]:
            self.rule(Rule.ADDRESS, self.register(register, state))
        function = self.register(start, state)
        known = isinstance(function, Number) and function.value in self.program.reach.starts
        self.same(function)
        for callee in [function.value] if known and isinstance(function, Number) else sorted(self.program.reach.taken):
            self.rule(Rule.FLOW, self.register(argument, state), self.program.carriers.parameter(callee, "rdi"))
        return NOTHING

    def atomic(self, size: int, how: str, state: State) -> Value:
        if size > 8:  # in two registers
            self.anything(state)
        carrier = self.memory(self.register("rdi", state), size)
        loaded: Value = NOTHING if carrier is None else Carried(carrier, self.this.address)
        if how == "load":
            return loaded
        value = narrow(self.register("rdx" if how.startswith("compare") else "rsi", state), size)
        if how in ("store", "exchange"):
            self.store(carrier, value)
            return loaded if how == "exchange" else NOTHING
        if how.startswith("compare"):
            self.compare_with(size, how, loaded, state)
        self.same(loaded)
        self.same(value)
        if carrier is not None:
            self.rule(Rule.WIDEN, target=carrier)
        return NOTHING

    def compare_with(self, size: int, how: str, loaded: Value, state: State) -> None:
        """What is expected: a value, or what is in memory; if that is something else, it gets what is there instead."""
        if how.endswith("val"):
            self.same(self.register("rsi", state, size))
            return
        expected = self.place(MemoryOperand("rsi", "", 1, 0, size, ""), state)
        if expected is not None:
            self.same(Carried(expected, self.this.address))
            self.store(expected, loaded)


def _joined(one: State, other: State) -> State:
    """What is known where two ways meet."""
    found: State = {}
    for name in one.keys() | other.keys():
        a, b = one.get(name, NOTHING), other.get(name, NOTHING)
        found[name] = a if a == b else lost([a, b])
    return found
