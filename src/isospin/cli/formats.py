"""Commands that write what other programs read: state graphs and automata."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .. import pipeline
from ..core.errors import UsageError
from ..pipeline.kind_options import refuse
from ..pipeline.kinds import kind_of
from ..pipeline.settings import Options
from ..version import __version__
from .screen import HOLDS, INCOMPLETE, passing_line, write

__all__ = ["GRAPHS", "run_automaton", "run_graph"]

GRAPHS = ("dot", "aut", "graphml")


def run_graph(args: argparse.Namespace) -> int:
    """The state graph, in the format that was asked for or that the name of the file says."""
    from ..report.graphs import GRAPH_FORMATS

    kind = kind_of(args.file)
    if kind.is_program:
        raise UsageError(f"isospin graph is for models; {kind.title} have schedules, not states that are stored")
    refuse(kind, vars(args))
    ending = Path(args.out).suffix[1:] if args.out else ""
    shape = args.format or (ending if ending in GRAPHS else "dot")
    names = ("symmetry", "main_array", "optimise", "max_states", "max_time", "max_objects", "heap_symmetry")
    options = Options(**{name: value for name in names if (value := getattr(args, name)) is not None})
    model = pipeline.load(Path(args.file), tuple(args.defines), processes=args.processes, include=tuple(args.include))
    with passing_line(args) as say:
        say("looking at all states ...")
        graph = pipeline.state_graph(model, options)
    _put(args.out, GRAPH_FORMATS[shape](graph))
    print(f"{len(graph.nodes):,} states, {len(graph.edges):,} moves", file=sys.stderr)
    if graph.incomplete:
        print(f"isospin: the graph is not complete: {graph.incomplete}", file=sys.stderr)
    return INCOMPLETE if graph.incomplete else HOLDS


def run_automaton(args: argparse.Namespace) -> int:
    """The automaton of a formula."""
    model = None
    if args.model is not None:
        defines, include = tuple(args.defines), tuple(args.include)
        model = pipeline.load(Path(args.model), defines, args.formula, include=include)
    _put(args.out, pipeline.formula_automaton(args.formula, model, args.negated, __version__))
    return HOLDS


def _put(path: str | None, text: str) -> None:
    if path is None:
        sys.stdout.write(text)
    else:
        write(path, text)
