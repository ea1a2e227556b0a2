"""Control flow: statements -> numbered elements -> the locations and actions of a template.

Reference: the automata that SPIN 6.5 builds with `-o3` (no statement merging), as `pan -d` prints them.
Differs: nothing in the result.  Location numbers, element ids, where an atomic sequence ends, and which `goto` costs a
step of its own are SPIN's, because state counts and trails depend on each of them.  A test compares them with SPIN's
own tables.

The construction has three stages.  `Builder.prepare` turns the parts of a compound statement into sequences of
elements, in the order in which SPIN numbers them.  `Builder.add` appends the elements of the statement itself.
`automaton.py` then links each element to its successors, bypassing jumps, and gives each choice the first
steps of its options.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace

from ...core.errors import Diagnostic, Location, SourceError
from ...core.model import Allocate, Call, Else, End, Receive, Return, Run, Scalar, Send, Skip, Sort, Step
from ...core.records import dataclass
from . import render
from .functions import Functions
from .labels import Braces, Label, Labels
from .names import Symbol
from .syntax import (
    Block,
    Break,
    ConditionStatement,
    Declaration,
    ExclusiveUse,
    Goto,
    Labelled,
    MtypeDeclaration,
    Number,
    Prefixed,
    PrintStatement,
    RemoteLabel,
    ReturnStatement,
    ScopedStatements,
    Selection,
    Statement,
    Unless,
)

SPECIAL_LABELS = ("end", "progress", "accept")


@dataclass(eq=False)
class FlowElement:
    """A node of SPIN's flow graph."""

    kind: str  # step, goto, join ('.'), break, if, do, unless, atomic, block, d_step, end, dropped
    number: int  # location, unique in the proctype
    id: int  # unique in the model
    location: Location
    text: str
    step: Step = field(default_factory=Skip)
    label: str = ""  # where a goto goes: known when the whole proctype was read
    next: FlowElement | None = None
    parts: list[_Sequence] = field(default_factory=list)
    escapes: list[_Sequence] = field(default_factory=list)  # innermost last
    atomic: bool = False
    ends_atomic: bool = False
    d_step: int = 0  # which d_step of the source it stands in (0: none)
    idle: bool = False  # a skip or a printf
    returns: list[tuple[int, int]] = field(default_factory=list)  # id and call site of each way to return


@dataclass(eq=False)
class _Sequence:
    """A part of the control flow: where it begins, where it ends."""

    first: FlowElement | None = None
    last: FlowElement | None = None
    extent: FlowElement | None = None  # the last element of its own, before a join was appended

    def append(self, element: FlowElement) -> None:
        if self.last is None:
            self.first = element
        else:
            self.last.next = element
        self.last = element

    def own(self) -> Iterator[FlowElement]:
        element = self.first
        while element is not None:
            yield element
            if element is self.extent:
                return
            element = element.next


@dataclass(eq=False)
class _FlowNode:
    """A statement whose inner sequences exist already."""

    kind: str
    location: Location
    text: str = ""
    step: Step = field(default_factory=Skip)
    label: Label | None = None
    idle: bool = False
    parts: list[_Sequence] = field(default_factory=list)
    inner: _FlowNode | None = None  # of a labelled statement
    breaks: str = ""  # the label at which a loop ends


@dataclass
class Flow:
    """The flow graph of one proctype."""

    name: str
    elements: list[FlowElement] = field(default_factory=list)
    labels: dict[str, FlowElement] = field(default_factory=dict)
    label_places: dict[str, Location] = field(default_factory=dict)
    scopes: Labels = field(default_factory=Labels)
    gotos: list[tuple[Label, FlowElement]] = field(default_factory=list)
    body: _Sequence = field(default_factory=_Sequence)
    entries: dict[str, _Sequence] = field(default_factory=dict)  # the bodies of the functions that are called
    sites: list[FlowElement] = field(default_factory=list)  # the calls

    def element(self, number: int) -> FlowElement:
        return next(e for e in self.elements if e.number == number)


