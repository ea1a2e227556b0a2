"""`isospin paper`: measure the tables that were asked for, show each when it is done, and save what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from ..core.errors import UsageError
from ..core.usage import seconds_spent
from . import TABLES, plot
from .page import html_page
from .run import TableResult, measure, tables_named
from .show import csv_text, show

HOLDS, DIFFERS = 0, 1


class PaperRequest(NamedTuple):
    """What `isospin paper` was asked for."""

    tables: tuple[str, ...]
    full: bool = False
    seconds: float | None = None  # for each run
    csv: str | None = None
    plots: str | None = None
    page: str | None = None


def listed(console: Console) -> None:
    for table in TABLES:
        long = sum(run.full for run in table.runs)
        rows = f"{len(table.runs)} rows" + (f", {long} of them with --full" if long else "")
        console.print(Text(f"{table.name:20} {table.title} ({rows})"), soft_wrap=True)


def run(asked: PaperRequest, console: Console, tell: Callable[[str], None] | None, version: str) -> int:
    """Exit status 1 if a count that must be the paper's is another one."""
    tables = tables_named(list(asked.tables))
    if asked.plots is not None and not plot.possible():
        raise UsageError("--plots needs matplotlib: pip install 'isospin[paper]'")
    results = []
    for table in tables:
        results.append(measure(table, asked.full, asked.seconds, _or_silent(tell)))
        if tell is not None:
            tell("\r")
        show(console, results[-1])
        console.file.flush()  # a table is there to be seen while the next one is measured
    with _writing():
        _save(results, asked, version)
    wrong = [c for r in results if r.table.exact for c in r.cells if c.agrees is False]
    for cell in wrong:
        console.print(f"differs: {cell.run.size} {cell.run.method}", style="bold red")
    return DIFFERS if wrong else HOLDS


def _or_silent(tell: Callable[[str], None] | None) -> Callable[[str], None]:
    return (lambda text: None) if tell is None else (lambda text: tell(f"\r{text}"))


def _save(results: list[TableResult], asked: PaperRequest, version: str) -> None:
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
