"""What a symmetry does to a state, and which state stands for its orbit.

`action` moves a state, `owners` says which processes a part of it belongs to, `shape` and `objects` turn a state into
edges, `canon` finds the representative by refining those, `heap` takes addresses away; `tables` and `exchange` write it
down for engines with code of their own.  `births` sorts processes that are started at run time.
"""

__all__ = ["action", "births", "canon", "exchange", "heap", "owners", "shape", "tables"]
