"""isospin: a model checker that wins by symmetry.  The flat public API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from .core.errors import InternalError, IsospinError, SourceError, UsageError
from .core.trace import Trace
from .core.verdict import Outcome, Verdict, Violation
from .version import __version__ as __version__

if TYPE_CHECKING:
    from .core.model import Model
    from .pipeline.typed import CheckOptions, TestOptions

Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = [
    "InternalError",
    "IsospinError",
    "Model",
    "Outcome",
    "SourceError",
    "Trace",
    "UsageError",
    "Verdict",
    "Violation",
    "check",
    "load",
    "permutation",
    "simulate",
    "test",
    "toss",
]


def load(source: str | Path, defines: tuple[str, ...] = (), processes: int | None = None) -> Model:
    """Read a model from a file, or from Promela text; `processes` is the size of a pointer automaton."""
    from . import pipeline

    return pipeline.load(source, defines, processes=processes)


def check(source: str | Path | Model, **options: Unpack[CheckOptions]) -> Verdict:
    """Check a model or a program: `check("m.pml", max_states=1000)`; the options are those of `isospin check`.

    `source` is a file, the text of a Promela model, or what `load` gave.  A verdict is true only if everything holds;
    `verdict.violations` have their traces; `verdict.save_html("bug.html")` saves the report.
    """
    from dataclasses import replace
    from functools import partial

    from . import pipeline
    from .pipeline.kind_options import make_options
    from .pipeline.kinds import kind_of

    if not isinstance(source, str | Path):
        verdict = pipeline.check(source, pipeline.options(**options))
    else:
        kind = kind_of(source, options.get("build"))
        verdict = kind.on_road("check_files")([source], make_options(kind, options))
    return replace(verdict, page=partial(_page, source, options))


def _page(source: str | Path | Model, options: CheckOptions, verdict: Verdict) -> str:
    """The report of a verdict; of a model with all that can be seen in the states of its counterexamples."""
    from . import pipeline
    from .pipeline.kinds import kind_of
    from .report.html import MOST_STEPS, MOST_VIOLATIONS, page

    model = None if isinstance(source, str | Path) else source
    if isinstance(source, str | Path):
        if kind_of(source, options.get("build")).is_program:
            return page(verdict, __version__)
        names = ("defines", "ltl", "processes", "include", "claim")
        model = pipeline.load(source, **{name: options[name] for name in names if name in options})  # type: ignore[literal-required]
    assert model is not None
    shown = verdict.violations[:MOST_VIOLATIONS]
    return page(verdict, __version__, [pipeline.run_view(model, v, MOST_STEPS) for v in shown])


def simulate(source: str | Path | Model, seed: int = 0, steps: int = 1000, defines: tuple[str, ...] = ()) -> Trace:
    """One random run, of a model or of a program."""
    from random import Random

    from . import pipeline
    from .pipeline.kind_options import make_options
    from .pipeline.kinds import kind_of

    if isinstance(source, str | Path) and (kind := kind_of(source)).is_program:
        walker = kind.on_road("walk_through")([source], make_options(kind, {"defines": defines} if defines else {}))
        try:
            trace: Trace = walker.random((), Random(seed), steps).trace
            return trace
        finally:
            walker.close()
    model = pipeline.load(source, defines) if isinstance(source, str | Path) else source
    return pipeline.simulate(model, seed, steps).trace


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext isospin` in a notebook: cells that begin with `%%promela` are checked."""
    from .notebook import register

    register(shell, check)


# -------------------------------------------------------------------------------------------------- programs


@overload
def test(function: Function) -> Function: ...


@overload
def test(**options: Unpack[TestOptions]) -> Callable[[Function], Function]: ...


def test(function: Any = None, **options: Any) -> Any:
    """A test function that starts threads: `@isospin.test` runs it under every schedule that matters."""
    from .pipeline.programs import testing

    return testing.test(function, **options)


test.__test__ = False  # type: ignore[attr-defined]  # pytest must not collect it


def toss(n: int) -> int:
    """In a checked program: a number below n; every one is tried."""
    from .pipeline.programs import python

    return python.toss(n)


def permutation(*sequences: Sequence[Any], kind: str = "rotate") -> None:
    """In a checked program: threads and objects in the same places change their roles together (rotate or swap)."""
    from .pipeline.programs import python

    python.permutation(*sequences, kind=kind)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Models are imported when somebody asks for them: a program has none."""
        if name != "Model":
            raise AttributeError(f"module {__name__} has no attribute {name}")
        from .core.model import Model

        return Model
