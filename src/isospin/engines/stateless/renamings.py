"""The group that declared renamings generate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from .protocol import Renaming, Thread, product_of

MOST_ELEMENTS = 720  # of a group that are tried one by one


def products(generators: list[Renaming]) -> tuple[Renaming, ...]:
    """The group that the permutations generate, without the identity; of a large one the generators alone."""
    known = {_key(g): g for g in generators}
    todo = list(generators)
    while todo:
        first = todo.pop()
        for second in generators:
            product = replace(first.then(second), name=f"{first.name}, {second.name}")
            if not product.is_identity and _key(product) not in known:
                known[_key(product)] = product
                todo.append(product)
        if len(known) > MOST_ELEMENTS:
            return tuple(generators)
    return tuple(known.values())


def permutations_of(renamings: Iterable[Renaming]) -> list[Mapping[Thread, Thread]]:
    """What renamings do to threads, each once and without the identity; nothing if that is not a group."""
    known = {frozenset(r.threads.items()): r.threads for r in renamings if r.threads}
    made = (product_of(a, b) for a in known.values() for b in known.values())
    return list(known.values()) if all(not m or frozenset(m.items()) in known for m in made) else []


def _key(renaming: Renaming) -> frozenset[Any]:
    return frozenset([*renaming.threads.items(), *renaming.objects.items(), *renaming.tosses.items()])
