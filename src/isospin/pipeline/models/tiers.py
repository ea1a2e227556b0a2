"""Who searches a model: the interpreter as long as that is quick, then the compiled engine.

A C compiler takes longer than most models: small ones are answered before it would have started.  The interpreter has a
budget of work that it counts, so that who answers depends on the model and on nothing else: the same input has the same
answer on a slow machine, under load, and whatever was compiled before.  When part of the budget is used, the compiler
starts beside it, and is ended if it is not needed.  How well the checker is compiled is decided by time, since that
changes no answer (engines/explicit).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...analysis.ample import Ample
from ...core.deadline import TimeIsOver, is_over, reason, stretch
from ...core.errors import NOWHERE, Diagnostic, UsageError
from ...core.model import Model
from ...engines.contract import Exploration
from ...symmetry.protocol import Folding, Strategy
from ...symmetry.reduction import Reduction
from ..settings import Options, question

if TYPE_CHECKING:
    from ...engines.explicit import ModelSearch

BUDGET = 12_000  # work of the interpreter before a compiler is asked: less than that would take
MARK = 4_000  # work after which the compiler starts beside it
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
    compiled = _Compiled(searched, options, reduction, order)
    try:
        if _may_be_small(options):
            first = _interpreted(searched, options, strategy, order, BUDGET, compiled.begin)
            if not first.exploration.incomplete or first.exploration.incomplete == INTERRUPTED:
                return first._replace(why=SMALL)
            # SOUND: of a search that was given up, nothing is used; where the time is over, nobody comes further.
            if is_over():
                first.exploration.incomplete = reason("searching")
                return first
        return compiled.answer()
    finally:
        compiled.give_up()


def _may_be_small(options: Options) -> bool:
    """Is the interpreter to try first?"""
    return options.engine == "auto" and not options.needs_explicit and options.threads == 1


def _interpreted(
    searched: Model, options: Options, strategy: Strategy | None, order: Ample | None, budget: int | None = None,
    at_mark: Callable[[], None] | None = None,
) -> _Searched:  # fmt: skip
    from ...engines.interp.search import explore

    asked = question(options)
    if budget is not None:
        asked = replace(asked, budget=budget, mark=MARK, at_mark=at_mark, progress=None)
    exploration = explore(searched, asked, strategy, order)
    return _Searched("interp", exploration, _warnings(exploration))


class _Compiled:
    """The search by the compiled engine, which can begin before it is known whether it is needed."""

    def __init__(self, searched: Model, options: Options, reduction: Reduction | None, order: Ample | None) -> None:
        self.searched, self.options, self.reduction, self.order = searched, options, reduction, order
        self.search: ModelSearch | None = None

    def objection(self) -> str:
        """Why it cannot be used here."""
        from ...engines.explicit import objection

        folding = self.folding
        return "" if folding is None else objection(self.searched, folding)

    @property
    def folding(self) -> Folding | None:
        return None if self.reduction is None else self.reduction.folding

    def prepared(self) -> ModelSearch:
        from ...engines.explicit import ModelSearch

        asked, quick = question(self.options), self.options.engine == "auto"
        return ModelSearch(self.searched, asked, folding=self.folding, ample=self.order, quick=quick)

    def begin(self) -> None:
        """Start the compiler.  What goes wrong is met again, and told, if the search is needed."""
        with suppress(Exception, TimeIsOver):
            if not self.objection():
                self.search = self.prepared()
                self.search.begin_compiling()

    def give_up(self) -> None:
        if self.search is not None:
            self.search.give_up()

    def answer(self) -> _Searched:
        """Search; without a C compiler, `auto` means the interpreter, and says so."""
        from ...engines.explicit import NoCompiler

        options = self.options
        forced = options.engine == "explicit" or options.needs_explicit
        with stretch("preparing the search"):
            why = self.objection()
        if why and forced:
            raise UsageError(f"--symmetry {options.symmetry}: {why}; --engine interp can do it")
        if why:
            return self.interpreted()
        try:
            options.tell("compiling the model")
            exploration = (self.search or self.prepared()).run()
            return _Searched("explicit", exploration, _warnings(exploration))
        except KeyboardInterrupt:  # while it was still being compiled
            return _Searched("explicit", Exploration(incomplete=INTERRUPTED, mode=question(options).mode), ())
        except NoCompiler as problem:
            if forced:
                raise
            note = Diagnostic(NOWHERE, f"the slow reference interpreter was used: {problem}", severity="warning")
            return self.interpreted()._replace(notes=(note,))

    def interpreted(self) -> _Searched:
        """By the interpreter instead."""
        strategy = None if self.reduction is None else self.reduction.strategy
        return _interpreted(self.searched, self.options, strategy, self.order)._replace(why=UNFIT)


def _warnings(exploration: Exploration) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(NOWHERE, note, severity="warning") for note in exploration.notes)
