"""The symmetries of a model: the group, what it moves, and what it rests on."""

from __future__ import annotations

from functools import cached_property

from ...core.model import Model
from ...core.permutation import Permutation, cycles
from ...core.records import dataclass
from ...core.verdict import Family, Refusal
from ...semantics.interp import Interpreter
from ...semantics.state import State
from ...semantics.text import scalar_name
from ..folding.heap import HeapFold
from ..groups import naming
from ..groups.group import Group
from ..protocol import Name
from .births import Births
from .facts import Fact
from .population import Population
from .sorts import Sorts


@dataclass(frozen=True)
class Symmetries:
    """The group of a model, and what it rests on.  Permutations are of all movables; the points, which decide
    where all others go, are the first of them: the pids, then the values of the scalarsets."""

    model: Model
    interpreter: Interpreter
    group: Group
    refused: tuple[Refusal, ...] = ()
    population: Population | None = None
    sorts: Sorts | None = None
    movables: tuple[Name, ...] = ()
    facts: tuple[Fact, ...] = ()
    cut: str = ""  # why the search for symmetries was not completed
    heap: HeapFold | None = None  # how heaps are folded; None: addresses are plain data
    births: Births | None = None  # how processes that are started at run time are folded; None: by the group, if at all
    keeps_start: bool = True  # every symmetry maps the state where runs begin to itself
    waits: bool = False  # states before everything is set up are not folded
    bodies: tuple[tuple[int, int], ...] = ()  # in facts, the pid that stands for any of some alike ones; one of these

    def settle(self, state: State) -> State:
        """The state with its heap folded, if heaps are."""
        return state if self.heap is None else self.heap.fold(state)

    @property
    def order(self) -> int:
        return self.group.order

    @property
    def processes(self) -> int:
        return 0 if self.population is None else len(self.population.state.processes)

    @property
    def points(self) -> int:
        return self.processes + (0 if self.population is None else sum(size for _, size in self.model.scalarsets))

    def renaming(self, element: Permutation) -> dict[Name, Name]:
        """What an element makes of the things that facts speak of."""
        movables = self.movables
        found = {movables[i]: movables[image] for i, image in enumerate(element) if i != image}
        for body, pid in self.bodies:  # what stands for the same place of each process
            own = [name for name in found if name[0] in ("loc", "local") and name[1] == pid]
            found |= {(name[0], body, name[2]): (name[0], body, found[name][2]) for name in own}
        return found

    @cached_property
    def moved(self) -> tuple[int, ...]:
        """The points that some symmetry moves."""
        return tuple(p for p in range(self.points) if any(g[p] != p for g in self.group.generators))

    @cached_property
    def generators(self) -> tuple[Permutation, ...]:
        """As permutations of points."""
        return tuple(g[: self.points] for g in self.group.generators)

    @property
    def templates(self) -> list[str]:
        state = None if self.population is None else self.population.state
        return [self.model.templates[p.template].name for p in state.processes] if state else []

    @cached_property
    def orbits(self) -> list[tuple[str, list[int], str]]:
        """Template, pids and group of the processes that can take each other's place; the same for scalarset values."""
        kinds = [name for name, size in self.model.scalarsets for _ in range(size)] if self.points else []
        # What was searched for to the end are strong generators.
        return naming.families(list(self.group.generators), self.templates + kinds, strong=not self.cut)

    def written(self, element: Permutation) -> str:
        """Cycle notation with pids and the names of values."""
        points = self.movables[: self.points]
        names = [str(t[1]) if t[0] == "pid" else scalar_name(str(t[1]), int(t[2])) for t in points]
        return "".join("(" + " ".join(names[p] for p in c) + ")" for c in cycles(element[: self.points])) or "()"

    @property
    def families(self) -> tuple[Family, ...]:
        return tuple(Family(template, len(pids), group) for template, pids, group in self.orbits)

    @property
    def fully_symmetric(self) -> bool:
        """Is the group all permutations within its families?"""
        order = 1
        for _, pids, _ in self.orbits:
            for i in range(2, len(pids) + 1):
                order *= i
        return order == self.order

    @property
    def justification(self) -> str:
        if self.order == 1:
            return "no symmetry was found that keeps the model as it is"
        shown = ", ".join(self.written(g) for g in self.generators[:8])
        more = f" and {len(self.generators) - 8} more" if len(self.generators) > 8 else ""
        kept = ", the initial state and" if self.keeps_start else " and"
        return (
            f"each generator maps every action of every process{kept} the property to themselves "
            f"({len(self.facts)} facts checked): {shown}{more}"
        )
