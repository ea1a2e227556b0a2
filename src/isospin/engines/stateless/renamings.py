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
    known = {_moves(r.threads): r.threads for r in renamings if r.threads}
    return list(known.values()) if _is_group(known) else []


_Moves = frozenset[tuple[Thread, Thread]]


def _is_group(known: Mapping[_Moves, Mapping[Thread, Thread]]) -> bool:
    """Is each product of two known?  Products with generators decide that: all pairs of 720 would take seconds."""
    generators: list[Mapping[Thread, Thread]] = []
    generated: set[_Moves] = set()
    for moves, permutation in known.items():
        if moves not in generated:
            generators.append(permutation)
            made = _generated(generators, known)
            if made is None:
                return False
            generated = made
    return True


def _generated(
    generators: list[Mapping[Thread, Thread]], known: Mapping[_Moves, Mapping[Thread, Thread]]
) -> set[_Moves] | None:
    """What these generate, without the identity; nothing if it goes beyond what is known."""
    found = {_moves(g) for g in generators}
    todo = list(generators)
    while todo:
        first = todo.pop()
        for second in generators:
            product = product_of(first, second)
            moves = _moves(product)
            if product and moves not in known:
                return None
            if product and moves not in found:
                found.add(moves)
                todo.append(product)
    return found


def _moves(permutation: Mapping[Thread, Thread]) -> _Moves:
    return frozenset(permutation.items())


def _key(renaming: Renaming) -> frozenset[Any]:
    return frozenset([*renaming.threads.items(), *renaming.objects.items(), *renaming.tosses.items()])
