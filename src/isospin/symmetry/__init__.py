"""Symmetry: found, proved, used, and undone again; one core for all engines and hosts.

In goes a model; `detection` finds its group, `folding` says what a symmetry does to a state, a strategy (`strategies`)
chooses representatives, `reduction` puts these together for a search, `unwind` and `unwind_births` take paths back to
the user's own numbers, and `likeness` says when a run is back where it was.  `protocol` is all that an engine knows of
it: start there.
"""

__all__ = ["audit", "detection", "folding", "groups", "likeness", "permutations", "protocol", "reduction", "strategies"]
