"""Where transitions lead, and where they come from.

Reference: Wang et al., section 5.2; Burch, Clarke, McMillan, Dill, Hwang, Symbolic Model Checking: 10^20 States and
Beyond (1990), for partitioned transition relations.
Differs: no relation over two copies of the state.  Forwards, the bits that change are forgotten and set anew; only
those whose new value depends on bits that change go through a second variable.  Backwards, the new values are put in
place of the bits, which needs no second variable at all.
"""

from __future__ import annotations

from functools import cached_property

from ....core.records import dataclass
from ..backend import Bdd, Cube, Manager, Substitution, conjunction
from .world import Change


@dataclass(frozen=True)
class SetTransition:
    """A transition made ready for sets of states."""

    manager: Manager
    transition: Change
    condition: Bdd  # the guard, and the second variables of bits whose new value depends on old ones
    changed: Cube
    effect: Bdd  # the other new values
    settle: Substitution | None  # from the second variables back to the first ones

    @cached_property
    def replace(self) -> Substitution:
        return self.manager.substitution(self.transition.changes)

    def after(self, states: Bdd) -> Bdd:
        found = self.manager.and_exists(states, self.condition, self.changed)
        if found == self.manager.false:
            return found
        if self.settle is not None:
            found = self.manager.substitute(found, self.settle)
        # SOUND: these new values do not depend on bits that change, so it does not matter that those were forgotten.
        return found & self.effect

    def before(self, states: Bdd) -> Bdd:
        return self.transition.guard & self.manager.substitute(states, self.replace)


def _prepared(manager: Manager, t: Change) -> SetTransition:
    """New bits that depend on no changed bit are set at once; the others by a detour over the bit beside them."""
    changed = manager.cube(t.changes)
    constants = (manager.true, manager.false)
    free = {b: new for b, new in t.changes.items() if new in constants or manager.exists(new, changed) == new}
    bound = {bit: new for bit, new in t.changes.items() if bit not in free}
    second = [_same(manager, manager.variable(bit + 1), new) for bit, new in sorted(bound.items(), reverse=True)]
    first = [_same(manager, manager.variable(bit), new) for bit, new in sorted(free.items(), reverse=True)]
    settle = {bit + 1: manager.variable(bit) for bit in bound}
    return SetTransition(
        manager,
        t,
        t.guard & conjunction(manager, second),
        changed,
        conjunction(manager, first),
        manager.substitution(settle) if settle else None,
    )


def _same(manager: Manager, f: Bdd, g: Bdd) -> Bdd:
    return ~manager.xor(f, g)


def images(manager: Manager, transitions: list[Change]) -> list[SetTransition]:
    return [_prepared(manager, t) for t in transitions if t.changes]  # the others lead nowhere new
