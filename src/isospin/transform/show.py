"""Where variables are active, in the words of the user's language: for people.

Reference: Wang et al., BDD-Based Safety-Analysis of Concurrent Software with Pointer Data Structures (TSE 2004), 6.1,
which gives the conditions of the MCS lock.
Differs: conditions of modes that are the same are told together.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.model import Model, Variable, points_to_process
from ..core.records import dataclass
from .activity import ALWAYS, IN, ME, NEVER, NULL, OTHER, POINTER, Activity, Cubes, Part, Values, can_be_asked, order
from .inactive import ActiveModes, eliminate
from .nullness import only_null_matters


@dataclass(frozen=True)
class _Active:
    """In which modes a local variable is active, and where."""

    process: str
    variable: str
    modes: tuple[tuple[str, str], ...]  # each with its condition, if there is one
    of: int  # modes that there are

    def __str__(self) -> str:
        if not self.modes:
            return "never"
        found = []
        for condition in sorted({where for _, where in self.modes}):
            modes = tuple(mode for mode, where in self.modes if where == condition)
            text = "" if len(modes) == self.of else f"in {', '.join(_runs(modes))}"
            found.append(" ".join(t for t in (text, condition and f"where {condition}") if t) or "always")
        return "; ".join(found)


def _runs(modes: tuple[str, ...]) -> Iterator[str]:
    """Numbers in a row as a range: 4, 5, 6 are 4-6."""
    begin = 0
    for i, mode in enumerate(modes):
        goes_on = i + 1 < len(modes) and mode.isdigit() and modes[i + 1] == str(int(mode) + 1)
        if not goes_on:
            yield mode if begin == i else f"{modes[begin]}-{mode}"
            begin = i + 1


def active_conditions(model: Model) -> list[_Active]:
    """For every role and local variable, in the order of the file."""
    by_mode = ActiveModes(model).active
    small = eliminate(only_null_matters(model))
    activity = Activity(small).active if can_be_asked(small) else {}
    found = []
    for template in model.templates:
        for v in (v for v in model.globals if v.owned and any(a.text for a in template.actions)):
            modes = []
            for mode, location in template.labels:
                cubes = activity[v.base][template.name, location] if activity else ALWAYS
                if v.base in by_mode[template.name][location] and cubes != NEVER:
                    modes.append((mode, _condition(model, cubes)))
            found.append(_Active(template.name, v.name, tuple(modes), len(template.labels)))
    return found


# ------------------------------------------------------------------------------------------------ conditions


def _condition(model: Model, cubes: Cubes) -> str:
    """The cubes as a condition; empty if it is always true."""
    if cubes == ALWAYS:
        return ""
    variables = {v.base: v for v in model.globals}
    texts = []
    for cube in sorted(cubes, key=order):
        parts = sorted(cube, key=lambda item: item[0][:2])
        texts.append(" && ".join(_part(variables[part[1]], part, values) for part, values in parts))
    return " || ".join(texts)


def _part(variable: Variable, part: Part, values: Values) -> str:
    """What is known of a part of the state."""
    name = variable.name
    if part[0] == IN:
        return f"(exists q: q != P && {name}[q] == P)"
    if part[2] != POINTER:
        if points_to_process(variable.type):  # one bit is left of it
            return f"{name} {'!=' if 1 in values else '=='} NULL"
        numbers = sorted(v for v in values if isinstance(v, int))
        return _either([f"{name} == {n}" for n in numbers])
    known = ((ME, "P"), (NULL, "NULL"))
    if OTHER in values:
        return " && ".join(f"{name} != {text}" for value, text in known if value not in values)
    return _either([f"{name} == {text}" for value, text in known if value in values])


def _either(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({' || '.join(texts)})"
