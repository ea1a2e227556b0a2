"""The search of `dpor.py` for programs that run ahead by themselves: one whole execution at a time.

Reference: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Source-DPOR).
Differs: without symmetry and without a bound on preemptions nothing is to be decided before an execution ends.  So the
program is not asked in each state what could happen there: what is pending, and what each thread knows, is kept for the
end of the execution only, and taken back event by event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from ...core.deadline import TimeIsOver
from ...core.errors import InternalError
from .protocol import Asleep, Moment, Op, Placing, Program, RunsAhead, Thread, dependent, make_event, replayer
from .races import SourceSetSearch
from .search import Done, Junction, SearchRequest
from .trail import Bits

Spot: TypeAlias = tuple[Thread, int, Op]  # the how many-th operation of a thread
WORTH_PLACING = 100  # executions: with fewer nobody wonders where they come from
MOST_PLACED = 256  # pairs of operations


class AheadDpor(SourceSetSearch):
    """Source-DPOR with a list for each thing that nodes would have."""

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        if not isinstance(program, RunsAhead):
            raise InternalError("this program does not run ahead")
        self._ahead: RunsAhead = program
        self._replay = replayer(program)
        self.sleep: list[Asleep] = []  # of each state of the execution: threads that need not be explored there
        self.steps: list[tuple[Thread, int, Op]] = []  # the events of the trail again, as what Python unpacks quickly
        self.forks: dict[int, Junction[Thread]] = {}  # the states in which not only one thing has to be explored
        self.pending: dict[Thread, Op] = {}  # what the threads do next in the last state
        self.knows: dict[Thread, Bits] = {}  # what each thread knows there
        self.births: dict[Thread, int] = {}  # in which state a thread is there first
        self._placing = program if isinstance(program, Placing) else None
        self._reversed: Counter[tuple[Spot, Spot]] = Counter()
        self._ways: dict[Spot, list[tuple[Thread, int, Op]]] = {}  # one way to each of them

    @staticmethod
    def suits(program: Program, asked: SearchRequest) -> bool:
        """Can the program be searched like this?"""
        return isinstance(program, RunsAhead) and asked.symmetry == "none" and asked.max_preemptions is None

    def is_born(self, thread: Thread, depth: int) -> bool:
        return self.births[thread] <= depth

    def is_covered_by(self, thread: Thread, depth: int) -> bool:
        return thread in self.sleep[depth] or (depth in self.forks and thread in self.forks[depth].todo)

    def want(self, thread: Thread, depth: int, first: Sequence[Thread], op: Op) -> None:
        if depth not in self.forks:
            self.forks[depth] = Junction()
        self.forks[depth].todo.append(thread)
        if self._placing is not None:
            self._reversed[self.spot(depth), self.spot_of(op) if self.racing < 0 else self.spot(self.racing)] += 1

    def junctions(self) -> Sequence[Junction[Thread]]:
        return [self.forks[depth] for depth in sorted(self.forks)]

    # ---------------------------------------------------------------- where executions come from

    def spot(self, index: int) -> Spot:
        """An event of the trail, whatever happens before it in other threads."""
        thread, _, op = self.steps[index]
        return self.keep_way((thread, [t for t, *_ in self.steps[:index]].count(thread), op), index)

    def spot_of(self, op: Op) -> Spot:
        """What somebody would do next who waits."""
        thread = next(t for t, other in self.pending.items() if other == op)
        return self.keep_way((thread, [t for t, *_ in self.steps].count(thread), op), len(self.steps))

    def keep_way(self, spot: Spot, index: int) -> Spot:
        if spot not in self._ways:
            self._ways[spot] = self.steps[:index]
        return spot

    def finish(self) -> None:
        """Nobody was asked where threads are while they ran ahead: those that matter are brought there once more."""
        super().finish()
        if self.forks:
            self.result.estimate = self.estimate()
        if self.result.executions >= WORTH_PLACING and not self.in_a_hurry:
            with suppress(TimeIsOver):  # what was searched stays searched
                self.place_reversals()

    def place_reversals(self) -> None:
        places: dict[Spot, Done] = {}
        for pair, times in self._reversed.most_common(MOST_PLACED):
            one, other = (places[s] if s in places else places.setdefault(s, self.place(s)) for s in pair)
            self.note_reversals((one, other), times)

    def place(self, spot: Spot) -> Done:
        assert self._placing is not None
        thread, _, op = spot
        self._replay([make_event(step) for step in self._ways[spot]])
        return Done(self._placing.where_is(thread), op.kind)

    # ---------------------------------------------------------------- executions

    def search(self) -> None:
        """Go on where something is left to explore, without a node for each step in between."""
        self.program.restart()
        self.pending = dict(self.program.pending())
        self.knows = dict.fromkeys(self.pending, 0)
        self.births = dict.fromkeys(self.pending, 0)
        self.sleep = [{}]
        first = self.arrive()
        while first is not None or self.is_left():
            if first is None:
                self.turn_back()
            else:
                self.go_on(False, first, None)
            first = self.arrive()

    def is_left(self) -> bool:
        """Is something left to be explored?  The last state in which it is stays on top."""
        while self.forks:
            node = self.forks[max(self.forks)]
            if node.todo or node.choices:
                return True
            del self.forks[max(self.forks)]
        return False

    def arrive(self) -> Thread | None:
        """At the end of what was executed so far: who goes on from here?  If nobody does, find the races."""
        pending, enabled, depth = self.program.pending(), self.program.enabled(), len(self.trail.events)
        if depth > self.result.depth:
            self.result.depth = depth
        if not enabled:
            self.count_execution()
            self.find_races(pending, enabled, self.knows, False)
            self.check_limits()
            return None
        if depth >= self.deepest:
            self.cut_off()
        elif (first := self.favourite(enabled, self.sleep[-1])) is not None:
            return first
        else:
            self.result.blocked += 1
        self.find_races(pending, enabled, self.knows, depth >= self.deepest)
        self.tick()
        return None

    def go_on(self, again: bool, thread: Thread, choice: int | None) -> None:
        """Explore the thread after the events of the trail, which may have to be made again, and what comes behind it;
        without a choice: all of them."""
        depth, op = len(self.trail.events), self.pending[thread]
        asleep = {t: other for t, other in self.sleep[depth].items() if not dependent(other, op)}
        step = (thread, choice or 0, op)
        past = self.steps if again else None
        choices, moments, found = self._ahead.run_ahead(past, step, asleep, self.deepest - depth)
        if choice is None and choices > 1:
            self.forks.setdefault(depth, Junction()).choices = list(range(choices - 1, 0, -1))
        self.result.transitions += len(moments)
        self.follow(choice or 0, moments)
        for problem in found:
            self.report(problem)

    def follow(self, choice: int, moments: Sequence[Moment]) -> None:
        """What the program did comes to the trail."""
        sleep, steps, pending, knows, push = self.sleep, self.steps, self.pending, self.knows, self.trail.push
        for thread, after, born, asleep in moments:
            op = pending[thread]
            sleep.append(asleep)
            steps.append((thread, choice, op))
            knows[thread] = past = push(thread, choice, op, knows)
            choice = 0
            if after is None:
                del pending[thread]
            else:
                pending[thread] = after
            if born:
                self.bear(born, past)

    def bear(self, born: Mapping[Thread, Op], past: Bits) -> None:
        """New threads know what their parent does."""
        new = {t: op for t, op in born.items() if t not in self.births}
        self.pending.update(new)
        self.knows.update(dict.fromkeys(new, past))
        self.births.update(dict.fromkeys(new, len(self.sleep) - 1))

    def turn_back(self) -> None:
        """To the last state in which something is left to be explored, and on from there."""
        depth = max(self.forks)
        node, (thread, _, op) = self.forks[depth], self.steps[depth]
        self.take_back(depth)
        choice: int | None = None
        if node.choices:
            choice = node.choices.pop()
        else:
            node.explored += 1
            self.sleep[depth] = {**self.sleep[depth], thread: op}
            thread = node.todo.pop(0)
        self.go_on(True, thread, choice)

    def take_back(self, depth: int) -> None:
        """Only the first events remain."""
        steps, before, pending, knows = self.steps, self.trail.before, self.pending, self.knows
        for index in range(len(steps) - 1, depth - 1, -1):
            thread, _, op = steps[index]
            pending[thread], knows[thread] = op, before[index]
        del self.sleep[depth + 1 :], steps[depth:]
        self.trail.truncate(depth)
        self.analysed = min(self.analysed, depth)
        while next(reversed(self.births.values())) > depth:
            thread, _ = self.births.popitem()
            del knows[thread]
            pending.pop(thread, None)
