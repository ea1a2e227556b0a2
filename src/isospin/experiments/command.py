"""`isospin paper`: measure the tables that were asked for, show each when it is done, and save what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..core.errors import UsageError
from ..core.usage import seconds_spent
from ..report.ink import Console, Text
from . import TABLES, plot
from .page import html_page
from .run import TableResult, measure, tables_named
from .saved import SavedRows
from .show import csv_text, show

HOLDS, DIFFERS, INCOMPLETE = 0, 1, 3


class PaperRequest(NamedTuple):
    """What `isospin paper` was asked for."""

    tables: tuple[str, ...]
    full: bool = False
    seconds: float | None = None  # for each run
    csv: str | None = None
    plots: str | None = None
    page: str | None = None
    save: str | None = None  # a file of results that is taken up again


def listed(console: Console) -> None:
    for table in TABLES:
        long = sum(run.full for run in table.runs)
        rows = f"{len(table.runs)} rows" + (f", {long} of them with --full" if long else "")
        console.print(Text(f"{table.name:20} {table.title} ({rows})"), soft_wrap=True)


def run(asked: PaperRequest, console: Console, tell: Callable[[str], None] | None, version: str) -> int:
    """Exit status 1 if a count is not what it must be beside the paper's, 3 if such a count is missing."""
    tables = tables_named(list(asked.tables))
    if asked.plots is not None and not plot.possible():
        raise UsageError("--plots needs matplotlib: pip install 'isospin[paper]'")
    saved = None if asked.save is None else SavedRows(asked.save, version)
    results = []
    for table in tables:
        results.append(measure(table, asked.full, asked.seconds, _or_silent(tell), saved))
        if tell is not None:
            tell("\r")
        show(console, results[-1])
        console.file.flush()  # a table is there to be seen while the next one is measured
    with _writing():
        _save(results, asked, version)
    return _status(results, console)


def _status(results: list[TableResult], console: Console) -> int:
    cells = [(r.table.name, c) for r in results for c in r.cells]
    wrong = [(name, c) for name, c in cells if c.breaks_rule]
    missing = [(name, c) for name, c in cells if c.is_open and not c.breaks_rule]
    for name, cell in wrong:
        console.print(f"differs: {name} {cell.run.size} {cell.run.method}", style="bold red")
    for name, cell in missing:
        console.print(f"not found: {name} {cell.run.size} {cell.run.method}", style="bold")
    return DIFFERS if wrong else INCOMPLETE if missing else HOLDS


def _or_silent(tell: Callable[[str], None] | None) -> Callable[[str], None]:
    return (lambda text: None) if tell is None else (lambda text: tell(f"\r{text}"))


def _save(results: list[TableResult], asked: PaperRequest, version: str) -> None:
    """CSV, plots and the page, as far as they were asked for."""
    if asked.csv is not None:
        Path(asked.csv).mkdir(parents=True, exist_ok=True)
        for result in results:
            Path(asked.csv, f"{result.table.name}.csv").write_text(csv_text([result]))
    if asked.plots is not None:
        Path(asked.plots).mkdir(parents=True, exist_ok=True)
        for result in results:
            for name, drawn in plot.plots(result).items():
                for form in ("png", "svg"):
                    Path(asked.plots, f"{result.table.name}-{name}.{form}").write_bytes(plot.image(drawn, form))
    if asked.page is not None:
        Path(asked.page).write_text(html_page(results, version, seconds_spent()))


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from None
