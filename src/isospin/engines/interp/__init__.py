"""The engine that is the reference: slow, obvious, and what the others are compared with.

`search` visits all states with the interpreter.  For claims, `claims` makes the automaton that watches a run, `graph`
the state graph on demand, `liveness` looks for accepting components of their product, `tour` for a fair way round one,
and `lasso` confirms what was found on the user's own model; `claim_view` shows the claim beside it.
`state_graph` is all of the graph, for other programs.
"""

__all__ = ["claim_view", "claims", "lasso", "liveness", "search", "state_graph"]
