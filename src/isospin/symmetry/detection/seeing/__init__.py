"""The facts about a model as a graph, and what can be seen in it.

`graph` tells apart what looks different, `exchanges` follows what changes places with two processes.
"""

__all__ = ["exchanges", "graph"]