class Builder(Functions):
    """Statements as locations and actions of a template."""

    def __init__(self) -> None:
        super().__init__()
        self.next_id = 0
        self.flow = Flow("")
        self.flows: dict[str, Flow] = {}
        self.sequences: list[_Sequence] = []
        self.braces: Braces = ()
        self.brace_count = 0
        self.loops: list[str] = []
        self.loop_count = 0
        self.exclusive: list[tuple[str, str, str]] = []
        self.early_labels: list[RemoteLabel] = []
        self.d_steps: list[int] = [0]  # those that are open
        self.unbroken = 0  # how many atomic, d_step and unless are open
        self.d_step_count = 0

    # ---------------------------------------------------------------- sequences

    def statements(self, statements: tuple[Statement, ...], scope: dict[str, Symbol] | None = None) -> _Sequence:
        self.sequences.append(_Sequence())
        self.scopes.append({} if scope is None else scope)
        for statement in statements:
            self.guarded(statement)
        self.scopes.pop()
        sequence = self.sequences.pop()
        sequence.extent = sequence.last
        return sequence

    @contextmanager
    def in_braces(self) -> Iterator[None]:
        outer, self.braces = self.braces, (*self.braces, self.brace_count)
        self.brace_count += 1
        yield
        self.braces = outer

    def guarded(self, statement: Statement) -> None:
        """One statement; a mistake in it does not hide those in the next one."""
        try:
            self.statement(statement)
        except SourceError as error:
            self.problems.extend(error.diagnostics)

    def statement(self, s: Statement) -> None:
        if isinstance(s, Declaration | MtypeDeclaration):
            if isinstance(s, Declaration):
                self.check_not_labels(s)
                if self.inside == "never":
                    self.beyond_spin(s.location, "variables of a never claim")
            else:
                self.beyond_spin(s.names[0][1], "an mtype declaration inside a proctype")
            for step, text, item in self.declare_all(s):
                self.add(_FlowNode("step", item.location, text, step))
            return
        self.initialising = False
        if isinstance(s, ScopedStatements):
            self.scopes.append({})
            with self.in_braces():
                for inner in s.body:
                    self.guarded(inner)
            self.scopes.pop()
        elif isinstance(s, ExclusiveUse):
            for c in s.channels:
                kind = self.resolve(c)[1]
                if not isinstance(kind, Scalar) or kind.sort is not Sort.CHANNEL:
                    self.fail(c.location, f"{s.kind} is about channels, '{render.reference(c)}' is a {kind.name}")
            self.check_exclusive(s)
            self.exclusive += [(s.kind, self.flow.name, render.reference(c)) for c in s.channels]
        else:
            self.add(self.prepare(s))

    def check_exclusive(self, s: ExclusiveUse) -> None:
        for c in s.channels:
            if any(k == s.kind and p != self.flow.name and n == render.reference(c) for k, p, n in self.exclusive):
                self.beyond_spin(s.location, f"{s.kind} of one channel in two proctypes")

    def in_d_step(self) -> bool:
        return bool(self.d_steps[-1])

    # ---------------------------------------------------------------- preparing

    def prepare(self, s: Statement) -> _FlowNode:
        match s:
            case Labelled():
                return _FlowNode("label", s.location, label=self.mention(s.label), inner=self.prepare(s.statement))
            case Block():
                return self.prepare_block(s)
            case Selection():
                return self.prepare_choice(s)
            case Unless():
                return self.prepare_unless(s)
            case Goto():
                return _FlowNode("goto", s.location, render.statement(s), label=self.mention(s.label))
            case Break():
                if not self.loops:
                    self.fail(s.location, "break outside a do loop")
                return _FlowNode("goto", s.location, "break", label=Label(self.loops[-1]))
            case Prefixed():
                for before in s.before:
                    self.guarded(before)
                return self.prepare(s.statement)
            case _:
                return self.prepare_step(s)

    def prepare_step(self, s: Statement) -> _FlowNode:
        assert not isinstance(s, MtypeDeclaration)
        step = self.step(s)
        if isinstance(step, Call) and self.unbroken:
            hint = "call it outside, or put the atomic into the function"
            self.fail(s.location, "a function is called inside atomic, d_step or unless", hint)
        if isinstance(step, Run) and self.d_steps[-1]:
            self.fail(s.location, "run inside a d_step", "use atomic instead of d_step")
        if isinstance(step, Allocate) and self.d_steps[-1]:
            self.fail(s.location, "new inside a d_step", "use atomic instead of d_step")
        return _FlowNode("step", s.location, render.statement(s), step, idle=_is_idle(s))

    def prepare_block(self, s: Block) -> _FlowNode:
        known = len(self.problems)
        self.unbroken += bool(s.kind)
        if s.kind == "d_step":
            self.d_step_count += 1
            self.d_steps.append(self.d_step_count)
        with self.in_braces():
            sequence = self.statements(s.body)
        self.unbroken -= bool(s.kind)
        if s.kind == "d_step":
            self.d_steps.pop()
        if sequence.first is None and len(self.problems) > known:
            raise SourceError([])  # there were statements, but they were wrong
        if sequence.first is None:
            self.fail(s.location, "there is no statement between these braces", "write skip")
        self.check_first_label(s, sequence)
        if s.kind:
            _make_atomic(sequence, s.kind == "d_step")
        return _FlowNode(s.kind or "block", s.location, render.statement(s), parts=[sequence])

    def check_not_labels(self, s: Declaration) -> None:
        for item in s.items:
            if item.name in self.flow.label_places:
                hint = f"the label is at {self.flow.label_places[item.name]}"
                self.fail(item.location, f"'{item.name}' is already a label", hint)

    def check_first_label(self, s: Block, sequence: _Sequence) -> None:
        for key in self.labels_at(sequence.first):
            kind = s.kind + " " if s.kind else ""
            self.fail(
                self.flow.label_places[key],
                f"label '{_plain(key)}' stands at the start inside {kind}braces",
                f"write {_plain(key)}: {kind}{{ ... }}",
            )

    def check_option(self, s: Selection, option: _Sequence) -> None:
        """A process waits at the choice, never at the first statement of an option."""
        for key in self.labels_at(option.first):
            name = _plain(key)
            message = f"label '{name}' stands on the first statement of an option, where no process ever is"
            if name.startswith(SPECIAL_LABELS):
                message += "; as in SPIN it counts behind that statement instead"
            self.warn(self.flow.label_places[key], message, f"write {name}: {s.kind} ... if the choice is meant")

    def labels_at(self, element: FlowElement | None) -> list[str]:
        return [key for key, e in self.flow.labels.items() if e is element and key in self.flow.label_places]

    def prepare_choice(self, s: Selection) -> _FlowNode:
        ends = ""
        if s.kind == "do":
            self.loop_count += 1
            ends = f":b{self.loop_count - 1}"
            self.loops.append(ends)
        options = [self.statements(option, self.scopes[-1]) for option in s.options]  # only braces make a scope
        if s.option_order:
            options = [options[i] for i in s.option_order]
        for option in options:
            self.check_option(s, option)
            if s.written and self.inside != "never":
                self.drop_skips(option)
        if s.kind == "do":
            self.loops.pop()
        guards = [o for o in options if o.first is not None and isinstance(o.first.step, Else)]
        if len(guards) > 1:
            assert guards[1].first is not None
            self.fail(guards[1].first.location, f"this {s.kind} has two else options")
        if guards and self.exclusive and any(_is_exchange(o.first) for o in options):
            assert guards[0].first is not None
            self.beyond_spin(guards[0].first.location, "else beside a send or receive in a model with xr or xs")
        # SOUND: else is tried last, when it is known that nothing else can be executed.
        options = [o for o in options if o not in guards] + guards
        return _FlowNode(s.kind, s.location, s.kind, parts=[o for o in options if o.first is not None], breaks=ends)

    def drop_skips(self, option: _Sequence) -> None:
        """Of several skips in a row SPIN keeps the first one in an option, and one at its end."""
        before, run = option.first, 0
        for element in list(option.own()):
            run = run + 1 if element.idle and not self.labels_at(element) else 0
            needless = run > 1 and isinstance(element.step, Skip) and element is not option.last
            if needless and before is not None:
                before.next, element.kind = element.next, "dropped"
            else:
                before = element

    def prepare_unless(self, s: Unless) -> _FlowNode:
        """The body and its escape; SPIN numbers a simple escape before a simple body."""
        if self.d_steps[-1]:
            self.fail(s.location, "unless inside a d_step", "use atomic instead of d_step")
        self.unbroken += 1
        body = self.prepare(s.body)
        escape = self.prepare(s.escape)
        self.unbroken -= 1
        if escape.kind == "label":
            self.beyond_spin(escape.location, "a label on the first statement of an escape")
        escapes = escape.parts[0] if escape.kind == "block" else self.singleton(escape)
        if body.kind == "block":
            return _FlowNode("unless", s.location, "unless", parts=[body.parts[0], escapes])
        if body.kind == "label":
            return self.labelled_unless(s, body, escapes)
        return _FlowNode("unless", s.location, "unless", parts=[self.singleton(body), escapes])

    def labelled_unless(self, s: Unless, body: _FlowNode, escapes: _Sequence) -> _FlowNode:
        inner = body.inner
        assert inner is not None
        assert body.label is not None
        name = body.label.name
        if inner.kind not in ("block", "atomic", "d_step"):
            hint = f"write {name}: {{ ... unless ... }}"
            self.fail(body.location, f"label '{name}' stands before 'unless'", hint)
        whole = self.singleton(_FlowNode("unless", s.location, "unless", parts=[inner.parts[0], escapes]))
        lifted = _FlowNode(inner.kind, body.location, inner.text, parts=[whole])
        return _FlowNode("label", body.location, label=body.label, inner=lifted)

    def singleton(self, node: _FlowNode) -> _Sequence:
        self.sequences.append(_Sequence())
        self.add(node)
        sequence = self.sequences.pop()
        sequence.extent = sequence.last
        return sequence

    # ---------------------------------------------------------------- adding

    def add(self, node: _FlowNode) -> None:
        labels: list[tuple[Label, Location]] = []
        while node.inner is not None:
            assert node.label is not None
            labels.insert(0, (node.label, node.location))
            node = node.inner
        element = self.element(node)
        for label, location in labels:
            self.set_label(label, location, element)
        if node.kind not in ("if", "do", "unless"):
            self.append(element)

    def new_element(self, kind: str, location: Location, text: str, step: Step | None = None) -> FlowElement:
        number = len(self.flow.elements) + 1
        element = FlowElement(kind, number, self.next_id, location, text, step or Skip(), d_step=self.d_steps[-1])
        self.next_id += 1
        self.flow.elements.append(element)
        return element

    def element(self, node: _FlowNode) -> FlowElement:
        if node.kind in ("if", "do", "unless"):
            return self.branching(node)
        element = self.new_element(node.kind, node.location, node.text, node.step)
        if isinstance(node.step, Call):
            element.step = replace(node.step, site=len(self.flow.sites))
            self.flow.sites.append(element)
        element.idle, element.parts = node.idle, node.parts
        if node.kind == "goto":
            assert node.label is not None
            self.flow.gotos.append((node.label, element))
        return element

    def branching(self, node: _FlowNode) -> FlowElement:
        """A choice or an unless: the element itself, the join behind its parts, and where a loop breaks to."""
        element = self.new_element(node.kind, node.location, node.text)
        join = self.new_element("join", node.location, "")
        element.parts = node.parts
        for part in node.parts:
            part.append(join)
        if node.kind == "unless":
            for inner in node.parts[0].own():
                _attach_escape(inner, node.parts[1])
        if node.kind == "do":
            self.append(join)
            join = self.new_element("break", node.location, "")
            self.flow.labels[self.flow.scopes.define(Label(node.breaks))] = join
        self.append(element)
        self.append(join)
        return element

    def append(self, element: FlowElement) -> None:
        if element.kind == "goto":
            labels = self.labels_at(element)
            if any(n.startswith(SPECIAL_LABELS) for n in labels):
                # A jump is no location, so a label that means something gets one of its own: the last one, in SPIN.
                stop = self.new_element("step", element.location, "skip")
                self.flow.labels[labels[-1]] = stop
                self.append(stop)
        self.sequences[-1].append(element)

    def mention(self, name: str) -> Label:
        if self.function is not None:
            name = f"{name} of {self.function.name}"
        return self.flow.scopes.mention(name, self.braces)

    def set_label(self, label: Label, location: Location, element: FlowElement) -> None:
        if (known := self.flow.scopes.keys.get(label)) is not None:
            hint = f"first at {self.flow.label_places.get(known, location)}"
            self.fail(location, f"label '{label.name}' is defined twice in {self.flow.name}", hint)
        if (variable := self.lookup(label.name)) is not None:
            self.broken.add(label.name)
            message = f"'{label.name}' is a variable and cannot be a label"
            self.fail(location, message, f"declared at {variable.location}")
        key = self.flow.scopes.define(label)
        self.flow.labels[key] = element
        self.flow.label_places[key] = location

    def tie_jumps(self) -> None:
        """Now that all labels are known, say where each jump goes."""
        for label, element in self.flow.gotos:
            key = self.flow.scopes.resolve(label)
            if key is None:
                known = [n.name for n in self.flow.scopes.keys if not n.name.startswith(":")]
                try:
                    self.unknown(element.location, "label", label.name, known)
                except SourceError as error:
                    self.problems.extend(error.diagnostics)
            element.label = key or ""

    def pin_label(self, e: RemoteLabel) -> None:
        """A remote reference to a label on a jump turns the jump into a location followed by the jump."""
        flow = self.flows.get(e.process)
        if flow is None:  # a proctype that is defined later: see `Loader.model`
            self.early_labels.append(e)
            return
        if e.label not in flow.labels:
            self.unknown(e.location, f"label of {e.process}", e.label, [n for n in flow.labels if n[0] != ":"])
        element = flow.labels[e.label]
        if element.kind == "goto":
            jump = replace(element, number=len(flow.elements) + 1, id=self.next_id)
            self.next_id += 1
            flow.elements.append(jump)
            flow.gotos += [(label, jump) for label, e in flow.gotos if e is element]
            element.kind, element.text, element.label, element.next = "step", "skip", "", jump

    # ---------------------------------------------------------------- whole proctypes

    def build(self, name: str, statements: tuple[Statement, ...], end: Location) -> Flow:
        self.flow = self.flows[name] = Flow(name)
        self.loops, self.braces = [], ()
        self.d_steps = [0]
        body = self.statements(statements, self.scopes[-1])  # parameters and locals share a scope
        body.append(self.new_element("end", end, "-end-", End()))
        self.flow.body = body
        self.build_functions()
        self.tie_jumps()
        self.check_jumps()
        return self.flow

    def build_functions(self) -> None:
        """The bodies of all functions that are called from here, each once."""
        done = self.flow.entries
        while missing := [s.step.function for s in self.flow.sites
                          if isinstance(s.step, Call) and s.step.function not in done]:  # fmt: skip
            self.build_function(missing[0])
        self.tie_calls()

    def build_function(self, name: str) -> None:
        function = self.functions[name]
        scopes, self.scopes = self.scopes, [self.scopes[0], self.function_scope(name)]
        self.function, self.prefix, self.loops = function, f"{name}.", []
        self.initialising = False
        try:
            sequence = self.statements(function.body, self.scopes[-1])
            back = self.step(ReturnStatement(None, function.location))
            sequence.append(self.new_element("step", function.location, f"end of {name}", back))
            self.flow.entries[name] = sequence
        finally:
            self.scopes, self.function, self.prefix = scopes, None, ""

    def tie_calls(self) -> None:
        """Now that all variables and all calls are known, calls and returns can say what they are about."""
        calls = [(e, e.step) for e in self.flow.sites if isinstance(e.step, Call)]
        for element, step in calls:
            element.step = replace(step, variables=self.variables_of(step.function))
        for element in self.flow.elements:
            if isinstance(element.step, Return):
                sites = [s.site for _, s in calls if s.function == element.step.function]
                for i, site in enumerate(sites):
                    element.returns.append((element.id if i == 0 else self.next_id, site))
                    self.next_id += i > 0

    def check_jumps(self) -> None:
        """No jump crosses the borders of a d_step, nor goes to its start: SPIN refuses them."""
        for element in self.flow.elements:
            target = self.flow.labels.get(element.label) if element.kind == "goto" else None
            if target is None or (target.kind != "d_step" and target.d_step == element.d_step):
                continue
            if target.kind == "d_step" and target.d_step == element.d_step:
                message, hint = "this jump goes to a d_step", f"write {element.label}: skip; d_step {{ ... }}"
            elif element.d_step:
                message, hint = "this jump leaves a d_step", "use atomic instead of d_step"
            else:
                message, hint = "this jump goes into a d_step", "use atomic instead of d_step"
            self.problems.append(Diagnostic(element.location, message, hint))


