"""Who searches a model: the interpreter as long as that is quick, then the compiled engine.

A C compiler takes longer than most models: small ones are answered before it would have started.  The interpreter has a
budget of work that it counts, so that who answers depends on the model and on nothing else: the same input has the same
answer on a slow machine, under load, and whatever was compiled before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...analysis.ample import Ample
from ...core.deadline import stretch
from ...core.errors import NOWHERE, Diagnostic, UsageError
from ...core.model import Model
from ...engines.contract import Exploration
from ...symmetry.protocol import Folding, Strategy
from ...symmetry.reduction import Reduction
from ..settings import Options, question

BUDGET = 12_000  # work of the interpreter before a compiler is asked: less than that would take
INTERRUPTED = "interrupted"
SMALL = "the model is small: the interpreter was done before a C compiler would have been"
UNFIT = "the compiled one cannot be used"


class _Searched(NamedTuple):
    """The engine that answered, what it saw, what is to be told about it, and why it is another one than expected."""

    engine: str
    exploration: Exploration
    notes: tuple[Diagnostic, ...]
    why: str = ""


def explore(model: Model, options: Options, reduction: Reduction | None, order: Ample | None) -> _Searched:
    """Search by the engine that was asked for; `auto` tries the interpreter first."""
    searched = model if reduction is None else reduction.model
    strategy = None if reduction is None else reduction.strategy
    if options.engine == "interp":
        return _interpreted(searched, options, strategy, order)
    if _may_be_small(options):
        first = _interpreted(searched, options, strategy, order, BUDGET)
        # SOUND: of a search that was given up, nothing is used.
        if not first.exploration.incomplete or first.exploration.incomplete == INTERRUPTED:
            return first._replace(why=SMALL)
    return _compiled(searched, options, reduction, order)


def _may_be_small(options: Options) -> bool:
    """Is the interpreter to try first?"""
    return options.engine == "auto" and not options.needs_explicit and options.threads == 1


def _interpreted(
    searched: Model, options: Options, strategy: Strategy | None, order: Ample | None, budget: int | None = None
) -> _Searched:
    from ...engines.interp.search import explore

    asked = question(options)
    if budget is not None:
        asked = replace(asked, budget=budget, progress=None)
    exploration = explore(searched, asked, strategy, order)
    return _Searched("interp", exploration, _warnings(exploration))


def _compiled(searched: Model, options: Options, reduction: Reduction | None, order: Ample | None) -> _Searched:
    """By the compiled engine; without a C compiler, `auto` means the interpreter, and says so."""
    from ...engines.explicit import NoCompiler, explore, objection

    strategy = None if reduction is None else reduction.strategy
    with stretch("preparing the search"):
        folding: Folding | None = None if reduction is None else reduction.folding
        why = "" if folding is None else objection(searched, folding)
    if why and (options.engine == "explicit" or options.needs_explicit):
        raise UsageError(f"--symmetry {options.symmetry}: {why}; --engine interp can do it")
    if why:
        return _interpreted(searched, options, strategy, order)._replace(why=UNFIT)
    try:
        options.tell("compiling the model")
        exploration = explore(searched, question(options), folding=folding, ample=order)
        return _Searched("explicit", exploration, _warnings(exploration))
    except KeyboardInterrupt:  # while it was still being compiled
        return _Searched("explicit", Exploration(incomplete=INTERRUPTED, mode=question(options).mode), ())
    except NoCompiler as problem:
        if options.engine == "explicit" or options.needs_explicit:
            raise
        note = Diagnostic(NOWHERE, f"the slow reference interpreter was used: {problem}", severity="warning")
        return _interpreted(searched, options, strategy, order)._replace(notes=(note,), why=UNFIT)


def _warnings(exploration: Exploration) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(NOWHERE, note, severity="warning") for note in exploration.notes)
