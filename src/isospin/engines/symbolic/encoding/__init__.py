"""A model as decision diagrams: sets of initial states, transitions, violations.

In goes a model with the ranges of its variables; out comes a `Problem` (`problem.py`), which is all that the searches
need.  From below: `layout.py` says which bits a state has, `numbers.py` computes with them, `world.py` is a set of
states that is being changed, `expressions.py`, `channels.py`, `steps.py` and `rendezvous.py` follow the reference
semantics file by file, `transitions.py` puts them together; `postponed.py` and `pointers.py` encode steps through
pointers only when a state takes them.
"""

__all__ = ["image", "layout", "numbers", "postponed", "problem", "start", "world"]
