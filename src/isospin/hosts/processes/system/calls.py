"""All calls of processes that are simulated, by name."""

from __future__ import annotations

from . import life, memory, pipes, queues, semaphores
from .world import SimulatedCall

CALLS: dict[str, SimulatedCall] = {**semaphores.CALLS, **queues.CALLS, **pipes.CALLS, **memory.CALLS, **life.CALLS}
