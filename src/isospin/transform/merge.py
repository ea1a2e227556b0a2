"""Statement merging: an action and the local ones that must follow it become one step.

Reference: Holzmann, The engineering of a model checker: the Gnu i-protocol case study revisited (SPIN 1999);
Lipton, Reduction (CACM 1975), for why it is right: a local step commutes with the steps of all other processes.
Differs: `SpinMerger` merges what SPIN 6.5 merges by default, so that counts compare, but only where that is right;
`FullMerger` merges whatever the theorem allows.

The chain that an action starts depends on its id alone, not on the place where a choice offers it, so that paths
can be told in terms of the original actions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..analysis.footprint import Footprints, all_expressions
from ..core.model import (
    Action,
    Assert,
    Assign,
    Chain,
    ChannelTest,
    Delete,
    Deterministic,
    Else,
    Enabled,
    End,
    Expr,
    Guard,
    LastPid,
    LocationOf,
    Model,
    NonProgress,
    Place,
    Print,
    Receive,
    Run,
    Send,
    Skip,
    Store,
    Template,
    Temporal,
)
from ..semantics.walk import by_source
from .choosing import ChoosingLoops, FixedNumbers
from .dead import inside_d_steps

Actions = tuple[Action, ...]


def _counts_steps(model: Model) -> bool:
    """Does anything see how many steps a process takes, or where exactly it is?"""
    seers = (Enabled, LastPid, LocationOf, NonProgress)
    formulas = [c.formula for c in model.claims if c.formula is not None]
    return model.uses_last or any(isinstance(e, seers) for e in all_expressions(model)) or any(map(has_next, formulas))


def has_next(formula: Temporal) -> bool:
    return formula.op == "next" or any(map(has_next, formula.operands))


def may_merge(model: Model) -> bool:
    # SOUND: a provided clause can block any step; the others above count steps.
    return not _counts_steps(model) and all(t.provided is None for t in model.templates)


class _ControlGraph:
    """A template's actions by location, and which of them may not be touched."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self.leaving = by_source(template.actions)
        self.inner = inside_d_steps(template)
        self.labelled = {location for _, location in template.labels}

    def only(self, location: int) -> Action | None:
        """The action at a location with no alternatives and no way to be interrupted."""
        actions = self.leaving.get(location, [])
        if len(actions) != 1 or actions[0].escape or location in self.inner:
            return None
        return actions[0]


# ------------------------------------------------------------------------------------------------ as SPIN does it


