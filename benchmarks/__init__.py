"""Benchmarks: each module `bench_*.py` here has a `run() -> None` that measures something and prints it."""
