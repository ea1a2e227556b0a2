"""Permutation groups, and the names that people have for them.

`group` has stabiliser chains: order, membership, all elements.  `naming` says "dihedral" where a person would.
"""

__all__ = ["group", "naming"]