class SpinMerger:
    """Chains as SPIN builds them: from conditions, receives, sends and local statements, through local statements."""

    def __init__(self, prints: Footprints, template: Template) -> None:
        self.prints, self.graph, self.template = prints, _ControlGraph(template), template
        actions = [a for a in template.actions if not a.escape]
        self.home: dict[int, int] = {}  # where an element stands itself; choices that lead to it have higher numbers
        for action in actions:
            self.home[action.id] = min(action.source, self.home.get(action.id, action.source))
        self.in_atomic = template.atomic_locations
        self.first_stops = dict(template.first_stops)

    def chain(self, action: Action) -> Actions:
        home = self.home.get(action.id)
        if home is None or action.source in self.graph.inner or not self.may_start(home):
            return (action,)
        chain, seen = [action], {home}
        while chain[-1].target not in seen:
            seen.add(chain[-1].target)
            following = self.follower(chain[-1].target)
            if following is None:
                break
            chain.append(self.stopped(following))
        return tuple(chain)

    def stopped(self, jump: Action) -> Action:
        """SPIN merges before jumps give up control: one out of an atomic sequence goes no further than its label."""
        return replace(jump, target=self.first_stops.get(jump.source, jump.target))

    def may_start(self, home: int) -> bool:
        own = self.graph.only(home)
        if own is None:
            return False
        if self.follower(home) is not None:
            return True
        step = own.step
        # SOUND: a rendezvous gives control away, so that nothing may follow a send if there is one in the model.
        blocking = isinstance(step, Guard | Receive) or (isinstance(step, Send) and not self.prints.has_rendezvous)
        if not blocking and not (isinstance(step, Skip) and not _is_jump(own)):
            return False
        if (self.template.name, home) in self.prints.remote.locations:
            return False
        return home in self.in_atomic or not self.is_global(own)

    def follower(self, location: int) -> Action | None:
        """The action at the location if SPIN merges it with the one before."""
        action = self.graph.only(location)
        if action is None or self.home[action.id] != location or location in self.graph.labelled:
            return None
        assigned = isinstance(action.step, Assign | Assert | Print)
        assigned |= isinstance(action.step, Run) and action.step.into is not None and location in self.in_atomic
        if not (assigned or _is_jump(action)) or self.is_break(action):
            return None
        if location not in self.in_atomic and self.is_global(action):
            return None
        # SOUND: what follows is always executable.  It may fail, but then the chain fails, and that is reported.
        return None if self.prints.of(self.template, action).blocks else action

    def is_global(self, action: Action) -> bool:
        prints = self.prints.of(self.template, action)
        step = action.step
        if isinstance(step, Send | Receive):
            named = {step.channel.variable.base} if isinstance(step.channel, Place) else set()
            if not (prints.reads - named or prints.writes or prints.everything):
                return not self.is_exclusive("xs" if isinstance(step, Send) else "xr", step.channel)
        if isinstance(step, Guard) and isinstance(step.condition, ChannelTest):
            use = "xs" if step.condition.test in ("full", "nfull") else "xr"
            return not self.is_exclusive(use, step.condition.channel)
        return not prints.is_local

    def is_exclusive(self, use: str, channel: Expr) -> bool:
        claims = self.prints.model.exclusive
        return isinstance(channel, Place) and (use, self.template.name, channel.variable.name) in claims

    def is_break(self, action: Action) -> bool:
        """The place where a loop ends has a label of its own; it stands two behind its `do`."""
        before = self.graph.leaving.get(action.source - 1, [])
        return (
            action.text == "" and len(before) == 1 and before[0].text == ""
            and before[0].target == action.source - 2
        )  # fmt: skip


def _is_jump(action: Action) -> bool:
    """A jump, the end of a selection or a declaration, but not the statement `skip`."""
    return isinstance(action.step, Skip) and (
        action.text in ("", "break") or action.text.startswith(("goto ", "declare "))
    )


# ------------------------------------------------------------------------------------------------ as much as is right


