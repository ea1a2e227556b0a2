"""All calls of processes that are simulated, by name."""

from __future__ import annotations

from . import life, memory, pipes, queues, semaphores
from .world import Kind

CALLS: dict[str, Kind] = {**semaphores.CALLS, **queues.CALLS, **pipes.CALLS, **memory.CALLS, **life.CALLS}
