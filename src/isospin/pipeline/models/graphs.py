"""The state graph of a model, folded or not: what a search without partial orders stores and counts."""

from __future__ import annotations

from dataclasses import replace

from ...core.deadline import within
from ...core.depth import room
from ...core.graph import ModelGraph
from ...core.model import Model
from ...engines.interp.state_graph import whole_graph
from ..settings import Options, question
from .safety import folds_in, for_model, optimised, reduced, with_heap


@room()
def state_graph(model: Model, options: Options) -> ModelGraph:
    """All states and moves, past every error."""
    options = replace(for_model(model, options), all_errors=True, por="off")
    with within(options.max_time):
        searched = optimised(with_heap(model, options), options, symmetric=False)
        found = reduced(searched, options, options.folds_heap)[0] if folds_in(model, options) else None
        strategy = found.strategy if found is not None and found.folds else None
        meant = searched if found is None or strategy is None else found.model
        return whole_graph(meant, question(options), strategy)[0]
