"""How high the trees of a program are: nothing that recurses over them meets one that is too high."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...core.errors import Location, TooLarge


def check_height(roots: Iterable[object], counted: tuple[type[Any], ...], most: int) -> None:
    """Complain about an expression that is too high; a long sum without parentheses is one, too."""
    stack: list[tuple[object, int]] = [(root, 0) for root in roots]
    while stack:
        node, height = stack.pop()
        if isinstance(node, counted):
            height += 1
            if height > most:
                hint = "compute a part of it before, in a statement of its own"
                place: Location = node.location
                raise TooLarge.at(place, f"more than {most} operators inside each other", hint)
        stack.extend((inner, height) for inner in _parts(node))


def _parts(node: object) -> Iterator[object]:
    values: Iterable[object] = node if isinstance(node, (tuple, list)) else vars(node).values()
    for value in values:
        if isinstance(value, (tuple, list)) or (hasattr(value, "__dataclass_fields__") and type(value) is not Location):
            yield value
