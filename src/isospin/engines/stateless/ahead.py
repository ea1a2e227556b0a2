"""The search of `dpor.py` for programs that run ahead by themselves: one whole execution at a time.

Reference: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017 (Source-DPOR).
Differs: without symmetry and without a bound on preemptions nothing is to be decided before an execution ends.  So the
program is not asked in each state what could happen there: what is pending, and what each thread knows, is kept for the
end of the execution only, and taken back event by event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, repeat
from typing import TypeAlias

from ...core.deadline import TimeIsOver
from ...core.errors import InternalError
from .jobs import AnyJunction, Gift, JobSearch, Wish
from .protocol import Asleep, Moment, Op, Placing, Program, RunsAhead, Thread, dependent, make_event, replayer
from .races import SourceSetSearch
from .search import Done, Junction, SearchRequest
from .trail import Bits

Spot: TypeAlias = tuple[Thread, int, Op]  # the how many-th operation of a thread
Spots: TypeAlias = tuple[Spot, Spot]  # whose order is reversed
Ways: TypeAlias = dict[Spot, list[tuple[Thread, int, Op]]]  # one to each of them
WORTH_PLACING = 100  # executions: with fewer nobody wonders where they come from
MOST_PLACED = 256  # pairs of operations


class AheadDpor(JobSearch, SourceSetSearch):
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
        self.begun: list[float] = []  # of each event: when it was new, on the clock of the process
        self._placing = program if isinstance(program, Placing) else None
        self._reversed: Counter[Spots] = Counter()
        self._ways: Ways = {}
        self._known_ways = 0  # before the part that a copy explores

    @staticmethod
    def suits(program: Program, asked: SearchRequest) -> bool:
        """Can the program be searched like this?"""
        return isinstance(program, RunsAhead) and asked.symmetry == "none" and asked.max_preemptions is None

    def is_born(self, thread: Thread, depth: int) -> bool:
        return self.births[thread] <= depth

    def is_covered_by(self, thread: Thread, depth: int) -> bool:
        return thread in self.sleep[depth] or (depth in self.forks and thread in self.forks[depth].todo)

    def want(self, thread: Thread, depth: int, first: Sequence[Thread], op: Op) -> None:
        spots = None
        if self._placing is not None:
            spots = self.spot(depth), self.spot_of(op) if self.racing < 0 else self.spot(self.racing)
        if depth > self.base:
            self.explore_at(depth, thread, spots)
        else:  # not decided here
            self.wishes[Wish(depth, thread, frozenset(first))] = spots

    def explore_at(self, depth: int, thread: Thread, spots: Spots | None) -> None:
        if depth not in self.forks:
            self.forks[depth] = Junction()
        self.forks[depth].todo.append(thread)
        if spots is not None:
            self._reversed[spots] += 1

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
        estimate = self.estimate()
        super().finish()
        if self.forks:
            self.result.estimate = estimate
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
        self.go_through(self.arrive())

    def go_through(self, first: Thread | None) -> None:
        """All that is left below `base`, and at it."""
        while True:
            if first is not None:
                self.go_on(False, first, None)
            elif not self.is_left():
                return
            elif not self.turn_back():
                continue
            first = self.arrive()

    def is_left(self) -> bool:
        """Is something left to be explored?  The last state in which it is stays on top."""
        while self.forks and (depth := max(self.forks)) >= self.base:
            node = self.forks[depth]
            if node.todo or node.choices:
                return True
            del self.forks[depth]
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
        if self.may_give:
            self.begun.extend(repeat(self.now, len(moments)))
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

    def turn_back(self) -> bool:
        """To the last state in which something is left to be explored, and on from there; False: others have."""
        depth = max(self.forks)
        if self.may_give:
            self.give(depth)
        node, (thread, _, op) = self.forks[depth], self.steps[depth]
        self.take_back(depth)
        if node.choices:
            self.go_on(True, thread, node.choices.pop())
            return True
        node.explored += 1
        self.sleep[depth] = {**self.sleep[depth], thread: op}
        while node.todo:
            if node.gift is None or not self.collect(node):
                self.go_on(True, node.todo.pop(0), None)
                return True
        return False

    def take_back(self, depth: int) -> None:
        """Only the first events remain."""
        steps, before, pending, knows = self.steps, self.trail.before, self.pending, self.knows
        for index in range(len(steps) - 1, depth - 1, -1):
            thread, _, op = steps[index]
            pending[thread], knows[thread] = op, before[index]
        del self.sleep[depth + 1 :], steps[depth:], self.begun[depth:]
        self.trail.truncate(depth)
        self.analysed = min(self.analysed, depth)
        while next(reversed(self.births.values())) > depth:
            thread, _ = self.births.popitem()
            del knows[thread]
            pending.pop(thread, None)

    # ---------------------------------------------------------------- with other processes

    def begun_at(self, below: int) -> Iterator[tuple[int, AnyJunction, float]]:
        for depth in sorted(self.forks):
            if self.base < depth < below:
                yield depth, self.forks[depth], self.begun[depth]

    def being_explored(self, depth: int) -> Thread:
        return self.steps[depth][0]

    def explore_given(self, depth: int, node: AnyJunction, gift: Gift) -> None:
        above = {d: Junction(todo=fork.todo) for d, fork in self.forks.items() if d < depth}
        self.forks = {**above, depth: Junction()}
        op = self.steps[depth][2]
        self.take_back(depth)
        self.sleep[depth] = {**self.sleep[depth], gift.after: op}
        self.go_on(True, gift.thread, None)
        self.go_through(self.arrive())

    def is_wanted(self, thread: Thread, depth: int, first: Sequence[Thread]) -> bool:
        return depth <= self.base and Wish(depth, thread, frozenset(first)) in self.wishes

    def carry_out(self, wish: Wish, pair: Spots | None) -> None:
        if any(self.is_covered_by(t, wish.depth) for t in wish.first or ()):
            return
        if wish.depth > self.base:
            self.explore_at(wish.depth, wish.thread, pair)
        else:
            self.wishes[wish] = pair

    def take_over(self, node: AnyJunction, gift: Gift, seen: None) -> None:
        depth = len(self.steps)
        self.sleep[depth] = {**self.sleep[depth], gift.thread: self.pending[gift.thread]}

    def begin_part(self) -> None:
        self._reversed.clear()
        self._known_ways = len(self._ways)

    def more_counts(self) -> tuple[Counter[Spots], Ways]:
        return self._reversed, dict(islice(self._ways.items(), self._known_ways, None))

    def add_counts(self, more: tuple[Counter[Spots], Ways] | None) -> None:
        if more is not None:
            self._reversed.update(more[0])
            for spot, way in more[1].items():
                self._ways.setdefault(spot, way)
