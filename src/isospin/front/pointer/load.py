"""A pointer automaton -> a Model.

Process p of the automaton is the process with pid p of the model; pid 0, a process that does nothing, stands for NULL.
A local variable is a global array with an element for each process, since others may reach it through pointers.  A mode
is a location, a transition one action.  Variables start with any value that `init` allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar, TypeVarTuple, Unpack

from ...core.errors import Diagnostic, Location, SourceError, UsageError
from ...core.model import (
    Action,
    Assign,
    Binary,
    Const,
    Expr,
    Guard,
    Instance,
    Invariant,
    Model,
    Place,
    Template,
    Transition,
    Variable,
    process_pointer,
)
from .lexer import tokenize
from .meaning import TRUE, Meaning, conjunction
from .names import PASSIVE, Names, Role, discrete
from .parser import Parser
from .syntax import (
    Expression,
    Mode,
    PointerAutomaton,
    ProcessRule,
    PropertyRule,
    TransitionRule,
    VariableRule,
    show,
    show_rule,
)

PROCESSES = 3  # unless -N says otherwise
MOST_PROCESSES = 250
MOST_VALUES = 1 << 17  # of a variable
LARGEST = 10**9
NOBODY = "NULL"
CHECKS = ("deadlock", "guards")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def read_model(text: str, file: str, *, defines: Iterable[str] = (), processes: int | None = None) -> Model:
    """The model in a text."""
    return load_text(text, file, PROCESSES if processes is None else processes, defines)


def load_text(text: str, file: str, processes: int, defines: Iterable[str] = ()) -> Model:
    """The automaton with so many processes; `defines` give other values to its constants."""
    if not 1 <= processes <= MOST_PROCESSES:
        raise UsageError(f"-N {processes}: the number of processes is 1 to {MOST_PROCESSES}")
    automaton = Parser(tokenize(text, file), file).parse()
    return _AutomatonLoader(automaton, processes, dict(map(_definition, defines))).model()


def _definition(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        number = int(value or "1")
    except ValueError:
        raise UsageError(f"-D {text[:80]}: the value of a constant is a number") from None
    if abs(number) >= LARGEST:
        raise UsageError(f"-D {text[:80]}: this number is too large")
    return name, number


class _AutomatonLoader:
    """Turns a parsed pointer automaton into a model."""

    def __init__(self, automaton: PointerAutomaton, size: int, defines: dict[str, int]) -> None:
        self.automaton, self.defines = automaton, defines
        self.names = Names(size)
        self.problems: list[Diagnostic] = []
        self.numbered = 0  # actions

    def model(self) -> Model:
        """The model, or all problems of the file at once; process 0 is nobody, so that NULL is a pid."""
        self.attempt(self.constants)
        self.attempt(self.modes)
        for rule in self.automaton.variables:
            self.attempt(self.variable, rule)
        self.raise_problems()
        self.attempt(self.checks)
        rules = zip(self.names.roles, self.automaton.processes, strict=True)
        templates = [self.nobody(), *(self.template(role, rule) for role, rule in rules)]
        invariants = [i for p in self.automaton.properties if (i := self.attempt(self.invariant, p)) is not None]
        variables, initially = self.attempt(self.initial) or ((), TRUE)
        self.raise_problems()
        instances = [Instance(NOBODY), *(Instance(r.name) for r in self.names.roles for _ in r.pids)]
        return Model(
            self.automaton.file,
            variables,
            (),
            tuple(templates),
            tuple(instances),
            invariants=tuple(invariants),
            wants_deadlock=self.is_asked("deadlock"),
            initially=initially,
        )

    def attempt(self, work: Callable[[Unpack[Ts]], T], *about: *Ts) -> T | None:
        """Do it; a mistake of the user is kept, so that others are found too."""
        try:
            return work(*about)
        except SourceError as error:
            self.problems += error.diagnostics
            return None

    def raise_problems(self) -> None:
        if self.problems:
            raise SourceError(self.problems)

    # ---------------------------------------------------------------- declarations

    def constants(self) -> None:
        for name, e in self.automaton.constants:
            self.names.add(name.name, name.location)
            value = self.number(e)
            self.names.constants[name.name] = self.defines.get(name.name, value)
        for given in self.defines:
            if given not in self.names.constants:
                known = ", ".join(self.names.constants) or "none"
                raise UsageError(f"-D {given}: the file has no such constant (it has: {known})")

    def number(self, e: Expression) -> int:
        value = Meaning(self.names).value(e).constant
        if value is None:
            raise SourceError.at(e.location, f"'{show(e)}' is not constant", "use numbers, constants and N")
        return value

    def modes(self) -> None:
        """Modes are numbered through the whole file, processes from 1 on."""
        rules = self.automaton.processes
        if not rules:
            raise SourceError.at(Location(self.automaton.file, 1, 1), "there are no processes", "declare `process`")
        counts = self.counts(rules)
        first = 1
        for rule, count in zip(rules, counts, strict=True):
            if rule.name == NOBODY or rule.name in (r.name for r in self.names.roles):
                raise SourceError.at(rule.location, f"'{rule.name}' is declared twice", "choose another name")
            numbers = tuple(self.mode(mode) for mode in rule.modes)
            self.names.roles.append(Role(rule.name, first, count, numbers or (PASSIVE,)))
            first += count
        if any(role.is_passive for role in self.names.roles):
            self.names.labels[PASSIVE] = str(PASSIVE)

    def counts(self, rules: list[ProcessRule]) -> list[int]:
        """How many processes each rule has; one of them may take the rest of N."""
        size = self.names.size
        given = [None if r.count is None else self.number(r.count) for r in rules]
        rest = size - sum(n for n in given if n is not None)
        if given.count(None) > 1:
            second = [r for r in rules if r.count is None][1]
            raise SourceError.at(second.location, "how many processes of this kind are there?", "write [COUNT]")
        if rest < 0 or (rest > 0 and None not in given) or any(n is not None and n < 0 for n in given):
            text = " + ".join(str(n) for n in given if n is not None)
            message = f"the counts do not fit {size} processes: {text}"
            raise SourceError.at(rules[0].location, message, "-N says how many there are")
        return [rest if n is None else n for n in given]

    def mode(self, mode: Mode) -> int:
        """Number a mode; a name that is a number must be its own."""
        number = len(self.names.labels)
        if mode.name.isdigit():
            if int(mode.name) != number:
                hint = "modes are numbered from 0 in the order of the file; a name can be anything"
                raise SourceError.at(mode.location, f"this is mode {number}, not {mode.name}", hint)
        else:
            self.names.add(mode.name, mode.location)
        self.names.modes[mode.name] = number
        self.names.labels[number] = mode.name
        return number

    def variable(self, rule: VariableRule) -> None:
        """A local variable is an array by pid, of which each process owns its element; any value may be the first."""
        names = self.names
        names.add(rule.name, rule.location)
        low, high = (0, names.size) if rule.bounds is None else (self.number(e) for e in rule.bounds)
        if high - low >= MOST_VALUES:
            message = f"the range {low}..{high} has more than {MOST_VALUES:,} values"
            raise SourceError.at(rule.location, message, "a variable may start with any of them")
        if low > high:
            raise SourceError.at(rule.location, f"the range {low}..{high} is empty", "the smaller bound comes first")
        base = sum(v.size for v in names.variables.values())
        kind = process_pointer(names.size) if rule.bounds is None else discrete(low, high)
        shape = (names.size + 1,) if rule.is_local else ()
        names.variables[rule.name] = Variable(
            (rule.name,), (len(shape),), shape, kind, base, False, rule.location,
            choices=tuple(range(low, high + 1)), owned=rule.is_local,
        )  # fmt: skip
        names.bounds[rule.name] = low, high

    def checks(self) -> None:
        for name in self.automaton.checks:
            if name.name not in CHECKS:
                hint = f"available: {', '.join(CHECKS)}"
                raise SourceError.at(name.location, f"'{name.name}' is nothing to check", hint)

    def is_asked(self, check: str) -> bool:
        return any(n.name == check for n in self.automaton.checks)

    # ---------------------------------------------------------------- processes

    def nobody(self) -> Template:
        place = Location(self.automaton.file, 1, 1)
        return Template(NOBODY, (), (), 0, (self.nothing(0, place),), end_locations=frozenset({0}), location=place)

    def nothing(self, location: int, place: Location) -> Action:
        """Leaves a location, but is never executed."""
        self.numbered += 1
        return Action(self.numbered, location, location, Guard(Const(0)), place, "")

    def template(self, role: Role, rule: ProcessRule) -> Template:
        """The modes are locations; one without transitions has a step that does nothing, and is an end."""
        if role.is_passive:
            idle = self.nothing(0, rule.location)
            label = (str(PASSIVE), 0)
            return Template(role.name, (), (), 0, (idle,), (label,), frozenset({0}), location=rule.location)
        actions, ends = [], set()
        for number, mode in zip(role.modes, rule.modes, strict=True):
            found = [a for r in mode.rules if (a := self.attempt(self.action, role, number, r)) is not None]
            if not mode.rules:
                ends.add(number)
                found = [self.nothing(number, mode.location)]
            actions += found
        labels = tuple((self.names.labels[m], m) for m in role.modes)
        return Template(
            role.name, (), (), role.modes[0], tuple(actions), labels, frozenset(ends), location=rule.location
        )  # fmt: skip

    def action(self, role: Role, source: int, rule: TransitionRule) -> Action:
        """A transition, with its guard and assignments as one step."""
        target = self.names.modes.get(rule.target)
        if target is None:
            raise self.names.unknown(rule.target, rule.target_location, "mode")
        if target not in role.modes:
            hint = f"the modes of {role.name} are {', '.join(self.names.labels[m] for m in role.modes)}"
            raise SourceError.at(rule.target_location, f"{rule.target} is no mode of {role.name}", hint)
        guard: Expr = TRUE
        if rule.guard is not None:
            meaning = Meaning(self.names, role, faults=self.is_asked("guards"))
            guard = meaning.strict(rule.guard)
        effect = Meaning(self.names, role, faults=True)
        assigns = tuple(Assign(*effect.assignment(a)) for a in rule.assignments)
        self.numbered += 1
        return Action(self.numbered, source, target, Transition(guard, assigns), rule.location, show_rule(rule))

    # ---------------------------------------------------------------- properties, initial states

    def invariant(self, rule: PropertyRule) -> Invariant:
        meaning = Meaning(self.names)
        condition = meaning.strict(rule.condition)
        text = show(rule.condition)
        return Invariant(rule.name, condition, conjunction(meaning.defined), text, rule.location)

    def initial(self) -> tuple[tuple[Variable, ...], Expr]:
        """The variables with what they start with, and what else is asked of initial states."""
        conditions: list[Expr] = []
        for e in self.automaton.initial:
            conditions += _conjuncts(Meaning(self.names).strict(e))
        fixed: dict[int, int] = {}
        for condition in conditions:
            if (known := _fixes(condition)) is not None:
                fixed.setdefault(*known)
        variables = tuple(_started(v, fixed) for v in self.names.variables.values())
        free = {v.base + i for v in variables if v.choices for i in range(v.size)}
        kept = [c for c in conditions if (k := _fixes(c)) is None or k[0] in free or fixed[k[0]] != k[1]]
        return variables, conjunction(kept)


def _conjuncts(e: Expr) -> list[Expr]:
    found, todo = list[Expr](), [e]
    while todo:
        part = todo.pop()
        if isinstance(part, Binary) and part.op == "&&":
            todo += (part.right, part.left)
        else:
            found.append(part)
    return found


def _fixes(e: Expr) -> tuple[int, int] | None:
    """The slot and the value, if the condition says no more than that a variable has a value."""
    match e:
        case Binary("==", Place(variable, ()), Const(value)) | Binary("==", Const(value), Place(variable, ())):
            return variable.base, value
        case (
            Binary("==", Place(variable, (Const(pid),)), Const(value))
            | Binary("==", Const(value), Place(variable, (Const(pid),)))
        ):
            return variable.base + pid, value
    return None


def _started(variable: Variable, fixed: dict[int, int]) -> Variable:
    """A variable whose value is fixed for every process has no choice."""
    slots = range(variable.base + int(variable.owned), variable.base + variable.size)
    values = [fixed.get(slot) for slot in slots]
    if any(v not in variable.choices for v in values):
        return variable
    known = [Const(v) for v in values if v is not None]
    initial = (Const(0), *known) if variable.owned else tuple(known)
    same = len(set(initial)) == 1
    return replace(variable, choices=(), initial=() if same and initial[0].value == 0 else initial)
