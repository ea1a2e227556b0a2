"""Which statements can be executed, when only representatives were explored.

Reference: none needed: if an action is executed in a state, its image is executed in the image of the state.
Differs: nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..core.model import End, Model
from .detection.justify import Forms
from .detection.symmetries import Symmetries


def reached(symmetries: Symmetries, executed: Iterable[int]) -> set[int]:
    """The executed actions and all their images, by id."""
    found, images = set(executed), _links(symmetries)
    todo = list(found)
    while todo:
        for image in images.get(todo.pop(), ()):
            if image not in found:
                found.add(image)
                todo.append(image)
    return found


def _links(symmetries: Symmetries) -> dict[int, set[int]]:
    """From each action to its images under the generators, where they are other statements."""
    result: dict[int, set[int]] = {}
    forms = Forms()
    actions = [(forms.form(fact.term), fact.actions) for fact in symmetries.facts if fact.actions]
    ids = dict(actions)
    for generator in symmetries.group.generators:
        images = forms.images(symmetries.renaming(generator))
        for form, those in actions:
            for here in those:
                result.setdefault(here, set()).update(ids[images.get(form, form)])
    return result


def ended(model: Model, executed: Iterable[int]) -> set[int]:
    """The deaths that the model without deaths leaves out: those at locations that were reached."""
    done = set(executed)
    found = set()
    for template in model.templates:
        arrived = {a.target for a in template.actions if a.id in done} | {template.entry}
        found |= {a.id for a in template.actions if isinstance(a.step, End) and a.source in arrived}
    return found
