"""Folding that begins later: when the process that sets everything up has done so.

Reference: `population.py`, where states in which some process is not born yet are not folded.
Differs: the same holds for what `init` does behind its last `run`: a token that it puts into a ring names one channel,
but once it is there nobody names it again.  States before that are not folded, and what happens in them is no fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...core.model import End, Model, Template
from .population import Population


def begin_later(model: Model, population: Population) -> list[Population]:
    """The population with a creator that has gone further, from the earliest such place to the last."""
    creator = population.creator if population.creator is not None else _init_of(model, population)
    if creator is None:
        return []
    process = population.state.processes[creator]
    template = model.templates[process.template]
    reach = {place: frozenset(_reachable(template, place)) for place in _reachable(template, process.location)}
    here = reach[process.location]
    # SOUND: who has left `before` never comes back to it, so what is folded stays folded.
    nested = [r for r in dict.fromkeys(sorted(reach.values(), key=lambda r: (-len(r), sorted(r)))) if r < here]
    return [_from(population, creator, template, places) for places in nested]


def _init_of(model: Model, population: Population) -> int | None:
    kinds = [model.templates[p.template].kind for p in population.state.processes]
    return kinds.index("init") if "init" in kinds else None


def _from(population: Population, creator: int, template: Template, places: frozenset[int]) -> Population:
    processes = list(population.state.processes)
    start = next(x for x in sorted(places) if frozenset(_reachable(template, x)) == places)
    processes[creator] = processes[creator]._replace(location=start)
    before = {a.source for a in template.actions} | {a.target for a in template.actions}
    # SOUND: not closed, so nothing is taken for constant that is written before.
    return replace(
        population,
        state=population.state._replace(processes=tuple(processes)),
        creator=creator,
        before=frozenset(before - places),
        closed=False,
    )


def _reachable(template: Template, start: int) -> Iterator[int]:
    targets: dict[int, set[int]] = {}
    for action in template.actions:
        if not isinstance(action.step, End):
            targets.setdefault(action.source, set()).add(action.target)
    seen, todo = {start}, [start]
    while todo:
        here = todo.pop()
        yield here
        for target in targets.get(here, ()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
