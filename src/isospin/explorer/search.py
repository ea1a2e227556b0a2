"""Looks for violations while somebody walks: the whole check, in a thread of its own."""

from __future__ import annotations

import threading
import traceback
from dataclasses import replace
from typing import Any

from .. import pipeline
from ..core.errors import IsospinError
from ..core.model import Model
from ..core.verdict import Verdict
from ..engines.contract import Progress


class _Stopped(Exception):
    """The user does not want to wait for the end."""


class BackgroundCheck:
    """A check that goes on while somebody walks."""

    def __init__(self, model: Model, options: pipeline.Options) -> None:
        self.model, self.options = model, options
        self.thread: threading.Thread | None = None
        self.verdict: Verdict | None = None
        self.error = ""
        self.progress: Progress | None = None
        self.stopping = False

    def start(self) -> None:
        if self.thread is not None and self.thread.is_alive():
            return
        self.verdict, self.error, self.progress, self.stopping = None, "", None, False
        self.thread = threading.Thread(target=self.run, name="search", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """The next sign of life ends it."""
        self.stopping = True

    def close(self) -> None:
        """Give it the time to end its checker."""
        self.stop()
        if self.thread is not None:
            self.thread.join(timeout=2.0)

    def run(self) -> None:
        try:
            self.verdict = pipeline.check(self.model, replace(self.options, progress=self.listen))
        except _Stopped:
            self.error = "stopped"
        except IsospinError as error:
            self.error = str(error)
        except Exception:
            self.error = f"an error of ours: {traceback.format_exc(limit=1)}"

    def listen(self, now: Progress) -> None:
        self.progress = now
        if self.stopping:
            raise _Stopped

    @property
    def running(self) -> bool:
        return self.thread is not None and self.thread.is_alive()

    def status(self) -> dict[str, Any]:
        now = self.progress
        return {
            "started": self.thread is not None,
            "running": self.running,
            "error": self.error,
            "states": now.states if now else 0,
            "doing": now.doing if now else "",
            "queue": now.queue if now else 0,
            "rate": round(now.states / max(now.seconds, 1e-9)) if now else 0,
        }
