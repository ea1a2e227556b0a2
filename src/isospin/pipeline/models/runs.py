"""Single runs: simulated, or replayed from a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import TypeAlias

from ...core import deadline
from ...core.depth import room
from ...core.errors import InternalError, UsageError
from ...core.model import Model
from ...core.trace import Choice, RunView, Snapshot, Start, Trace, UserRun
from ...core.verdict import Violation
from ...core.walk import Crossroads
from ...semantics.explain import Namer, Position, Replayer, explain
from ...semantics.interp import Interpreter, Taken
from ...semantics.snapshot import snapshots as paint
from ...semantics.start import start_of
from ...semantics.state import Fault, State

MOST_STARTS = 1000  # initial states that a simulation chooses from
Say: TypeAlias = Callable[[str], None]


class ModelWalker:
    """Somebody walks through a model, from one of its initial states: the seed chooses, unless one is given."""

    def __init__(self, model: Model, seed: int, start: dict[str, int] | None = None, say: Say | None = None) -> None:
        self.file, self.say = model.file, say
        self.chance = Random(seed)  # which goes on where the choice of the start ends
        self.interpreter = Interpreter(model.unbounded())
        self.replayer = Replayer(self.interpreter)
        if start:
            self.begin = self.replayer.start(named_start(model, start)).state
        else:
            self.begin = self.chance.choice(list(islice(self.interpreter.initial_states(), MOST_STARTS)))

    def close(self) -> None:
        """Nothing is kept."""

    @room()
    def at(self, path: Sequence[Choice]) -> Crossroads:
        here, fault = self.follow(path)
        return self.told(path, here, fault)

    @room()
    def random(self, path: Sequence[Choice], chance: Random, steps: int) -> Crossroads:
        """Until something is wrong, nothing can come next, or there are enough steps."""
        here, fault = self.follow(path)
        choices = list(path)
        while here is not None and fault is None and len(choices) < steps and not deadline.is_over():
            if self.say is not None and len(choices) % 1000 == 999:
                self.say(f"step {len(choices) + 1:,} of {steps:,}")
            options = self.replayer.options(here)
            if not options or next(self.interpreter.broken(here.state), None) is not None:
                break
            taken = chance.choice(options)
            choices.append(self.replayer.choice(here, taken))
            here, fault = self.after(here, taken)
        found = self.told(choices, here, fault)
        late = deadline.reason("simulating") if deadline.is_over() else f"stopped after {len(choices)} steps"
        return replace(found, ending=found.ending or late)

    def follow(self, path: Sequence[Choice]) -> tuple[Position | None, Fault | None]:
        """Where a path leads, and what its last step did wrong."""
        here: Position | None = Position(self.begin)
        fault: Fault | None = None
        for choice in path:
            taken = None if here is None else self.replayer.take(here, choice)
            if here is None or taken is None:
                raise UsageError(f"the trace is not a run of {self.file}; was the model changed?")
            here, fault = self.after(here, taken)
        return here, fault

    def after(self, here: Position, taken: Taken) -> tuple[Position | None, Fault | None]:
        there = None if taken.state is None else self.replayer.after(here, taken)
        return there, next(iter(taken.faults), None)

    def told(self, choices: Sequence[Choice], here: Position | None, fault: Fault | None) -> Crossroads:
        """The run so far, and what can come next, or how it ended."""
        trace = explain(self.interpreter, choices, start=start_of(self.interpreter.model, self.begin)).trace
        options: list[Taken] = []
        if here is not None and fault is None:
            fault = next(self.interpreter.broken(here.state), None)
            options = [] if fault is not None else self.replayer.options(here)
            if not options and fault is None:
                fault = self.interpreter.stuck(here.state)
        if fault is not None:
            failure = Violation(fault.kind, "safety", fault.message, fault.location, trace)
            return Crossroads(trace, ending=f"{fault.kind}: {fault.message}", failure=failure)
        if not options or here is None:
            return Crossroads(trace, ending="the run ends in a valid end state")
        namer = Namer(self.interpreter)
        return Crossroads(trace, tuple(namer.step(here, taken) for taken in options))


def simulate(model: Model, seed: int, steps: int, say: Say | None = None) -> UserRun:
    """A run of at most `steps` steps, random from the seed."""
    walker = ModelWalker(model, seed, say=say)
    found = walker.random((), walker.chance, steps)
    return UserRun(found.trace, found.ending, found.failure is not None)


@room()
def replay(
    model: Model, choices: list[Choice], statements: list[str], cycle_start: int | None = None, said: str = "",
    start: dict[str, int] | None = None,
) -> UserRun:  # fmt: skip
    """Step through a saved trace; it must be one of this model.  Of a claim, what was `said` is repeated."""
    interpreter = Interpreter(model.unbounded())
    try:
        with deadline.stretch("replaying the trace"):
            trace, faults, final = explain(interpreter, choices, start=named_start(model, start or {}))
    except InternalError:
        raise UsageError(f"the trace is not a run of {model.file}; was the model changed?") from None
    if [s.statement for s in trace.steps] != statements:
        raise UsageError(f"the statements of the trace are not those of {model.file}; was the model changed?")
    if said:
        return UserRun(replace(trace, cycle_start=cycle_start), f"{said} (the claim is not evaluated again)", True)
    return UserRun(trace, *ending(interpreter, faults, final))


def ending(interpreter: Interpreter, faults: Sequence[Fault], final: State | None) -> tuple[str, bool]:
    """What is wrong at the end of a run, and whether anything is."""
    if not faults and final is not None:
        faults = tuple(interpreter.wrong_at(final))
    text = "; ".join(f"{f.kind}: {f.message}" for f in faults)
    return text or "nothing is violated at the end of this trace", bool(faults)


def named_start(model: Model, values: dict[str, int]) -> Start:
    """Where a saved trace starts."""
    slots = {v.element(i): v.base + i for v in model.globals for i in range(v.size)}
    if unknown := [name for name in values if name not in slots]:
        raise UsageError(f"the trace starts with {unknown[0]}, which {model.file} does not have; was it changed?")
    return tuple((slots[name], value) for name, value in values.items())


@room()
def snapshots(model: Model, trace: Trace, most: int | None = None) -> list[Snapshot]:
    """All that can be seen of a run of the model, state by state; of a long one, of the last steps."""
    return paint(model.unbounded(), trace.choices, named_start(model, dict(trace.start)), most)


@room()
def run_view(model: Model, violation: Violation, most: int | None = None) -> RunView:
    """A counterexample for people: its states, and of a claim the automaton beside them."""
    from ...engines.interp.claim_view import automaton_along

    whole = model.unbounded()
    claim = next((c for c in whole.claims if c.name == violation.property), None)
    along = None if claim is None else automaton_along(Interpreter(whole), claim, violation.trace)
    return RunView(tuple(snapshots(model, violation.trace, most)), along)
