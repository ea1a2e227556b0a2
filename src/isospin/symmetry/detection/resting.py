"""Dead variables that hold names rest at a value that names nobody.

Reference: `transform/dead.py`, which clears what nobody will read.
Differs: it clears to 0, and 0 is a process where processes have numbers from 0: then everybody who has forgotten whom
he served seems to know process 0, and it is like no other.  Any value will do for a variable that nobody reads; here it
is the least that is no name.
"""

from __future__ import annotations

from dataclasses import replace

from ...analysis.footprint import Footprints
from ...core.model import Action, Const, Model, Sort, Template, Variable
from ...semantics.interp import Interpreter
from ...semantics.state import Fault
from ...transform.dead import Clearing
from .bodies import are_shareable
from .looping.loops import fold_loops
from .looping.rounds import KnownLoops
from .population import NotFoldable, Population, populate
from .sorts import Sorts
from .specialise import share, specialise

Rests = dict[int, int]  # by the base of a local


def rest_beside_names(model: Model, loops: KnownLoops) -> Model:
    """The same model, with other values in dead variables that may hold the name of a process."""
    if not any(_may_rest(v) for t in model.templates for a in t.actions for v in a.clears):
        return model
    interpreter = Interpreter(model)
    try:
        population = populate(model, interpreter)
    except (NotFoldable, Fault):
        return model  # there will be no symmetry
    sorts = _sorts(model, interpreter, population, loops)
    prints, hidden = Footprints(model), frozenset(v.base for v in model.globals if v.hidden)
    templates = []
    for template in model.templates:
        rests = _rests_of(template, sorts)
        if rests:
            live = Clearing(prints, template, hidden).live.get(template.entry, frozenset[int]())
            template = _resting(template, rests, live)
        templates.append(template)
    return replace(model, templates=tuple(templates))


def _sorts(model: Model, interpreter: Interpreter, population: Population, loops: KnownLoops) -> Sorts:
    """What values mean; code that many processes share says it as well, if all that tells them apart is a name."""
    if are_shareable(model, population):
        shared = share(model, population)
        sorts = Sorts(model, interpreter, population.state, fold_loops(model, shared, whole_moves=True, known=loops))
        sorts.finish()
        if sorts.anybody.kind == "pid" and not any(own.differs for own in shared):
            return sorts
    owns = fold_loops(model, specialise(model, population), whole_moves=True, known=loops)
    sorts = Sorts(model, interpreter, population.state, owns)
    sorts.finish()
    return sorts


def _may_rest(variable: Variable) -> bool:
    return variable.is_local and variable.type.sort in (Sort.NUMBER, Sort.PID) and variable.type.bits > 1


def _rests_of(template: Template, sorts: Sorts) -> Rests:
    """For each local that may hold a name, the least value that is none."""
    found: Rests = {}
    pointed = {sorts.of(key).number for key in list(sorts.parent) if key[0] in ("index", "field")}
    for variable in dict.fromkeys(v for a in template.actions for v in a.clears if _may_rest(v)):
        one = sorts.variable(variable, template.name).current
        if one.kind == "pid":
            names = one.literals | set(range(len(sorts.state.processes)))
        elif one.kind == "name" and one.number in pointed:
            names = one.literals
        else:
            continue
        rest = max(names) + 1
        if 0 in names and rest <= variable.type.high:
            found[variable.base] = rest
    return found


def _resting(template: Template, rests: Rests, live: frozenset[int]) -> Template:
    parameters = {v.base for v in template.parameters}

    def rested(variable: Variable) -> Variable:
        return replace(variable, rest=rests[variable.base]) if variable.base in rests else variable

    def started(variable: Variable) -> Variable:
        """SOUND: it starts where it rests only if nobody reads it first."""
        new = rested(variable)
        dead = new.rest and variable.base not in live and variable.base not in parameters and not variable.initial
        return replace(new, initial=(Const(new.rest),)) if dead else new

    def cleared(action: Action) -> Action:
        return replace(action, clears=tuple(map(rested, action.clears))) if action.clears else action

    return replace(template, locals=tuple(map(started, template.locals)), actions=tuple(map(cleared, template.actions)))
