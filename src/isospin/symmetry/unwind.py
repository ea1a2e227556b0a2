"""Paths through representatives, told in the user's own process numbers.

Reference: docs/develop/architecture.md, decision 4: the permutation is never thrown away.
Differs: a symmetry may exchange statements too (`to = 1` of one process for `to = 2` of another), so each step is
looked up on the unreduced model: the one whose result is the image of the result that the search saw.  Inside an atomic
sequence that need not be a single step (a loop looks at the processes in its own order), but the whole sequence is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core.errors import InternalError
from ..core.permutation import Permutation, compose, identity, inverse
from ..core.trace import Choice, FoldedChoice, Start
from ..semantics.explain import Position, Replayer, choice_of
from ..semantics.interp import Taken
from ..semantics.state import State
from .detection.symmetries import Symmetries
from .folding.action import Actions
from .protocol import Strategy

MOST_STEPS = 100_000  # of one atomic sequence


def unwind(
    symmetries: Symmetries,
    path: Iterable[FoldedChoice],
    actions: Actions | None = None,
    strategy: Strategy | None = None,
    start: Start = (),
) -> list[Choice]:
    """The choices of the unreduced model that a folded path stands for; where heaps are folded, by which strategy."""
    if symmetries.order == 1 and symmetries.heap is None:
        return [step.choice for step in path]
    if actions is None and symmetries.order > 1:
        actions = Actions(symmetries)
    return list(_Unwinder(symmetries, actions, strategy, start).steps(path))


def unwind_lasso(
    symmetries: Symmetries, prefix: list[FoldedChoice], cycle: list[FoldedChoice]
) -> tuple[list[Choice], list[Choice]]:
    """A cycle through representatives ends in a permuted state: go round until the state itself is back.

    SOUND: up to addresses and garbage.  Every round may have objects of its own, so nothing more would ever come back.
    """
    if symmetries.order == 1 and symmetries.heap is None:
        return [step.choice for step in prefix], [step.choice for step in cycle]
    unwinder = _Unwinder(symmetries, Actions(symmetries) if symmetries.order > 1 else None)
    before = list(unwinder.steps(prefix))
    start, around = unwinder.is_now, list[Choice]()
    while True:
        around += unwinder.steps(cycle)
        if unwinder.is_now == start:
            return before, around


class _Unwinder:
    """Walks along a folded path twice: in representatives, and in the states that they stand for."""

    def __init__(
        self, symmetries: Symmetries, actions: Actions | None, strategy: Strategy | None = None, start: Start = ()
    ) -> None:
        self.processes = symmetries.processes
        self.symmetries, self.actions, self.strategy = symmetries, actions, strategy
        # SOUND: a search collects garbage; the run that it stands for does not, and may have any number of objects.
        self.replayer = Replayer(symmetries.interpreter.unbounded())
        self.there = self.replayer.start(start)  # what the search saw
        self.here = self.there  # what happened
        self.origin = self.there.state  # the stored state that `there` comes from
        self.fold: Permutation = identity(symmetries.points)  # from here to there

    def steps(self, path: Iterable[FoldedChoice]) -> Iterator[Choice]:
        """The same path in the user's own model, step by step; `there` is the reduced one, `here` the user's."""
        seen: list[Taken] = []  # what was not retold yet
        whole = list(path)
        for number, (choice, permutation) in enumerate(whole, 1):
            taken = next((t for t in self.replayer.options(self.there) if choice_of(t) == choice), None)
            if taken is None:
                raise InternalError(f"a step of the reduced search does not replay: {choice}")
            seen.append(taken)
            if taken.state is None:
                break
            self.there = self.replayer.after(self.there, taken)
            if permutation is None and taken.control is not None:
                continue  # inside an atomic sequence
            yield from self.retell(seen, number == len(whole))
            seen = []
            if permutation is not None:
                self.there = self.folded(permutation)
                self.origin = self.there.state
        if seen:
            yield from self.retell(seen, True)

    def retell(self, seen: list[Taken], at_end: bool) -> Iterator[Choice]:
        """What happened while the search saw these steps of one move, the last ones of the path or not."""
        happened = self.match_steps(seen) or self.match_move(seen, at_end)
        if happened is None:
            raise InternalError(f"no steps of the unreduced model fit {[choice_of(t) for t in seen]}")
        for taken in happened:
            yield self.replayer.choice(self.here, taken)
            if taken.state is not None:
                self.here = self.replayer.after(self.here, taken)

    def match_steps(self, seen: list[Taken]) -> list[Taken] | None:
        here, found = self.here, list[Taken]()
        for one in seen:
            happened = self.counterpart(here, one)
            if happened is None:
                return None
            found.append(happened)
            if happened.state is not None:
                here = self.replayer.after(here, happened)
        return found

    def match_move(self, seen: list[Taken], at_end: bool) -> list[Taken] | None:
        """Steps of the same process through its atomic sequence to the same state; a path that ends with a finding
        ends where that is found."""
        last = seen[-1]
        finds = at_end and bool(last.faults)
        pid = _back_pid(self.back, seen[0].pid)
        wanted = self.settled(None if last.state is None else self.original(last.state))
        todo = [(self.here, list[Taken]())]
        while todo:
            at, path = todo.pop()
            if len(path) > MOST_STEPS:
                return None
            for taken in self.replayer.options(at):
                if taken.pid != pid or (path and at.control != pid):
                    continue
                if _kinds(taken) == _kinds(last) if finds else self.settled(taken.state) == wanted:
                    return [*path, taken]
                if taken.state is not None and taken.control == pid:
                    todo.append((self.replayer.after(at, taken), [*path, taken]))
        return None

    def folded(self, permutation: Permutation) -> Position:
        """Fold what the search folded there; an empty permutation moves objects only."""
        state = self.there.state
        if permutation and self.actions is not None:
            self.fold = compose(permutation, self.fold)
            state = self.actions.of_pids(permutation).apply(state)
        if self.strategy is not None and self.strategy.by_path:
            return Position(self.strategy.fold(self.there.state, self.origin).state)
        return Position(self.symmetries.settle(state))

    @property
    def back(self) -> Permutation:
        return inverse(self.fold)[: self.processes]

    def counterpart(self, here: Position, seen: Taken) -> Taken | None:
        """The step of the unreduced model that the search saw as `seen`."""
        back = self.back
        wanted = self.settled(None if seen.state is None else self.original(seen.state))
        options = [
            t for t in self.replayer.options(here)
            if t.pid == _back_pid(back, seen.pid) and t.partner == _back_pid(back, seen.partner)
            and _kinds(t) == _kinds(seen) and t.cut == seen.cut and self.settled(t.state) == wanted
        ]  # fmt: skip
        same = (t for t in options if t.action.id == seen.action.id)
        return next(same, options[0] if options else None)

    @property
    def is_now(self) -> State:
        """What happened so far, as far as it can be seen."""
        return self.symmetries.interpreter.identity(self.symmetries.settle(self.here.state))

    def settled(self, state: State | None) -> State | None:
        """States are the same here if they differ in addresses only."""
        return None if state is None else self.symmetries.settle(state)

    def original(self, state: State) -> State:
        if self.actions is None or self.fold == identity(len(self.fold)):
            return state
        return self.actions.of_pids(inverse(self.fold)).apply(state)


def _back_pid(back: Permutation, pid: int | None) -> int | None:
    return pid if pid is None or pid >= len(back) else back[pid]


def _kinds(taken: Taken) -> list[str]:
    return [f.kind for f in taken.faults]