def _plain(key: str) -> str:
    """The name of a label, as it is written."""
    return key.partition("'")[0]


def _is_exchange(element: FlowElement | None) -> bool:
    return element is not None and isinstance(element.step, Send | Receive)


def _is_idle(s: Statement) -> bool:
    """Does SPIN take it for a skip, when it looks for several in a row?"""
    if isinstance(s, ConditionStatement):
        return isinstance(s.expression, Number) and s.expression.value == 1
    return isinstance(s, PrintStatement)


# -------------------------------------------------------------------------------------------------- atomic, unless


def _make_atomic(sequence: _Sequence, deterministic: bool) -> None:
    """Mark everything inside; the last step does not keep control."""
    for element in sequence.own():
        _mark_atomic(element, deterministic)
    last = sequence.last
    if last is None:
        return
    if last.kind in ("block", "atomic", "unless"):
        _make_atomic(last.parts[0], deterministic)
    else:
        last.atomic, last.ends_atomic = False, True


def _mark_atomic(element: FlowElement, deterministic: bool) -> None:
    element.atomic = True
    if element.kind == "atomic" or (deterministic and element.kind == "d_step"):
        element.kind = "block"  # nested: the outer one counts
    if element.kind == "d_step":
        return
    for part in element.parts:
        inner: FlowElement | None = part.first
        while inner is not None:
            _mark_atomic(inner, deterministic)
            if inner is part.last:
                break
            inner = inner.next


def _attach_escape(element: FlowElement, escape: _Sequence) -> None:
    """Let `escape` interrupt the element and everything in it, escapes of its own included."""
    if escape in element.escapes:
        return
    for lower in element.escapes:
        for inner in lower.own():
            _attach_escape(inner, escape)
    element.escapes.insert(0, escape)
    if element.kind == "d_step":
        assert element.parts[0].first is not None
        _attach_escape(element.parts[0].first, escape)
        return
    parts = element.parts[:1] if element.kind == "unless" else element.parts
    for part in parts:
        for inner in part.own():
            _attach_escape(inner, escape)
