"""A Promela program -> a Model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TypeVar

from ...core.errors import Diagnostic, Location, SourceError
from ...core.files import is_below
from ...core.model import (
    Action,
    Binary,
    Claim,
    Else,
    EventMonitor,
    Expr,
    Field,
    Instance,
    Model,
    Scalar,
    Template,
    Temporal,
    Unary,
    Variable,
)
from ..preprocessor.preprocess import preprocess
from .automaton import TemplateAutomaton
from .expressions import TEMPORAL_NAMES
from .flow import Builder
from .lexer import tokenize
from .meaning import MOST_PRIORITY, Signature, fold
from .names import VariableFrame, flatten
from .parser import Parser
from .syntax import (
    Declaration,
    Expression,
    FunctionDeclaration,
    MtypeDeclaration,
    NamedFormula,
    Operation,
    ProcessDeclaration,
    PromelaProgram,
    ScalarsetDeclaration,
    TypeDefinition,
    Unit,
)

MOST_PROCESSES = 255
T = TypeVar("T")


def load(path: Path, defines: Iterable[str] = ()) -> Model:
    return load_text(path.read_text(encoding="utf-8", errors="replace"), str(path), defines)


def read_model(
    text: str, file: str, *, defines: Iterable[str] = (), include: Sequence[str] = (), ltl: str | None = None
) -> Model:
    """The model in a text; `ltl` names one of its claims, or is a formula, which becomes one."""
    model = load_text(text, file, defines, include)
    if ltl is None or any(c.name == ltl for c in model.claims):
        return model
    return _load_with_formula(text, file, ltl, defines, [c.name for c in model.claims], include)


def load_text(text: str, file: str, defines: Iterable[str] = (), include: Sequence[str] = ()) -> Model:
    """`include` are folders in which files that are included are looked for, besides that of the file."""
    folders = (os.path.dirname(file), *include)
    try:
        source = preprocess(text, file, defines, include)
        model = Loader(Parser(tokenize(source), file).parse()).model()
    except SourceError as error:
        raise type(error)(_hidden(d, file, folders) for d in error.diagnostics) from None
    return replace(model, warnings=tuple(_hidden(w, file, folders) for w in (*source.warnings, *model.warnings)))


def _hidden(d: Diagnostic, file: str, folders: Sequence[str]) -> Diagnostic:
    """A message; its line is shown only if the file is one of the model: who may write a model may not read all."""
    ours = d.source or d.location.file == file or is_below(d.location.file, folders)
    return d if ours else replace(d, source=None)


FORMULA = "the_formula_of_the_command_line"
OPTION = "--ltl"
OPERATORS = "operators: [] <> X U W V ! && || -> <->, over any expressions of the model"


def _load_with_formula(
    text: str, file: str, formula: str, defines: Iterable[str] = (), claims: Iterable[str] = (),
    include: Sequence[str] = (),
) -> Model:  # fmt: skip
    """The model with one more claim, named by the text of its formula; places in it are those of the option.

    `claims` are the names that could have been meant instead.
    """
    lines = text.splitlines()
    if any(c in formula for c in "{}\n\r"):
        place = Location(OPTION, 1, 1, len(formula))
        raise SourceError([_formula_problem(place, "a formula has no braces and no line breaks", "", formula)])
    whole = "\n".join([*lines, f"ltl {FORMULA} {{", formula, "}", ""])
    try:
        model = load_text(whole, file, defines, include)
    except SourceError as error:
        found = [_moved(d, file, len(lines) + 2, formula) for d in error.diagnostics]
        if formula.isidentifier():
            hint = f"the claims of the model are: {', '.join(claims) or 'none'}"
            found = [replace(d, hint=d.hint or hint) for d in found]
        raise SourceError(found) from None
    own = next(c for c in model.claims if c.name == FORMULA)
    claim = replace(own, name=formula, text=formula, location=Location(OPTION, 1, 1, len(formula)))
    return replace(model, claims=tuple(claim if c is own else c for c in model.claims))


def _moved(d: Diagnostic, file: str, line: int, formula: str) -> Diagnostic:
    """A message about the added lines as one about the option."""
    if d.location.file != file or d.location.line < line:
        return d
    end = d.location.line > line
    column = len(formula) + 1 if end else d.location.column
    message = d.message.replace("found '}'", "found the end of the formula")
    message = message.replace("expected '}'", "expected an operator or the end of the formula")
    hint = d.hint or (OPERATORS if message.startswith("expected") else "")
    return _formula_problem(replace(d.location, file=OPTION, line=1, column=column), message, hint, formula)


def _formula_problem(location: Location, message: str, hint: str, formula: str) -> Diagnostic:
    return Diagnostic(location, message, hint, source=formula + " ")


class Loader(Builder):
    """Goes through the program once, in order: a variable must be declared before it is used.

    Types and the heads of proctypes come first, so that they may be used before they are defined.
    """

    def __init__(self, program: PromelaProgram) -> None:
        super().__init__()
        self.program = program
        self.frames: dict[str, VariableFrame] = {}
        self.parameters: dict[str, int] = {}  # how many of a frame's variables are parameters
        self.provided: dict[str, Expr] = {}
        self.instances: list[Instance] = []
        self.claims: list[Claim] = []

    def model(self) -> Model:
        """The model, or all problems of the file at once; heads come before bodies, so that order does not matter."""
        units = self.program.units
        for location, what in self.program.beyond:
            self.beyond_spin(location, what)
        types = (ScalarsetDeclaration, TypeDefinition, MtypeDeclaration)
        early = (*types, FunctionDeclaration)
        self.later = {i.name: i.location for u in units if isinstance(u, Declaration) for i in u.items}
        self.each([u for u in units if isinstance(u, types)], self.define)
        self.each(list(self.pointed), self.check_pointed)
        self.each([u for u in units if isinstance(u, FunctionDeclaration)], self.define_function)
        self.each(self.processes(), self.head)
        self.each([u for u in units if not isinstance(u, (*early, NamedFormula))], self.define)
        self.each([u for u in units if isinstance(u, NamedFormula)], self.define)
        self.each(list(self.early_labels), self.pin_label)
        self.stop_at_problems()
        for name, function in self.functions.items():
            if not any(name in flow.entries for flow in self.flows.values()):
                self.warn(function.location, f"function '{name}' is never called, so its body was not looked at")
        model = self.assemble()
        self.stop_at_problems()
        return model

    def each(self, units: Iterable[T], action: Callable[[T], None]) -> None:
        """Do it for every unit; a mistake in one does not hide those in the next."""
        for unit in units:
            try:
                action(unit)
            except SourceError as error:
                self.problems.extend(error.diagnostics)

    def stop_at_problems(self) -> None:
        if self.problems:
            raise SourceError(list(dict.fromkeys(self.problems)))  # a function is looked at once for each proctype

    def processes(self, *kinds: str) -> list[ProcessDeclaration]:
        found = [u for u in self.program.units if isinstance(u, ProcessDeclaration)]
        return [p for p in found if p.kind in kinds] if kinds else found

    def define(self, unit: Unit) -> None:
        """Any unit that is not a head."""
        match unit:
            case TypeDefinition():
                self.define_type(unit)
            case ScalarsetDeclaration():
                self.define_scalarset(unit)
            case ProcessDeclaration():
                self.process(unit)
            case NamedFormula():
                if any(claim.name == unit.name for claim in self.claims):
                    self.fail(unit.location, f"ltl '{unit.name}' is defined twice")
                if unit.name in self.signatures:
                    self.beyond_spin(unit.location, "an ltl formula with the name of a proctype")
                self.inside = "ltl"
                formula = self.temporal(unit.expression)
                self.claims.append(Claim(unit.name, "ltl", unit.text, unit.location, formula=formula))
            case Declaration() | MtypeDeclaration():
                self.initialising = True
                self.declare_all(unit)

    # ---------------------------------------------------------------- processes

    def head(self, unit: Unit) -> None:
        """The name and the parameters of a proctype."""
        assert isinstance(unit, ProcessDeclaration)
        if unit.name in self.signatures:
            what = "a second init" if unit.kind == "init" else f"{unit.kind} '{unit.name}' is defined twice"
            self.fail(unit.location, what, f"the first is at {self.signatures[unit.name].location}")
        names: list[str] = []
        kinds: list[str] = []
        types: list[Scalar] = []
        for declaration in unit.parameters:
            for item in declaration.items:
                kind, size = self.shape(declaration, item)
                if item.initial is not None:
                    self.beyond_spin(item.location, "an initial value of a parameter")
                if size is not None:
                    self.fail(item.location, "an array cannot be a parameter", "make it global, or part of a typedef")
                for path, _, _, scalar in flatten((item.name,), (0,), (), kind):
                    names.append(".".join(path))
                    types.append(scalar)
                    kinds.append(f"{scalar.name} {'.'.join(path)}")
        self.signatures[unit.name] = Signature(unit.name, tuple(names), tuple(kinds), unit.location, tuple(types))

    def process(self, unit: ProcessDeclaration) -> None:
        """The body of a proctype as a flow, with a frame for its variables."""
        frame = self.frames[unit.name] = self.frame = VariableFrame(True)
        self.scopes.append({})
        self.initialising = True
        self.inside = unit.kind
        try:
            for declaration in unit.parameters:
                self.declare_all(declaration)
            self.parameters[unit.name] = len(frame.variables)
            self.locals_of[unit.name] = self.scopes[-1]
            if unit.provided is not None:
                self.inside = "provided"
                self.provided[unit.name] = self.full(unit.provided)
                self.inside = unit.kind
            self.build(unit.name, unit.body, unit.location)
        finally:
            self.scopes = self.scopes[:1]
            self.frame = self.global_frame
        if unit.kind in ("proctype", "init") and unit.name in self.signatures:
            self.start(unit)

    def start(self, unit: ProcessDeclaration) -> None:
        """`active [n]` and `init` are processes from the start."""
        priority = 1 if unit.priority is None else self.constant(unit.priority, "a priority")
        if unit.priority is not None:
            self.used.add("priority")
            if not 1 <= priority <= MOST_PRIORITY:
                self.fail(unit.priority.location, f"a priority is 1 to {MOST_PRIORITY}, not {priority}")
        count = 1 if unit.kind == "init" else 0
        if unit.active is not None:
            count = self.constant(unit.active, "the number of active processes")
            if not 0 <= count <= MOST_PROCESSES:
                self.fail(unit.active.location, f"active [{count}]: a model has at most {MOST_PROCESSES} processes")
        zeros = (0,) * len(self.signatures[unit.name].parameters)
        self.instances += [Instance(unit.name, zeros, priority)] * count

    # ---------------------------------------------------------------- formulas

    def temporal(self, e: Expression) -> Temporal:
        if isinstance(e, Operation) and (e.op in TEMPORAL_NAMES or e.op in ("&&", "||", "!")):
            found = Temporal(e.op, tuple(self.temporal(o) for o in e.operands))
            return _guarded(found)
        return Temporal("atom", atom=fold(self.expr(e)))

    # ---------------------------------------------------------------- the model

    def assemble(self) -> Model:
        """The model from what was defined; there must be a process."""
        templates = [t for p in self.processes() if (t := self.template(p)) is not None]
        normal = tuple(t for t in templates if t.kind in ("proctype", "init"))
        if len(self.instances) > MOST_PROCESSES:
            self.fail(Location(self.program.file, 1, 1), f"{len(self.instances)} processes, at most {MOST_PROCESSES}")
        if not self.instances:
            hint = "declare a process as 'active proctype', or add an 'init'"
            self.fail(Location(self.program.file, 1, 1), "no process runs at the start", hint)
        return Model(
            file=self.program.file,
            globals=self.globals(),
            channels=tuple(self.global_frame.channels),
            templates=normal,
            instances=tuple(self.instances),
            claims=self.all_claims(templates),
            monitor=self.monitor(templates),
            mtypes=tuple((group, tuple(names)) for group, names in self.mtypes.items()),
            scalarsets=tuple(self.scalarsets.items()),
            uses_last="last" in self.used,
            uses_priority="priority" in self.used,
            warnings=tuple(self.warnings),
            exclusive=tuple(self.exclusive),
            objects=self.object_types(),
        )

    def template(self, unit: ProcessDeclaration) -> Template | None:
        """The locations and actions of a body; None if it has problems, which are noted."""
        try:
            automaton = TemplateAutomaton(self.flows[unit.name])
            actions, marked = tuple(automaton.actions()), automaton.marked()
            self.check_else(actions)
            for jump in automaton.jumps_to_d_steps():
                self.beyond_spin(jump.location, "a jump that leads to a d_step", "put skip before the d_step")
        except SourceError as error:
            self.problems.extend(error.diagnostics)
            return None
        frame, flow = self.frames[unit.name], self.flows[unit.name]
        return Template(
            name=unit.name,
            parameters=tuple(frame.variables[: self.parameters[unit.name]]),
            locals=tuple(frame.variables),
            entry=automaton.entry,
            actions=actions,
            labels=tuple((n, e.number) for n, e in flow.labels.items() if not n.startswith(":")),
            end_locations=marked["end"] | {e.number for e in flow.elements if e.kind == "end"},
            progress_locations=marked["progress"],
            accept_locations=marked["accept"],
            provided=self.provided.get(unit.name),
            channels=tuple(frame.channels),
            location=unit.location,
            kind=unit.kind,
            atomic_locations=frozenset(e.number for e in flow.elements if e.atomic or e.ends_atomic),
            first_stops=automaton.first_stops,
        )

    def check_else(self, actions: tuple[Action, ...]) -> None:
        by_source: dict[int, Action] = {}
        for action in actions:
            if isinstance(action.step, Else):
                if action.source in by_source:
                    hint = f"the other one is at {by_source[action.source].location}"
                    self.fail(action.location, "two else options can be reached at the same place", hint)
                by_source[action.source] = action

    def globals(self) -> tuple[Variable, ...]:
        """The global variables; a hidden one that matters is kept in the state after all."""
        result = []
        matters = self.reads_that_matter()
        for variable in self.global_frame.variables:
            if variable.hidden and variable.base in matters:
                variable = replace(variable, hidden=False)
                hint = "without it states that behave differently would be taken for one; remove 'hidden'"
                self.warn(variable.location, f"hidden '{variable.name}' is read, so it stays in the state", hint)
            result.append(variable)
        return tuple(result)

    def all_claims(self, templates: list[Template]) -> tuple[Claim, ...]:
        claims = list(self.claims)
        for template in templates:
            if template.kind == "never":
                claims.append(Claim(template.name, "never", "never claim", template.location, template=template))
        accepting = [t for t in templates if t.accept_locations and t.kind in ("proctype", "init")]
        if accepting:
            claims.append(Claim("acceptance", "accept", "no acceptance cycle", accepting[0].location))
        return tuple(claims)

    def monitor(self, templates: list[Template]) -> EventMonitor | None:
        found = [t for t in templates if t.kind in ("trace", "notrace")]
        if len(found) > 1:
            self.fail(found[1].location, "a model has at most one trace or notrace")
        if not found:
            return None
        return EventMonitor(found[0], found[0].kind == "notrace")


def _guarded(formula: Temporal) -> Temporal:
    """A formula about one state that follows a pointer is one atom: `p == null || p->x` follows p only if it may."""
    atoms = [o.atom for o in formula.operands if o.atom is not None]
    if len(atoms) < len(formula.operands) or not any(map(_follows, atoms)):
        return formula
    match formula.op, atoms:
        case "!", [one]:
            return Temporal("atom", atom=Unary("!", one))
        case ("&&" | "||") as op, [left, right]:
            return Temporal("atom", atom=Binary(op, left, right))
        case "implies", [left, right]:
            return Temporal("atom", atom=Binary("||", Unary("!", left), right))
    return formula


def _follows(e: object) -> bool:
    """Does an expression follow a pointer?"""
    if isinstance(e, tuple):
        return any(map(_follows, e))
    if isinstance(e, Field) or not is_dataclass(e) or isinstance(e, Variable):
        return isinstance(e, Field)
    return any(_follows(getattr(e, part.name)) for part in fields(e))
