"""Where transitions lead, and where they come from.

Reference: Wang et al., section 5.2; Burch, Clarke, McMillan, Dill, Hwang, Symbolic Model Checking: 10^20 States and
Beyond (1990), for partitioned transition relations.
Differs: no relation over two copies of the state.  Forwards, the bits that change are forgotten and set anew; only
those whose new value depends on bits that change go through a second variable.  Backwards, the new values are put in
place of the bits, which needs no second variable at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from .backend import Bdd, Cube, Manager, Substitution, conjunction
from .steps import Change


@dataclass(frozen=True)
class Image:
    """A transition made ready for sets of states."""

    transition: Change
    condition: Bdd  # the guard, and the second variables of bits whose new value depends on old ones
    changed: Cube
    effect: Bdd  # the other new values
    settle: Substitution | None  # from the second variables back to the first ones
    replace: Substitution


def prepared(manager: Manager, t: Change) -> Image:
    changed = manager.cube(t.changes)
    free = {bit: new for bit, new in t.changes.items() if manager.exists(new, changed) == new}
    bound = {bit: new for bit, new in t.changes.items() if bit not in free}
    second = [same(manager, manager.variable(bit + 1), new) for bit, new in sorted(bound.items(), reverse=True)]
    first = [same(manager, manager.variable(bit), new) for bit, new in sorted(free.items(), reverse=True)]
    settle = {bit + 1: manager.variable(bit) for bit in bound}
    return Image(
        t,
        t.guard & conjunction(manager, second),
        changed,
        conjunction(manager, first),
        manager.substitution(settle) if settle else None,
        manager.substitution(t.changes),
    )


def same(manager: Manager, f: Bdd, g: Bdd) -> Bdd:
    return ~manager.xor(f, g)


class Images:
    """All transitions of a model, on sets of states."""

    def __init__(self, manager: Manager, transitions: list[Change]) -> None:
        self.manager = manager
        self.all = [prepared(manager, t) for t in transitions if t.changes]  # the others lead nowhere new

    def after(self, image: Image, states: Bdd) -> Bdd:
        found = self.manager.and_exists(states, image.condition, image.changed)
        if found == self.manager.false:
            return found
        if image.settle is not None:
            found = self.manager.substitute(found, image.settle)
        # SOUND: these new values do not depend on bits that change, so it does not matter that those were forgotten.
        return found & image.effect

    def before(self, image: Image, states: Bdd) -> Bdd:
        return image.transition.guard & self.manager.substitute(states, image.replace)
