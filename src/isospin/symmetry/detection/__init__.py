"""Which permutations are symmetries of a model: finding them, and proving it."""