class FullMerger:
    """Any action, then all that is local; or local ones, then one that is not, then local ones again.

    For a search with partial-order reduction, what is local does not wait for what is not, unless there is a choice: it
    is taken at once there.
    """

    def __init__(self, prints: Footprints, template: Template, por: bool = False) -> None:
        self.por = por
        self.prints, self.graph, self.template = prints, _ControlGraph(template), template
        watched = template.progress_locations | template.accept_locations
        self.watched = watched | {n for name, n in prints.remote.locations if name == template.name}
        self.sources: dict[int, set[int]] = {}
        self.visible: set[int] = set()
        for action in template.actions:
            self.sources.setdefault(action.id, set()).add(action.source)
            if self.is_visible(action):
                self.visible.add(action.id)
        self.fixed = FixedNumbers(prints.model)
        self.loops = ChoosingLoops(self.graph.leaving, self.is_plain, self.fixed)

    def is_visible(self, action: Action) -> bool:
        # SOUND: an action that keeps control begins an atomic sequence, which others see as a whole.
        return action.keeps_control or not (self.is_silent(action) or self.prints.of(self.template, action).is_local)

    def is_silent(self, action: Action) -> bool:
        """Can it always be executed, never fail, and be seen by nobody?  What is printed comes from replaying the path.

        SOUND: also with priorities.  Who stands before such a step can move, so whoever is of lower priority moves
        behind it, and for all others it makes no difference whether it was taken.
        """
        if not isinstance(action.step, Assign | Print | Skip) or {action.source, action.target} & self.watched:
            return False
        prints = self.prints.step(self.template, action.step)
        return not prints.faults and (isinstance(action.step, Print) or prints.is_local)

    def chains(self, action: Action) -> list[Actions]:
        """What an action starts; that is more than one chain if a loop in it chooses a value."""
        if action.source in self.graph.inner or not self.may_start(action):
            return [(action,)]
        spent = action.id in self.visible or (self.por and not self.is_choice(action))
        chain, found = self.extend((action,), set(self.sources[action.id]), spent), list[Actions]()
        for way in self.ways(chain):
            longer = (*chain, *way)
            seen = {a.source for a in longer} | self.sources[action.id]
            spent = any(a.id in self.visible for a in longer) or (self.por and not self.is_choice(action))
            found.append(self.extend(longer, seen, spent, may_choose=False))
        return found or [chain]

    def extend(self, chain: Actions, seen: set[int], spent: bool, may_choose: bool = True) -> Actions:
        """The chain and all that can be done with it; up to a loop that chooses, or up to where it begins."""
        while chain[-1].target not in seen:
            seen.add(chain[-1].target)
            following = self.follower(chain[-1].target)
            if following is None:
                break
            seen |= self.sources[following.id]
            shows = following.id in self.visible
            # SOUND: at most one atomic sequence or action of a chain is seen by others or depends on them.
            if shows and spent and not chain[-1].keeps_control:
                break
            if not may_choose and self.ways((*chain, following)):
                break  # one choice for a chain, or there are as many as the values of all loops together
            spent |= shows
            chain = (*chain, following)
        return chain

    def ways(self, chain: Actions) -> list[Actions]:
        """The ways through the loop at which a chain arrives, if the loop only chooses a value."""
        found = self.loops.runs(chain)
        within = all(a.keeps_control for way in found for a in (chain[-1], *way[:-1]))
        # SOUND: an atomic sequence is one thing that others see, so the loop is inside of it or outside.
        is_apart = not any(a.keeps_control for way in found for a in (chain[-1], *way))
        return found if within or is_apart else []

    def is_plain(self, action: Action) -> bool:
        """Is it seen by nobody, and cannot be interrupted?"""
        hidden = action.source not in self.graph.inner and action.source not in self.watched and not action.escape
        return hidden and self.prints.of(self.template, self.fixed.put_into(action)).is_local

    def is_choice(self, action: Action) -> bool:
        """Is it one of several, wherever it stands?  Then a state after it would be one for each of them."""
        return any(len(self.graph.leaving[source]) > 1 for source in self.sources[action.id])

    def may_start(self, action: Action) -> bool:
        step = action.step
        if isinstance(step, Else | End | Deterministic):
            return False
        # SOUND: a rendezvous is a step of two processes, which may give atomic control to the receiver.
        return not (isinstance(step, Send) and self.prints.may_be_rendezvous(step.channel))

    def follower(self, location: int) -> Action | None:
        action = self.graph.only(location)
        # SOUND: not Allocate, which has several results.
        certain = Assign | Store | Delete | Assert | Print | Skip
        if action is None or location in self.watched or not isinstance(action.step, certain):
            return None
        # SOUND: what follows is always executable.  It may fail, but then the chain fails, and that is reported.
        return None if self.prints.of(self.template, action).blocks and not self.is_silent(action) else action


# ------------------------------------------------------------------------------------------------ the result


def merged(action: Action, chain: Actions) -> Action:
    """One action for a chain; it has the name of its first one."""
    if len(chain) == 1:
        return action
    last = chain[-1]
    step = Chain((action, *chain[1:]))
    return Action(
        action.id, action.source, last.target, step, action.location, action.text, last.keeps_control, action.escape
    )


def reachable(template: Template, actions: list[Action]) -> Iterator[Action]:
    """The actions that can be reached at all, in their old order."""
    leaving = by_source(actions)
    seen, todo = {template.entry}, [template.entry]
    while todo:
        for action in leaving.get(todo.pop(), []):
            inner = {action.step.entry} if isinstance(action.step, Deterministic) else set()
            new = ({action.target} | inner) - seen
            seen |= new
            todo += sorted(new)
    return (a for a in actions if a.source in seen)
