"""Fences beside some of the loads and stores of a C program, some of which become relaxed; and loads more."""

from __future__ import annotations

import re
from random import Random

__all__ = ["with_fences"]

MACROS = """
#define FENCE(order) atomic_thread_fence(memory_order_##order)
#define LOAD_FENCE(p) ({ __typeof__(atomic_load(p)) seen = atomic_load(p); FENCE(seq_cst); seen; })
#define FENCE_LOAD(p) ({ FENCE(seq_cst); atomic_load(p); })
#define LOAD_ACQUIRE(p) ({ __typeof__(atomic_load(p)) seen = atomic_load_explicit(p, memory_order_relaxed); \\
    FENCE(acquire); seen; })
#define ACQUIRE_LOAD(p) ({ FENCE(acquire); atomic_load_explicit(p, memory_order_relaxed); })
static atomic_int still;
#define LOAD_MORE(p) ({ atomic_load(&still); atomic_load(p); })
#define STORE_FENCE(p, to) ({ atomic_store(p, to); FENCE(seq_cst); })
#define RELEASE_STORE(p, to) ({ FENCE(release); atomic_store_explicit(p, to, memory_order_relaxed); })
"""
LOADS = ["atomic_load", "LOAD_FENCE", "FENCE_LOAD", "LOAD_ACQUIRE", "ACQUIRE_LOAD", "LOAD_MORE", "LOAD_MORE"]
STORES = ["atomic_store", "STORE_FENCE", "RELEASE_STORE"]


def with_fences(text: str, seed: int) -> str:
    """The same program with fences; its loads and stores are `LOAD(v)` and `STORE(v, to)`, or those of C."""
    rng = Random(f"fences {seed}")
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line.startswith("#"):
            line = re.sub(r"\b(LOAD|STORE)\(", lambda m: f"atomic_{m[1].lower()}(&", line)
            line = re.sub(r"\batomic_load\(", lambda _: f"{rng.choice(LOADS)}(", line)
            lines[number] = re.sub(r"\batomic_store\(", lambda _: f"{rng.choice(STORES)}(", line)
    return "\n".join(["#include <stdatomic.h>", MACROS, *lines])
