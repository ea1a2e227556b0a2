"""Peterson's mutual exclusion for n processes, for tests and benchmarks."""

from isospin.experiments.peterson import peterson

__all__ = ["peterson"]
