"""From source to verdict: the only room that knows all others.

`kinds` says what there is to check and which module knows how; `settings` what can be asked about it; `models` and
`programs` are the two roads.  Each name below is imported when it is used: a Python program is checked without a
module of the Promela side, and the other way round.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..core.trace import UserRun
    from ..engines.explicit.drive.build import cache_directory, compiler, compiler_version
    from .models.automata import formula_automaton
    from .models.check import active, audit, check, check_files, symmetry
    from .models.graphs import state_graph
    from .models.runs import ModelWalker, replay, run_view, simulate, snapshots
    from .models.source import checked, load
    from .models.trails import is_spin_trail, replay_spin_trail
    from .settings import Options

__all__ = [
    "ModelWalker",
    "Options",
    "UserRun",
    "active",
    "audit",
    "cache_directory",
    "check",
    "check_files",
    "checked",
    "compiler",
    "compiler_version",
    "declare",
    "formula_automaton",
    "is_spin_trail",
    "kind_options",
    "kinds",
    "load",
    "models",
    "options",
    "programs",
    "replay",
    "replay_spin_trail",
    "run_view",
    "settings",
    "simulate",
    "snapshots",
    "state_graph",
    "swarm",
    "symmetry",
    "typed",
    "values",
]  # fmt: skip

_HOMES = {
    "..core.trace": "UserRun",
    "..engines.explicit.drive.build": "cache_directory compiler compiler_version",
    ".models.check": "active audit check check_files symmetry",
    ".models.automata": "formula_automaton",
    ".models.graphs": "state_graph",
    ".models.runs": "ModelWalker replay run_view snapshots simulate",
    ".models.source": "checked load",
    ".models.trails": "is_spin_trail replay_spin_trail",
    ".settings": "Options",
}


def options(**chosen: Any) -> Options:
    """Options of models by name; an unknown one lists what is available."""
    from .kind_options import from_names
    from .settings import Options

    found: Options = from_names(Options, chosen)
    return found


if not TYPE_CHECKING:  # which knows the names from above

    def __getattr__(name: str) -> Any:
        for module, names in _HOMES.items():
            if name in names.split():
                found = globals()[name] = getattr(import_module(module, __name__), name)
                return found
        raise AttributeError(f"module {__name__} has no attribute {name}")
