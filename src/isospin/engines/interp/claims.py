"""Claims as automata that watch a run: formulas, never claims, accept labels, non-progress.

Reference: SPIN 6.5's verifiers: the claim moves first, then the processes; it does not move inside atomic sequences;
when the run has ended, it goes on looking at the last state.
Differs: each claim is watched alone: accept labels of processes do not count while a formula is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ...core.errors import NOWHERE, InternalError
from ...core.model import Action, Assert, Claim, Else, End, Expr, Guard, Print, Skip, Template
from ...ltl.automaton import Buchi
from ...ltl.translate import automaton
from ...semantics.interp import Interpreter
from ...semantics.state import Fault, State, Value, World
from ...semantics.walk import atoms, by_source, evaluated

NOBODY = -1  # a claim is no process
NON_PROGRESS = "non-progress"
STEPS = (Assert, Else, End, Guard, Print, Skip)


class Watcher(Protocol):
    """A claim on its way: which of its states can follow, and what they mean."""

    start: int
    cycle: str  # the kind of violation that an accepting cycle is
    stutters: bool  # does it look at runs that have ended?

    def moves(self, state: State, at: int, ended: bool, idle: bool) -> list[int]:
        """The states that can follow when the claim looks at `state`; `idle`: no process can move without timeout.

        Raises Fault if what it looks at has no meaning.
        """

    def accepts(self, state: State, at: int) -> bool:
        """Is the claim violated by a run that comes back here for ever?"""

    def is_final(self, at: int) -> bool:
        """Is the claim violated, whatever happens next?"""


def watcher(claim: Claim, interpreter: Interpreter) -> Watcher:
    if claim.kind == "ltl":
        assert claim.formula is not None
        return FormulaWatcher(automaton(claim.formula, negated=True), interpreter)
    if claim.kind == "never":
        assert claim.template is not None
        return NeverWatcher(claim.template, interpreter)
    if claim.kind == "accept":
        return _LabelWatcher(interpreter)
    if claim.kind == NON_PROGRESS:
        return _ProgressWatcher(interpreter)
    raise InternalError(f"no claim of kind {claim.kind}")


def problem(claim: Claim) -> str:
    """Why a claim cannot be checked; empty if it can."""
    if claim.template is None:
        return ""
    if claim.template.locals:
        return "a never claim with variables of its own is not supported; make them global"
    for action in claim.template.actions:
        if not isinstance(action.step, STEPS):
            return f"a never claim may only look, but '{action.text}' at {action.location} has an effect"
        if action.escape:
            return f"unless in a never claim is not supported ({action.location})"
    return ""


class FormulaWatcher:
    """The automaton of the negated formula."""

    start = 0
    cycle = "acceptance-cycle"
    stutters = True

    def __init__(self, buchi: Buchi, interpreter: Interpreter) -> None:
        self.buchi, self.traps = buchi, buchi.traps
        self.values: list[Value] = [interpreter.value(atom) for atom in buchi.atoms]
        self.seen: tuple[State | None, bool, bool, int] = (None, False, False, 0)  # the last state, and its valuation

    def moves(self, state: State, at: int, ended: bool, idle: bool) -> list[int]:
        valuation = self.valuation(state, ended, idle)
        return list(dict.fromkeys(t for cube, t in self.buchi.edges[at] if cube.holds(valuation)))

    def valuation(self, state: State, ended: bool, idle: bool) -> int:
        if self.seen[0] is not state or self.seen[1:3] != (ended, idle):
            w = looking(state, ended, idle)
            self.seen = (state, ended, idle, sum(1 << i for i, value in enumerate(self.values) if value(w)))
        return self.seen[3]

    def accepts(self, state: State, at: int) -> bool:
        return at in self.buchi.accepting

    def is_final(self, at: int) -> bool:
        return at in self.traps


class NeverWatcher:
    """A never claim as the user wrote it."""

    cycle = "acceptance-cycle"
    stutters = True

    def __init__(self, template: Template, interpreter: Interpreter) -> None:
        self.template, self.start = template, template.entry
        self.leaving = by_source(template.actions)
        self.value = interpreter.value

    def moves(self, state: State, at: int, ended: bool, idle: bool) -> list[int]:
        return list(self.paths(state, at, idle, ended))

    def paths(self, state: State, at: int, idle: bool, ended: bool = False) -> dict[int, tuple[int, ...]]:
        """Where the claim can go, with the ids of its actions on the way; an atomic sequence looks at one state."""
        w = looking(state, ended, idle)
        found: dict[int, tuple[int, ...]] = {}
        inside: dict[int, tuple[int, ...]] = {at: ()}
        todo = [at]
        while todo:
            here = todo.pop()
            for action in self.executable(w, here):
                reached = inside if action.keeps_control else found
                if action.target not in reached:
                    reached[action.target] = (*inside[here], action.id)
                    todo += [action.target] if action.keeps_control else []
        return found

    def executable(self, w: World, at: int) -> Iterator[Action]:
        """What a never claim can do in this state; `else` if nothing else can be done."""
        moved = False
        for action in self.leaving.get(at, []):
            if isinstance(action.step, Else) and moved:
                continue
            if isinstance(action.step, Guard) and not self.value(action.step.condition)(w):
                continue
            if isinstance(action.step, Assert) and not self.value(action.step.condition)(w):
                raise Fault("assertion", f"{action.text} failed in the never claim", action.location)
            if not isinstance(action.step, End):
                moved = True
                yield action

    def accepts(self, state: State, at: int) -> bool:
        return at in self.template.accept_locations

    def is_final(self, at: int) -> bool:
        return at in self.template.end_locations


class _LabelWatcher:
    """Accept labels in processes: some process is at one of them again and again."""

    start = 0
    cycle = "acceptance-cycle"
    stutters = True

    def __init__(self, interpreter: Interpreter) -> None:
        self.accepting = [t.accept_locations for t in interpreter.model.templates]

    def moves(self, state: State, at: int, ended: bool, idle: bool) -> list[int]:
        return [0]

    def accepts(self, state: State, at: int) -> bool:
        return any(p.location in self.accepting[p.template] for p in state.processes)

    def is_final(self, at: int) -> bool:
        return False


class _ProgressWatcher:
    """From some point on, no process is at a progress label: wait (0), then see that it stays so (1)."""

    start = 0
    cycle = "non-progress-cycle"
    stutters = False

    def __init__(self, interpreter: Interpreter) -> None:
        self.non_progress = interpreter.evaluator.non_progress

    def moves(self, state: State, at: int, ended: bool, idle: bool) -> list[int]:
        if self.non_progress(looking(state, ended, idle)):
            return [1] if at else [1, 0]
        return [] if at else [0]

    def accepts(self, state: State, at: int) -> bool:
        return at == 1

    def is_final(self, at: int) -> bool:
        return False


def looked_at(claim: Claim) -> Iterator[Expr]:
    """The expressions of a claim."""
    if claim.formula is not None:
        yield from atoms(claim.formula)
    for action in claim.template.actions if claim.template else ():
        yield from evaluated(action.step)


def looking(state: State, ended: bool, idle: bool) -> World:
    w = World(state, NOBODY, timeout=idle)
    w.stutters = ended
    return w


def violation(watcher: Watcher, claim: Claim, fair: bool = False, for_good: bool = False) -> str:
    """What is wrong with a run that violates the claim: a cycle, unless it is violated for good."""
    if for_good:
        return f"{claim.name} is violated, whatever happens next"
    if watcher.cycle == "non-progress-cycle":
        return f"a {'fair ' if fair else ''}cycle without progress"
    return f"a {'fair ' if fair else ''}run that violates {claim.name} and goes on for ever"


def place(fault: Fault, claim: Claim) -> Fault:
    """A fault of a claim, with a place to show."""
    if fault.location == NOWHERE:
        fault.location = claim.location
    return fault
