"""The facts about a model as a graph, and what can be seen in it.

`graph` tells apart what looks different, and looks at what `sparse` leaves of it; `exchanges` follows what changes
places with two processes.
"""

__all__ = ["exchanges", "graph", "sparse"]
