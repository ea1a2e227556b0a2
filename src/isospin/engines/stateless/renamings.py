"""The group that declared renamings generate."""

from __future__ import annotations

from typing import Any

from .protocol import Renaming

MOST_ELEMENTS = 720  # of a group that are tried one by one


def products(generators: list[Renaming]) -> tuple[Renaming, ...]:
    """The group that the permutations generate, without the identity; of a large one the generators alone."""
    known = {_key(g): g for g in generators}
    todo = list(generators)
    while todo:
        first = todo.pop()
        for second in generators:
            product = _after(first, second)
            if product.threads and _key(product) not in known:
                known[_key(product)] = product
                todo.append(product)
        if len(known) > MOST_ELEMENTS:
            return tuple(generators)
    return tuple(known.values())


def _key(renaming: Renaming) -> frozenset[Any]:
    return frozenset([*renaming.threads.items(), *renaming.objects.items()])


def _after(first: Renaming, second: Renaming) -> Renaming:
    """First the one, then the other; what stays is left out."""
    threads = {t: second.thread(first.thread(t)) for t in {*first.threads, *second.threads}}
    objects = {o: second.object(first.object(o)) for o in {*first.objects, *second.objects}}
    return Renaming(f"{first.name}, {second.name}", {t: u for t, u in threads.items() if t != u},
                    {o: p for o, p in objects.items() if o != p})  # fmt: skip
