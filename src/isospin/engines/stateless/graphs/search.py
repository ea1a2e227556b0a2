"""Every execution graph once, up to renaming of threads that are alike: none is begun in vain, and none is kept.

Reference: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022 (TruSt); Kokologiannakis, Marmanis, Vafeiadis,
PLDI 2024 (SPORE: with symmetry of identical threads).
Differs: a run goes on to its end at once and leaves behind the graphs that branch off from it, so that there is one run
for each execution.  Operations may touch several objects, and wait for any condition on them: the program is asked.
With operations that touch several objects a graph may, rarely, be met twice; none is left out.

Example: thread a writes x; b writes y and reads x; c writes z and reads x.  The readers come before or after the write,
so there are 2 * 2 graphs.  Each line is an execution, and how many of its events were given by the graph it began with:

    >>> graphs("x=", "y= x?", "z= x?")
    abbcc, 0 of them given
    bccab, 5 of them given
    bbacc, 3 of them given
    bbcca, 5 of them given
    4 executions, 0 in vain

In abbcc both reads see the write.  When the read of b came, it could have seen the initial value instead: the graph of
a, b, b with that is left behind, and so is, when the read of c came, the graph of all five events with that.  That one
is taken up first (bccab), then the other (bbacc), which leaves behind one more (bbcca).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import replace

from ....core.records import dataclass
from ..protocol import Hiding, Meeting, Op, Predicting, Program, Thread, make_event, replayer
from ..search import Search, SearchRequest
from .folding import GraphFolding, NotFirst
from .graph import Declined, EventName, GaveWay, Graph, GraphEvent, may_use_register, touched
from .revisit import other_places, other_sources, readers_of, revisited
from .sequential import linearise

__all__ = ["GraphSearch", "Unsuited"]


@dataclass(slots=True, eq=False)
class Branch:
    """A graph to go on from, and an order in which it can be executed.  What is new in it has not been executed there:
    whether it can be, and with how many outcomes, is for the program to say."""

    graph: Graph
    order: list[EventName]
    new: tuple[EventName, ...] = ()
    chosen: bool = False  # the outcome of what is new is settled


class _Abandoned(Exception):
    """The branch leads nowhere: the program does not admit it."""


class Unsuited(Exception):
    """What a thread does next is not decided by what it has seen: there are no graphs of such a program."""


class NoRegister(Exception):
    """An object was taken for a register, and is none."""


class GraphSearch(Search):
    """Depth first: the graphs that are still to be gone on from are a stack."""

    def __init__(self, program: Program, asked: SearchRequest) -> None:
        super().__init__(program, asked)
        self._meeting = program if isinstance(program, Meeting) else None
        self._predicting = program if isinstance(program, Predicting) else None
        self._replay = replayer(program)
        self.folding = GraphFolding(program, asked)
        self.branches: list[Branch] = []
        self.seen_last: dict[Hashable, EventName] = {}  # of each register: the write that is in it
        may = asked.symmetry == "none" and asked.watch is None  # who looks at all executions wants to see all ends
        self.registers: set[Hashable] | None = set() if may else None  # None: there are none
        self.chained: set[Hashable] = set()  # what is no register
        self.refused = 0  # branches that the program did not admit

    def search(self) -> None:
        """SOUND: an access that is no operation could show the order in which a register was written."""
        hiding = self.program if isinstance(self.program, Hiding) and self.registers is not None else None
        if hiding is None:
            self.search_all()
            return
        hiding.show_accesses(True)
        try:
            self.search_all()
        finally:
            hiding.show_accesses(False)

    def search_all(self) -> None:
        """Explore; as often as something turns out to be otherwise than it was taken for, from the beginning."""
        while True:
            try:
                self.explore()
            except (NotFirst, NoRegister):
                self.start_again()
            else:
                return

    def start_again(self) -> None:
        """Fewer threads are alike than was thought, or fewer objects are registers.  What was found is true, and all
        else is counted anew."""
        self.branches.clear()
        self.result.executions = self.result.blocked = self.result.transitions = self.result.depth = 0
        if self.asked.watch is not None:
            self.asked.watch.begin()

    def explore(self) -> None:
        """All graphs, from the empty one on."""
        self.program.restart()
        graph = Graph()
        self.folding.look(graph, self.program.pending())
        self.branches.append(Branch(graph, []))
        while self.branches:
            branch = self.branches.pop()
            try:
                self.begin(branch)
            except _Abandoned:
                self.refused += 1
                self.tick()
                continue
            if self.folding.keeps(branch.graph):
                self.go_on(branch.graph)
            else:
                self.result.blocked += 1

    # ---------------------------------------------------------------- one run

    def begin(self, branch: Branch) -> None:
        """Execute the events of a graph."""
        events, order = branch.graph.events, [n for n in branch.order if not branch.graph.events[n].failed]
        first = min(map(order.index, branch.new), default=len(order))
        past = [make_event((n.thread, events[n].choice, events[n].op)) for n in order[:first]]
        self._replay(past)
        self.trail.events = past
        self.seen_last = {o: n for n in order for o in events[n].stored}
        for name in order[first:]:
            is_new = name in branch.new
            if is_new:
                self.arrive(branch, name)
            if not self.step(branch.graph, branch.graph.events[name], is_new):
                return

    def arrive(self, branch: Branch, name: EventName) -> None:
        """Before something new: can it be executed, and how?"""
        event = branch.graph.events[name]
        if self.program.pending().get(name.thread) != event.op:
            raise Unsuited
        if event.op.waits and name.thread not in self.program.enabled():
            raise _Abandoned
        if not branch.chosen:
            for choice in range(self.count_choices(name.thread) - 1, 0, -1):
                self.branches.append(replace(branch, graph=branch.graph.choosing(name, choice), chosen=True))

    def step(self, graph: Graph, event: GraphEvent, is_new: bool) -> bool:
        """Execute an event; may the program go on?"""
        thread = event.name.thread
        before = set(self.program.pending()) if is_new else set()
        found = self.program.step(thread, event.choice)
        if self._meeting is not None and self._meeting.partners():
            raise Unsuited
        self.trail.events.append(make_event((thread, event.choice, event.op)))
        self.result.transitions += 1
        self.result.depth = max(self.result.depth, len(self.trail.events))
        if is_new:
            self.bear(graph, event, self.program.pending().keys() - before - {thread})
        for problem in found:
            self.report(problem)
        ends_all = bool(found) and before > {thread} and not self.program.pending()
        if ends_all:
            self.leave_out(graph, event)
        return not ends_all

    def bear(self, graph: Graph, event: GraphEvent, born: Collection[Thread]) -> None:
        """New threads know what their parent does; they may be alike."""
        if born:
            graph.births.update(dict.fromkeys(born, event.name))
            if len(graph.prefix([event.name])) == len(graph.events):
                self.folding.look(graph, self.program.pending())

    def leave_out(self, graph: Graph, event: GraphEvent) -> None:
        """Nobody can go on after a failure.  The others go on as if it was about to happen; but not if one of them had
        to give way to it: what they do without it is explored where they had not."""
        if any(isinstance(entry, GaveWay) and entry.by == event.name for entry in graph.order):
            return
        if any(event.name in other.sources.values() for other in graph.events.values()):
            return
        graph.change(replace(event, failed=True))
        order = linearise(graph)
        assert order is not None
        self.branches.append(Branch(graph.copy(), order))

    def go_on(self, graph: Graph) -> None:
        """From the end of what was executed to the end of the execution."""
        while True:
            pending = self.program.pending()
            thread = self.pick(graph)
            if thread is None:
                break
            if len(self.trail.events) >= self.deepest:
                self.cut_off()
                return
            self.extend(graph, thread, pending[thread])
        if any(event.failed for event in graph.events.values()):  # not the end: somebody was held back
            self.result.executions += 1
        else:
            self.count_execution()
        for thread, op in pending.items():
            if not self.has_failed(graph, thread):
                self.branch_off(graph, thread, op)
                graph.order.append(Declined(graph.next_name(thread)))
        self.check_limits()

    def pick(self, graph: Graph) -> Thread | None:
        return next((t for t in self.program.enabled() if not self.has_failed(graph, t)), None)

    def has_failed(self, graph: Graph, thread: Thread) -> bool:
        length = graph.lengths.get(thread, 0)
        return length > 0 and graph.events[EventName(thread, length - 1)].failed

    def extend(self, graph: Graph, thread: Thread, op: Op) -> None:
        """The next event, after all others; what else it could be is left for later."""
        self.branch_off(graph, thread, op)
        event = self.make_event(graph, thread, op)
        graph.add(event)
        self.seen_last.update(dict.fromkeys(event.stored, event.name))
        for choice in range(self.count_choices(thread) - 1, 0, -1):
            made = graph.choosing(event.name, choice)
            self.push(made, event.name, chosen=True)
        self.step(graph, event, True)

    # ---------------------------------------------------------------- registers

    def make_event(self, graph: Graph, thread: Thread, op: Op) -> GraphEvent:
        """The next operation of a thread, after all others."""
        name, after = graph.next_name(thread), graph.after(thread, op)
        if self.uses_register(op):
            sources = {o: self.seen_last.get(o) for o in op.reads}
            return GraphEvent(name, op, sources, after, register=True)
        return GraphEvent(name, op, graph.ends(op), after)

    def uses_register(self, op: Op) -> bool:
        """Does an operation touch a register?  SOUND: what anybody waits for, changes in another way than by
        overwriting it, or touches together with something else is none; if that shows late, all starts again."""
        if self.registers is None:
            return False
        objects = touched(op)
        if may_use_register(op) and self.chained.isdisjoint(objects):
            self.registers.update(objects)
            return True
        self.chained.update(objects)
        if not self.registers.isdisjoint(objects):
            self.registers -= self.chained
            raise NoRegister
        return False

    def branch_off_register(self, graph: Graph, event: GraphEvent) -> None:
        """The graphs in which a register is read or overwritten in another way."""
        for other in other_sources(graph, event):
            self.push(graph.with_event(other), other.name)
        if event.op.writes:
            for kept, back in readers_of(graph, event):
                self.push(kept, event.name, back.name)

    # ---------------------------------------------------------------- branches

    def branch_off(self, graph: Graph, thread: Thread, op: Op) -> None:
        """The graphs in which the next operation of a thread does not come last."""
        if self.uses_register(op):
            self.branch_off_register(graph, self.make_event(graph, thread, op))
            return
        self.folding.check(graph, thread, op)
        for event in other_places(graph, thread, op):
            if self.may_pass(graph, event):
                self.push(graph.with_event(event), event.name)
        for kept, event in revisited(graph, thread, op):
            if self.may_pass(kept, event):
                kept.add(event)
                self.push(kept, event.name)

    def push(self, graph: Graph, *new: EventName, chosen: bool = False) -> None:
        """Leave a graph for later, if it can be, and none of its images stands for it."""
        order = linearise(graph)
        if order is not None and self.folding.keeps(graph):
            self.branches.append(Branch(graph, order, new, chosen))

    def may_pass(self, graph: Graph, event: GraphEvent) -> bool:
        """False: an operation that waits is known not to be executable there."""
        if not event.op.waits or self._predicting is None or len(event.op.deciding) != 1:
            return True
        (o,) = event.op.deciding
        earlier = (graph.events[name].op for name in graph.up_to(o, event.sources[o]))
        return self._predicting.passes_after(earlier, event.op) is not False
