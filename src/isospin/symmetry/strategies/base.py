"""What strategies share: the action on states, families, main arrays, sizes of orbits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable
from functools import cached_property

from ...core.errors import UsageError
from ...core.permutation import Permutation, compose, inverse
from ...semantics.state import State
from ..detection.symmetries import Symmetries
from ..folding.action import Actions, Moves
from ..folding.canon import Canon
from ..folding.shape import Shape
from ..protocol import CANONICAL, Folded

MOST_ELEMENTS = 50_000
Main = Callable[[State, int], Hashable]  # what the main array holds for a process


class Base:
    """A strategy decides where all processes exist; elsewhere nothing is folded."""

    name = ""
    exactness = CANONICAL
    by_path = False
    needs_families = False  # works only where all permutations within each family are symmetries

    def __init__(self, symmetries: Symmetries, main_array: str | None = None) -> None:
        if self.needs_families and not symmetries.fully_symmetric:
            why = "needs fully symmetric families of processes; exact fits any group"
            raise UsageError(f"--symmetry {self.name} {why}")
        self.symmetries, self.main_array = symmetries, main_array
        self.group = symmetries.group
        self.identity = symmetries.interpreter.identity
        self.settle = symmetries.settle
        self.prepare()

    def prepare(self) -> None:
        """Compute what depends only on the model."""

    def fold(self, state: State, origin: State | None = None) -> Folded:
        if not self.actions.is_born(state):
            settled = self.settle(state)
            return Folded(self.identity(settled), settled, None if self.symmetries.heap is None else ())
        return self.choose(state)

    @abstractmethod
    def choose(self, state: State) -> Folded:
        """Fold a state in which all processes are there."""

    def orbit_size(self, state: State) -> int | None:
        """|G| / |stabiliser|: the action need not be free."""
        if self.exactness != CANONICAL or self.symmetries.heap is not None:
            return None
        if not self.actions.is_born(state):
            return 1
        return self.group.order // self.canon.stabiliser_order(state)

    # ---------------------------------------------------------------- tools

    @cached_property
    def actions(self) -> Actions:
        return Actions(self.symmetries)

    @cached_property
    def canon(self) -> Canon:
        return Canon(self.actions, self.identity)

    @cached_property
    def shape(self) -> Shape:
        return self.canon.shape

    @cached_property
    def families(self) -> list[list[int]]:
        return [pids for _, pids, _ in self.symmetries.orbits]

    @cached_property
    def elements(self) -> list[Moves]:
        if self.group.order > MOST_ELEMENTS:
            raise UsageError(f"--symmetry {self.name}: the group has {self.group.order} elements; exact can do it")
        return [self.actions.moves(e) for e in self.group.elements()]

    def image(self, moves: Moves, state: State) -> State:
        """What is visible of the image."""
        return self.identity(self.settle(moves.apply(state)))

    def representative(self, moves: Moves, state: State) -> Folded:
        image = self.settle(moves.apply(state))
        unmoved = moves.is_identity and self.symmetries.heap is None
        return Folded(self.identity(image), image, None if unmoved else moves.points)

    def ordered(self, orders: list[list[int]]) -> Moves:
        """The symmetry that puts the processes (or scalarset values) of each family into the given order."""
        images = list(range(self.symmetries.points))
        for family, order in zip(self.families, orders, strict=True):
            for position, pid in zip(family, order, strict=True):
                images[pid] = position
        return self.actions.of_pids(tuple(images))

    @cached_property
    def swaps(self) -> list[Moves]:
        """Transpositions within the families; generators and their inverses where there are none."""
        if not self.symmetries.fully_symmetric:
            both: dict[Permutation, Moves] = {}
            for g in self.group.generators:
                for m in (self.actions.moves(g), self.actions.of_pids(inverse(g[: self.symmetries.points]))):
                    both[m.points] = m
            return list(both.values())
        found = []
        for family in self.families:
            for i, a in enumerate(family):
                for b in family[i + 1 :]:
                    images = list(range(self.symmetries.points))
                    images[a], images[b] = b, a
                    found.append(self.actions.of_pids(tuple(images)))
        return found

    def least_by_swaps(self, state: State) -> tuple[State, Permutation]:
        """Swap as long as that makes the state smaller."""
        points = tuple(range(self.symmetries.points))
        changed = True
        while changed:
            changed = False
            for swap in self.swaps:
                image = self.image(swap, state)
                if image < state:
                    state, points, changed = image, compose(swap.points, points), True
        return state, points

    # ---------------------------------------------------------------- main arrays

    @cached_property
    def main(self) -> Main:
        """The array that is sorted first: program counters, or the one that the user names."""
        if self.main_array in (None, "pc"):
            places = self.shape.places

            def counter(state: State, pid: int) -> Hashable:
                if pid >= len(places):
                    return 0  # a scalarset value: there is nothing to sort it by
                location = state.processes[pid].location
                owner = places[pid].get(location)
                return location if owner is None else owner.orbit

            return counter
        return self.named_main(str(self.main_array))

    def named_main(self, name: str) -> Main:
        """Sort by a variable that the user names: local to each process, or an array by pid."""
        slots, processes = self.main_slots(name), self.symmetries.processes

        def read(state: State, pid: int) -> Hashable:
            if pid >= processes:
                return 0  # a scalarset value: there is nothing to sort it by
            is_local, slot = slots[pid]
            return state.processes[pid].frame[slot] if is_local else state.values[slot]

        return read

    def main_slots(self, name: str) -> dict[int, tuple[bool, int]]:
        """Where the main array has its value for a process: is it a local variable, and which slot?"""
        slots: dict[int, tuple[bool, int]] = {}
        model, processes = self.symmetries.model, self.symmetries.processes
        for variable in model.globals:
            if variable.name == name:
                for slot in range(variable.base, variable.base + variable.size):
                    owner = self.shape.owners.owner.get(("global", slot))
                    if owner is not None and len(owner.of) == 1:
                        slots[owner.of[0]] = (False, slot)
        for pid in range(processes):
            for variable in model.template(self.symmetries.templates[pid]).locals:
                if variable.name == name and variable.size == 1:
                    slots[pid] = (True, variable.base)
        missing = [p for p in self.symmetries.moved if p not in slots and p < processes]
        if missing:
            raise UsageError(f"--main-array {name}: there is no such variable for process {missing[0]}")
        return slots
