"""What a checked program may say to the checker."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from ....core.errors import UsageError
from ....engines.stateless.protocol import Op, Renaming
from ....engines.stateless.renamings import products
from ..control.kernel import Kernel
from ..control.records import part
from ..hooking import hooks
from .sync import Sync
from .threads import Thread

TOSS = Op("toss")


def controlled() -> bool:
    """Is this code being checked right now?"""
    return bool(hooks.K.fibers) and not hooks.K.dying


def toss(n: int) -> int:
    """A number below n, every one of which is tried; without the checker a random one."""
    if n < 1:
        raise ValueError("toss(n) needs at least one outcome")
    if not controlled():
        return random.randrange(n)
    choice = hooks.K.visit(TOSS, choices=n) if n > 1 else 0
    hooks.K.running.effects += 1
    return choice


def permutation(*sequences: Sequence[Any], kind: str = "rotate") -> None:
    """Declare a symmetry: threads and objects in the same places of the sequences change their roles together."""
    if kind not in ("rotate", "swap"):
        raise ValueError(f"permutation(kind={kind!r}): available: rotate, swap")
    if len({len(s) for s in sequences}) != 1 or len(sequences[0]) < 2:
        raise ValueError("permutation() needs sequences of the same length, at least 2")
    if controlled():
        hooks.K.declared.append((kind, [list(s) for s in sequences]))


def renamings(kernel: Kernel) -> tuple[Renaming, ...]:
    """The declared symmetries, in the numbers and names of this execution."""
    found = []
    for kind, sequences in kernel.declared:
        size = len(sequences[0])
        places = [_rotated(size)] if kind == "rotate" else [_swapped(size, i) for i in range(size - 1)]
        found += [renaming(kernel, f"{kind} {i}", sequences, images) for i, images in enumerate(places)]
    return products(found)


def _rotated(size: int) -> list[int]:
    return [(i + 1) % size for i in range(size)]


def _swapped(size: int, first: int) -> list[int]:
    images = list(range(size))
    images[first], images[first + 1] = first + 1, first
    return images


def renaming(kernel: Kernel, name: str, sequences: list[list[Any]], images: list[int]) -> Renaming:
    """The permutation of threads and objects that takes each member of a sequence to the one at its image."""
    threads: dict[int, int] = {}
    objects: dict[Any, Any] = {}
    for sequence in sequences:
        for thing, image in zip(sequence, (sequence[i] for i in images), strict=True):
            if thing is image:
                continue
            if isinstance(thing, Thread):
                if thing._fiber is None or image._fiber is None:
                    raise UsageError("isospin.permutation(): a thread in it is never started")
                threads[thing._fiber.tid] = image._fiber.tid
            else:
                objects.update(_object_names(kernel, thing, image))
    return Renaming(name, threads, objects)


def _object_names(kernel: Kernel, thing: Any, image: Any) -> dict[Any, Any]:
    """An object and all that is in it."""
    if isinstance(thing, Sync):
        return {thing.name: image.name}
    one, other = kernel.objects.record(thing), kernel.objects.record(image)
    keys = {*one.places, *other.places, *getattr(thing, "__dict__", ())}
    return {one.name: other.name, **{part(one.name, key): part(other.name, key) for key in keys}}
