"""Where runs start: all values of the variables that may start with several, as far as the model allows them.

Reference: textbook backtracking.
Differs: a condition is evaluated as soon as the variables that it names have values, so that a set of initial states
that is small is found quickly, however many combinations there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..core.errors import UsageError
from ..core.model import Const, Expr, Model, Place, Variable
from ..core.trace import Start
from .state import State, Value, WritableWorld
from .walk import operands, slot_of, subexpressions

MOST_STARTS = 100_000


def free_slots(variables: tuple[Variable, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """The slots of globals that may start with several values, with these; the element of nobody is no variable."""
    return [
        (v.base + i, v.choices) for v in variables if v.choices for i in range(v.size) if i > 0 or not v.owned
    ]  # fmt: skip


def start_of(model: Model, state: State) -> Start:
    """What was chosen in an initial state."""
    return tuple((slot, state.values[slot]) for slot, _ in free_slots(model.globals))


class Starts:
    """The search for initial states; `value` turns expressions into functions, `fixed` are choices already made."""

    def __init__(self, model: Model, value: Callable[[Expr], Value], fixed: Start = ()) -> None:
        self.model, self.value = model, value
        given = dict(fixed)
        free = free_slots(model.globals)
        self.free = [(slot, (given[slot],) if slot in given else choices) for slot, choices in free]
        self.tests = self.schedule()

    def schedule(self) -> list[list[Value]]:
        """For each free variable the conditions that can be decided once it has a value."""
        order = {slot: i for i, (slot, _) in enumerate(self.free)}
        tests: list[list[Value]] = [[] for _ in self.free]
        for condition in operands(self.model.initially, "&&"):
            if self.free and condition != Const(1):
                needed = _slots_read(condition)
                last = len(self.free) - 1 if needed is None else max((order.get(s, 0) for s in needed), default=0)
                tests[last].append(self.value(condition))
        return tests

    def combinations(self, base: WritableWorld) -> Iterator[dict[int, int]]:
        """All combinations; `base` is a state in which everything else has its first value."""
        for count, values in enumerate(self.extend(base, 0), 1):
            if count > MOST_STARTS:
                raise UsageError(
                    f"{self.model.file}: more than {MOST_STARTS} initial states; say more in init"
                )
            yield values

    def extend(self, w: WritableWorld, depth: int) -> Iterator[dict[int, int]]:
        if depth == len(self.free):
            yield {slot: w.values[slot] for slot, _ in self.free}
            return
        slot, choices = self.free[depth]
        for value in choices:
            w.values[slot] = value
            if all(test(w) for test in self.tests[depth]):
                yield from self.extend(w, depth + 1)


def _slots_read(e: Expr) -> set[int] | None:
    """The global slots that an expression reads; None if that depends on the state."""
    found: set[int] = set()
    for part in subexpressions(e):
        if isinstance(part, Place):
            slot = slot_of(part)
            if slot is None or part.variable.is_local:
                return None
            found.add(slot)
    return found

