"""From a model and a layout to a C file.

`render` writes the file: tables of the model, expressions and steps as functions, claims and monitors as automata, and
then the templates of the runtime in their order (`templates`).  Start with `render`, then `expressions` and `steps`,
which follow the reference semantics.
"""

__all__ = ["ample", "automaton", "claim", "render", "tables", "templates"]
