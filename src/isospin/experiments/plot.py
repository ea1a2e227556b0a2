"""Plots of a table: what is counted against the size, and the time, ours solid and the paper's dashed (matplotlib)."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from .run import TableCell, TableResult

MOST_METHODS = 10
WIDTH, HEIGHT = 6.4, 4.0
Value = Callable[[TableCell], float | None]


def possible() -> bool:
    return find_spec("matplotlib") is not None


def _methods(result: TableResult) -> list[str]:
    return list(dict.fromkeys(cell.run.method for cell in result.cells))


def plots(result: TableResult) -> dict[str, Any]:
    """Name of the plot -> figure: counts, and seconds where both sides have some."""
    found = {}
    counts = _figure(result, result.table.counts, lambda c: c.run.paper, _our_count)
    times = _figure(result, "seconds", lambda c: c.run.paper_seconds, _our_seconds)
    if counts is not None:
        found[result.table.counts] = counts
    if times is not None and any(c.run.paper_seconds is not None for c in result.cells):
        found["seconds"] = times
    return found


def _our_count(cell: TableCell) -> float | None:
    return cell.ours.value if cell.ours is not None and cell.ours.complete else None


def _our_seconds(cell: TableCell) -> float | None:
    found = cell.ours
    return max(found.seconds, 1e-4) if found is not None and found.complete and found.seconds is not None else None


def _figure(result: TableResult, label: str, paper: Value, ours: Value) -> Any:
    """None if there is nothing to draw: fewer than two sizes."""
    from matplotlib.figure import Figure

    sizes = list(dict.fromkeys(cell.run.size for cell in result.cells))
    if len(sizes) < 2 or not any(ours(cell) is not None for cell in result.cells):
        return None
    drawn = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    axes = drawn.add_subplot()
    for index, method in enumerate(_methods(result)):
        for value, style, who in ((ours, "o-", "ours"), (paper, "x--", "paper")):
            at = [(sizes.index(c.run.size), y) for c in result.cells if c.run.method == method and (y := value(c))]
            if at:
                axes.plot(*zip(*at, strict=True), style, color=f"C{index % MOST_METHODS}", label=f"{method}, {who}",
                          markersize=4, linewidth=1.2)  # fmt: skip
    axes.set_yscale("log")
    axes.set_xticks(range(len(sizes)), sizes, rotation=45 if max(map(len, sizes)) > 6 else 0)
    axes.set_ylabel(label)
    axes.set_title(result.table.title, fontsize=10)
    axes.legend(fontsize=6)
    axes.grid(alpha=0.3)
    return drawn


def image(drawn: Any, form: str) -> bytes:
    """The bytes of a picture; the same each time for the same figures."""
    from matplotlib import rc_context

    out = BytesIO()
    metadata = {"Date": None} if form == "svg" else {"Software": None}
    with rc_context({"svg.hashsalt": "isospin", "svg.fonttype": "none"}):
        drawn.savefig(out, format=form, dpi=150, metadata=metadata)
    return out.getvalue()
