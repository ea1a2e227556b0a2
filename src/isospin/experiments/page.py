"""One page with all tables and their plots; it needs nothing from elsewhere."""

from __future__ import annotations

import platform
from html import escape

from . import plot
from .run import TableCell, TableResult
from .show import columns, figures, note

STYLE = """
:root { color-scheme: light dark; --line: #8884; --dim: #777; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
td, th { padding: .15rem .8rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
td:nth-child(1), td:nth-child(2), th:nth-child(1), th:nth-child(2), td:last-child { text-align: left; }
.dim { color: var(--dim); } .equal { color: #2a8a2a; }
figure { margin: 1rem 0; display: inline-block; background: #fff; max-width: 100%; }
figure svg { max-width: 100%; height: auto; }
nav a { margin-right: 1rem; }
"""


def html_page(results: list[TableResult], version: str, cpu_seconds: float) -> str:
    links = " ".join(f'<a href="#{r.table.name}">{escape(r.table.name)}</a>' for r in results)
    about = (
        f"isospin {version}, Python {platform.python_version()}, {platform.system()} {platform.machine()}; "
        f"{cpu_seconds:.0f} seconds of CPU time for everything on this page"
    )
    without = "" if plot.possible() else "<p>There are no plots: pip install 'isospin[paper]'.</p>"
    body = "\n".join(_section(r) for r in results)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>isospin paper</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n'
        f"<body><h1>The papers' tables, ours beside theirs</h1><p class=dim>{escape(about)}</p>{without}"
        f"<nav>{links}</nav>\n{body}\n</body></html>\n"
    )


def _section(result: TableResult) -> str:
    table = result.table
    head = ("", "method", *columns(result), "")
    heads = "".join(f"<th>{escape(h)}</th>" for h in head)
    cells = "\n".join(_row(result, cell) for cell in result.cells)
    return (
        f'<section id="{table.name}"><h2>{escape(table.title)}</h2><p>{escape(table.paper)}. '
        f"<span class=dim>{escape(table.note)}</span></p>\n"
        f"<table><tr>{heads}</tr>\n{cells}\n</table>\n{_pictures(result)}</section>"
    )


def _row(result: TableResult, cell: TableCell) -> str:
    values = (cell.run.size, cell.run.method, *figures(result, cell))
    style = "equal" if cell.agrees else "dim"
    return f"<tr>{''.join(f'<td>{escape(v)}</td>' for v in values)}<td class={style}>{escape(note(cell))}</td></tr>"


def _pictures(result: TableResult) -> str:
    if not plot.possible():
        return ""
    return "\n".join(f"<figure>{_svg(drawn)}</figure>" for drawn in plot.plots(result).values())


def _svg(drawn: object) -> str:
    """The element alone, without the lines that only a file has."""
    text = plot.image(drawn, "svg").decode()
    return text[text.index("<svg") :]
