"""What a complete search never executed, and properties that hold only because nothing happened."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.errors import Diagnostic
from ..core.model import Action, Assert, Chain, End, Model, Return, Skip, Template
from ..core.verdict import Unreached


def _statements(template: Template) -> Iterator[Action]:
    """The user's statements, each once, in the order of the source."""
    seen: set[int] = set()
    for action in sorted(template.actions, key=lambda a: (a.location, a.id)):
        jump = isinstance(action.step, Skip) and action.text.startswith(("goto ", "break"))  # most cost no step
        if action.id not in seen and action.text and not jump and not isinstance(action.step, End):
            seen.add(action.id)
            yield action


def unreached(model: Model, executed: set[int]) -> Iterator[Unreached]:
    """The statements that no step has executed; one for each return, whatever calls there are."""
    for template in model.templates:
        returned = {a.location for a in template.actions if isinstance(a.step, Return) and a.id in executed}
        for action in _statements(template):
            if action.id in executed or isinstance(action.step, Chain):
                continue
            if isinstance(action.step, Return):  # there is one for each call, and the end of the function may be one
                if action.location in returned or action.text.startswith("end of "):
                    continue
                returned.add(action.location)
            yield Unreached(template.name, action.location, action.text)


def vacuous(model: Model, executed: set[int]) -> Iterator[Diagnostic]:
    """Warnings about verdicts that rest on nothing."""
    for template in model.templates:
        actions = list(_statements(template))
        if actions and not any(a.id in executed for a in actions):
            started = any(i.template == template.name for i in model.instances)
            why = "its first statement is never executable" if started else "it is never run"
            message = f"{template.name} never executes a statement: {why}"
            yield Diagnostic(template.location, message, "what holds may hold only because of this", "warning")
            continue
        for action in actions:
            if isinstance(action.step, Assert) and action.id not in executed:
                yield Diagnostic(action.location, f"{action.text} is never reached", "", "warning")
