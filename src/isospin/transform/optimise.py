"""Transformations of a model that keep its verdict: `none`, what SPIN does by default, and the most that is right.

Reference: `merge.py` and `dead.py`, which say what each pass does and why it is right.
Differs: the passes are functions from a model to a model, so that each can be tested against the one before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..analysis.ample import why_not
from ..analysis.footprint import Footprints
from ..core.errors import UsageError
from ..core.model import Action, Chain, Model, Template, Variable
from ..core.trace import Choice
from ..semantics.walk import stored
from .dead import Clearing, full_hidden, spin_hidden, spin_resets
from .forget import forget
from .inactive import eliminate
from .linger import linger
from .merge import FullMerger, SpinMerger, may_merge, merged, reachable
from .nullness import only_null_matters

LEVELS = ("none", "spin", "full")


def optimise(model: Model, level: str, por: bool = False) -> Model:
    """The same model at a level, for a search with or without partial orders; its properties keep their truth."""
    if level == "none":
        return model
    if level == "spin":
        return spin_level(model)
    if level == "full":
        return _full_level(model, por and not why_not(model))
    raise UsageError(f"no optimisation level '{level}'; there are {', '.join(LEVELS)}")


# ------------------------------------------------------------------------------------------------ spin


def spin_level(model: Model, merge: bool = True, dead: bool = True, hide: bool = True) -> Model:
    """SPIN's `-o3`, `-o1` and `-o2` switch the three passes off."""
    prints = Footprints(model)
    merge = merge and may_merge(model) and not prints.remote.variables
    templates = tuple(_spin_template(prints, t, merge, dead) for t in model.templates)
    return _hidden_globals(replace(model, templates=templates), spin_hidden(model) if hide else frozenset())


def _spin_template(prints: Footprints, template: Template, merge: bool, dead: bool) -> Template:
    resets = spin_resets(prints, template) if dead else {}
    merger = SpinMerger(prints, template)
    variables = {v.base: v for v in template.locals}
    actions = []
    for action in template.actions:
        chain = merger.chain(action) if merge else (action,)
        clears = tuple(variables[base] for base in sorted(_spin_clears(chain, resets)))
        actions.append(replace(merged(action, chain), clears=clears))
    return replace(template, actions=tuple(reachable(template, actions)))


def _spin_clears(chain: tuple[Action, ...], resets: dict[int, frozenset[int]]) -> set[int]:
    cleared: set[int] = set()
    for action in chain:
        # SOUND: what is written after a reset is no longer 0, and not dead unless that action says so.
        cleared -= {p.variable.base for p in stored(action.step) if p.variable.is_local}
        cleared |= resets.get(action.id, frozenset())
    return cleared


# ------------------------------------------------------------------------------------------------ full


def _full_level(model: Model, por: bool = False) -> Model:
    model = forget(eliminate(only_null_matters(linger(model) if por else model)))
    prints = Footprints(model)
    hidden = full_hidden(model)
    merge = may_merge(model)
    numbers = _NewNumbers(model)
    templates = tuple(_full_template(prints, t, hidden, merge, por, numbers) for t in model.templates)
    return _hidden_globals(replace(model, templates=templates), hidden)


class _NewNumbers:
    """Numbers for chains that begin with the same action."""

    def __init__(self, model: Model) -> None:
        owners = (*model.templates, *(c.template for c in model.claims if c.template is not None))
        self.next = 1 + max((a.id for t in owners for a in t.actions), default=0)
        self.known: dict[tuple[int, int], int] = {}

    def of(self, action: int, which: int) -> int:
        """The first keeps the number of the action."""
        if which and (action, which) not in self.known:
            self.known[action, which] = self.next
            self.next += 1
        return self.known[action, which] if which else action


def _full_template(
    prints: Footprints, template: Template, hidden: frozenset[int], merge: bool, por: bool, numbers: _NewNumbers
) -> Template:
    clearing, merger = Clearing(prints, template, hidden), FullMerger(prints, template, por)
    actions = []
    for action in template.actions:
        if action.source in merger.graph.inner:
            actions.append(action)
            continue
        for which, chain in enumerate(merger.chains(action) if merge else [(action,)]):
            whole = merged(action, chain)
            clears = (*action.clears, *clearing.after(whole))
            number = numbers.of(action.id, which)
            actions.append(replace(whole, id=number, step=clearing.saving(whole.step), clears=clears))
    return replace(template, locals=clearing.at_start(), actions=tuple(reachable(template, actions)))


def _hidden_globals(model: Model, bases: frozenset[int]) -> Model:
    def hide(variable: Variable) -> Variable:
        return replace(variable, hidden=True) if variable.base in bases else variable

    return replace(model, globals=tuple(map(hide, model.globals)))


# ------------------------------------------------------------------------------------------------ paths


def expand(action: Action) -> tuple[int, ...]:
    """The ids of the original actions that an action stands for, in order."""
    return tuple(a.id for a in action.step.actions) if isinstance(action.step, Chain) else (action.id,)


def originals(optimised: Model, executed: set[int]) -> set[int]:
    """The ids of the original actions behind those that were executed."""
    actions = (a for t in optimised.templates for a in t.actions if a.id in executed)
    return executed | {number for action in actions for number in expand(action)}


def original_path(optimised: Model, choices: Iterable[Choice]) -> list[Choice]:
    """A path of the optimised model, or a cycle of it, as one of the model that it was made from."""
    chosen = list(choices)
    parts = {a.id: expand(a) for t in optimised.templates for a in t.actions if isinstance(a.step, Chain)}
    cut, rests = _cut_short(optimised)
    before = {c.pid: c.action for c in chosen}  # what a process did last: in a cycle that is what comes before it
    path: list[Choice] = []
    for choice in chosen:
        rest = choice.action in rests and before[choice.pid] in cut
        before[choice.pid] = choice.action
        if rest:
            continue
        first = parts.get(choice.action, (choice.action,))[0]
        met = choice.partner_action
        path.append(choice._replace(action=first, partner_action=None if met is None else parts.get(met, (met,))[0]))
        path += [Choice(choice.pid, number) for number in parts.get(choice.action, ())[1:]]
        if choice.partner is not None and choice.partner_action is not None:
            # The receiver of a rendezvous goes on by itself.
            before[choice.partner] = choice.partner_action
            path += [Choice(choice.partner, number) for number in parts.get(choice.partner_action, ())[1:]]
    return path


def _cut_short(optimised: Model) -> tuple[set[int], set[int]]:
    """The ids of chains that end with a jump which stops at its label, and of the steps on from there.

    In the original such a jump goes all the way.
    """
    cut, rests = set(), set()
    for template in optimised.templates:
        stops = dict(template.first_stops)
        for action in template.actions:
            if isinstance(action.step, Chain) and action.step.actions[-1].source in stops:
                cut.add(action.id)
            if action.source in stops.values():
                rests.add(action.id)
    return cut, rests
