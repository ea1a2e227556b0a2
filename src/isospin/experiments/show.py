"""Tables on a terminal, and as CSV."""

from __future__ import annotations

import csv
from io import StringIO

from ..report.ink import Console, Grid, Text
from .run import NOT_ASKED, TableCell, TableResult

HEAD = ("table", "size", "method", "counts", "paper", "ours", "paper_seconds", "our_cpu_seconds", "complete", "note",
        "rule", "our_whole_cpu_seconds", "paper_kilobytes", "our_kilobytes")  # fmt: skip


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value < 1e6 else f"{value:.3g}"  # as the papers round


def theirs(cell: TableCell) -> str:
    return cell.run.paper_note or _number(cell.run.paper)


def ours(cell: TableCell) -> str:
    """Our count; `>` where the search was cut."""
    found = cell.ours
    if found is None or found.value is None:
        return ""
    return f"{'' if found.complete else '> '}{found.value:,}"


def seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def note(cell: TableCell) -> str:
    if cell.ours is None:
        return NOT_ASKED if cell.run.measure is not None else cell.run.remark
    found = ["equal"] * bool(cell.agrees) + ["WRONG"] * cell.breaks_rule
    return ", ".join([*found, *filter(None, (cell.ours.note, cell.run.remark))])


def kilobytes(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}k"


def our_kilobytes(cell: TableCell) -> float | None:
    return None if cell.ours is None or cell.ours.memory is None else cell.ours.memory / 1024


def has_memory(result: TableResult) -> bool:
    return any(cell.run.paper_memory is not None for cell in result.cells)


def columns(result: TableResult) -> tuple[str, ...]:
    """The heads of what is measured."""
    names = (f"{result.table.counts}: paper", "ours", "seconds: paper", "ours (CPU)", "and compiling")
    return (*names, "memory: paper", "ours") if has_memory(result) else names


def figures(result: TableResult, cell: TableCell) -> tuple[str, ...]:
    """What stands below them."""
    spent = (None, None) if cell.ours is None else (cell.ours.seconds, cell.ours.whole)
    shown = (theirs(cell), ours(cell), *map(seconds, (cell.run.paper_seconds, *spent)))
    memory = (kilobytes(cell.run.paper_memory), kilobytes(our_kilobytes(cell)))
    return (*shown, *memory) if has_memory(result) else shown


def show(console: Console, result: TableResult) -> None:
    """A table on the terminal."""
    table = result.table
    console.print(Text(f"{table.title}", style="bold"), soft_wrap=True)
    console.print(Text(f"{table.paper}; {table.note}", style="dim"), soft_wrap=True)
    grid = Grid()
    for name in ("", "method"):
        grid.add_column(name)
    for name in columns(result):
        grid.add_column(name, justify="right")
    grid.add_column("", style="dim")
    before = ""
    for cell in result.cells:
        size, before = ("" if cell.run.size == before else cell.run.size), cell.run.size
        grid.add_row(size, cell.run.method, *figures(result, cell), note(cell))
    console.print(grid)
    console.print("")


def csv_text(results: list[TableResult]) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    for result in results:
        writer.writerows(_csv_row(result, cell) for cell in result.cells)
    return out.getvalue()


def _csv_row(result: TableResult, cell: TableCell) -> tuple[object, ...]:
    run, found = cell.run, cell.ours
    return (
        result.table.name, run.size, run.method, result.table.counts, run.paper_note or run.paper,
        None if found is None else found.value, run.paper_seconds,
        None if found is None or found.seconds is None else round(found.seconds, 4),
        None if found is None else found.complete, note(cell), run.rule,
        None if found is None or found.whole is None else round(found.whole, 4), run.paper_memory,
        None if (memory := our_kilobytes(cell)) is None else round(memory),
    )  # fmt: skip
