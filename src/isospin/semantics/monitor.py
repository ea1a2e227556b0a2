"""Trace automata: `trace` and `notrace` assertions about the order of channel operations.

Reference: SPIN 6.5, as its verifiers check them.
Differs: an automaton that could move in two ways takes the first; SPIN aborts with "non-determinism in event-trace".
"""

from __future__ import annotations

from ..core.model import End, EventMonitor, Observe
from .evaluate import Evaluator
from .state import Fault, Message, State, World, WritableWorld
from .walk import by_source


class Monitor:
    """Moves the trace automaton when messages are sent and received."""

    def __init__(self, monitor: EventMonitor, evaluator: Evaluator) -> None:
        self.template, self.forbidden = monitor.template, monitor.forbidden
        self.evaluator = evaluator
        self.entry = monitor.template.entry
        self.leaving = by_source(self.template.actions)

    def observe(self, w: WritableWorld, event: str, index: int, message: Message) -> None:
        """Move the automaton, if it watches this kind of event on this channel."""
        if not self.watches(w, event, index):
            return
        for action in self.leaving.get(w.event, []):
            if isinstance(action.step, Observe) and self.accepts(w, action.step, event, index, message):
                w.event = action.target
                if self.forbidden and self.is_final(w.event):
                    w.failed.append(Fault("event-trace", "the forbidden sequence of events happened", action.location))
                return
        if self.forbidden:
            w.event = max(self.template.end_locations)  # only the first attempt counts
        else:
            name = self.evaluator.channel_type(w, index).name
            message_text = f"the trace does not allow this {event} on {name}"
            w.failed.append(Fault("event-trace", message_text, self.template.location))

    def watches(self, w: World, event: str, index: int) -> bool:
        steps = (a.step for a in self.template.actions)
        return any(isinstance(s, Observe) and s.event == event and self.names(w, s, index) for s in steps)

    def names(self, w: World, step: Observe, index: int) -> bool:
        return self.evaluator.value(step.channel)(w) == index + 1

    def accepts(self, w: World, step: Observe, event: str, index: int, message: Message) -> bool:
        return step.event == event and self.names(w, step, index) and self.evaluator.matcher(step.patterns)(w, message)

    def is_final(self, location: int) -> bool:
        return any(isinstance(a.step, End) for a in self.leaving.get(location, []))

    def at_end(self, state: State) -> Fault | None:
        """A trace must be completed when a run ends."""
        if self.forbidden or state.event in self.template.end_locations:
            return None
        return Fault("event-trace", "the run ends before the trace does", self.template.location)
