"""Results of `isospin paper`, kept as they come: a line of JSON for each row, so that a run can be taken up again."""

from __future__ import annotations

import json
from pathlib import Path

from ..core.errors import UsageError
from .table import Measured, Table, TableRun

RowKey = tuple[str, str, str, str]  # version, table, size, method


class SavedRows:
    """A file of results; what it has from the same version is not measured again."""

    def __init__(self, file: str, version: str) -> None:
        self.file, self.version = Path(file), version
        self.known: dict[RowKey, tuple[float, Measured]] = {}
        text = self.text()
        self.torn = bool(text) and not text.endswith("\n")
        for line in text.splitlines():
            self.take(line)

    def text(self) -> str:
        if not self.file.exists():
            return ""
        try:
            return self.file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read {self.file}: {error}") from None

    def take(self, line: str) -> None:
        """A line that was torn when the run ended is measured again."""
        try:
            row = json.loads(line)
            key = (row["version"], row["table"], row["size"], row["method"])
            self.known[key] = (float(row["limit"]), Measured(**row["measured"]))
        except (ValueError, TypeError, KeyError):
            return

    def key(self, table: Table, run: TableRun) -> RowKey:
        return self.version, table.name, run.size, run.method

    def get(self, table: Table, run: TableRun, limit: float) -> Measured | None:
        """A run that was cut counts only if it had as much time as it would have now."""
        allowed, found = self.known.get(self.key(table, run), (0.0, None))
        return found if found is not None and (found.complete or allowed >= limit) else None

    def add(self, table: Table, run: TableRun, limit: float, found: Measured) -> None:
        """Write the row at once, whole."""
        self.known[self.key(table, run)] = (limit, found)
        row = {"version": self.version, "table": table.name, "size": run.size, "method": run.method, "limit": limit,
               "measured": found._asdict()}  # fmt: skip
        try:
            with self.file.open("a", encoding="utf-8") as out:
                out.write("\n" * self.torn + json.dumps(row) + "\n")
            self.torn = False
        except OSError as error:
            raise UsageError(f"cannot write {error.filename}: {error.strerror}") from None
