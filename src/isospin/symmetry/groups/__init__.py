"""Permutation groups, and the names that people have for them."""
