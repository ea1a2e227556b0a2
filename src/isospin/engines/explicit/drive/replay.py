"""A path of the engine, run again on the reference semantics: what exactly went wrong, in its own words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ....core.errors import InternalError
from ....core.model import Claim
from ....core.permutation import Permutation
from ....core.trace import Choice, FoldedChoice
from ....semantics.explain import choice_of
from ....semantics.interp import Interpreter, Taken
from ....semantics.start import start_of
from ....semantics.state import Fault, State
from ...contract import Finding
from ...interp.claims import place, violation
from ...interp.lasso import Confirmer
from ..constants import RunKind
from ..state.facts import Facts
from .messages import ClaimRun

Move = Callable[[Permutation, State], State]


def findings(
    interpreter: Interpreter, start: State, path: Sequence[FoldedChoice], move: Move | None = None
) -> list[Finding]:
    """The faults of the last step, and what is wrong with the state at the end."""
    end: State | None = start
    control: int | None = None
    faults: tuple[Fault, ...] = ()
    for number, (choice, permutation) in enumerate(path, 1):
        if end is None:
            raise InternalError(f"the counterexample goes on after a fault, at step {number}")
        taken = take(interpreter, end, control, choice, number)
        end, control, faults = taken.state, taken.control, taken.faults
        if permutation is not None:
            if end is None or move is None:
                raise InternalError(f"nothing can be folded after step {number} of the counterexample")
            end, control = move(permutation, end), None
    if end is not None:
        faults = (*faults, *interpreter.wrong_at(end))
    if not faults:
        raise InternalError("the counterexample ends in a state with nothing wrong")
    choices, folds = tuple(step.choice for step in path), _folds_of(path)
    where = start_of(interpreter.model, start)
    return [Finding(f.kind, f.message, f.location, choices, start=where, folds=folds) for f in faults]


def claim_finding(facts: Facts, claim: Claim, run: ClaimRun, move: Move | None = None) -> Finding:
    """A run that violates a claim; the checker does not know in which words a claim has no value."""
    confirmer = Confirmer(facts.interpreter, claim)
    path = run.path
    location, kind, message = claim.location, "claim", violation(confirmer.watcher, claim, for_good=True)
    if run.what == RunKind.CYCLE:
        kind, message = confirmer.watcher.cycle, violation(confirmer.watcher, claim, facts.fair)
    elif run.what == RunKind.FAULT:
        looks = list(_seen(facts.interpreter, facts.initial[run.initial], run.path, move))
        fault, at = confirmer.first_fault([state for state, _ in looks])
        fault, path = place(fault, claim), run.path[: looks[at][1]]
        location, kind, message = fault.location, fault.kind, fault.message
    choices, folds = tuple(step.choice for step in path), _folds_of(path)
    return Finding(kind, message, location, choices, folds=folds, cycle_start=run.cycle)


def _seen(
    interpreter: Interpreter, state: State, path: Sequence[FoldedChoice], move: Move | None
) -> Iterator[tuple[State, int]]:
    """The states of a path that a claim looks at, and how many steps lead to each."""
    control: int | None = None
    yield state, 0
    for number, (choice, permutation) in enumerate(path, 1):
        taken = take(interpreter, state, control, choice, number)
        if taken.state is None:
            raise InternalError(f"step {number} of the counterexample leads nowhere")
        state, control = taken.state, taken.control
        if permutation is not None and move is not None:
            state, control = move(permutation, state), None
        if control is None or not interpreter.steps(state, control):
            yield state, number


def _folds_of(path: Sequence[FoldedChoice]) -> tuple[Permutation | None, ...]:
    """The permutations along a path; nothing if no state was folded."""
    permutations = tuple(step.permutation for step in path)
    return permutations if any(p is not None for p in permutations) else ()


def take(interpreter: Interpreter, state: State, control: int | None, choice: Choice, number: int) -> Taken:
    """SOUND: a path that does not replay is a bug of ours, never a finding."""
    found = _match(interpreter.steps(state, control), choice)
    if found is None and control is not None:
        if not interpreter.steps(state, control):  # blocked: control is lost
            found = _match(interpreter.steps(state), choice)
    if found is None:
        raise InternalError(f"step {number} of the counterexample does not replay: {choice}")
    return found


def _match(steps: list[Taken], choice: Choice) -> Taken | None:
    return next((taken for taken in steps if choice_of(taken) == choice), None)
