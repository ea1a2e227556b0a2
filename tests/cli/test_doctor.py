"""`isospin doctor` tries out what it reports; what is missing is no failure, unless it is the core."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isospin import cli, doctor, pipeline
from isospin.core.errors import IsospinError


def names(found: list[doctor.Checkup], status: str) -> set[str]:
    return {f.name for f in found if f.status == status}


def test_it_tells_what_works_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["works"] is True
    status = {c["name"]: c["status"] for c in document["checks"]}
    assert status["Python"] == status["interpreter"] == status["Python programs"] == "ok"
    assert "broken" not in status.values()
    assert all(c["needed_for"] for c in document["checks"])
    assert all(c["advice"] for c in document["checks"] if c["status"] == "missing")


def test_a_machine_without_anything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No tools, no compiler, no extras, and a cache that cannot be written: it still answers, and says what to do."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    found = doctor.examined()
    expected = {"C compiler", "C programs", "symbolic", "paper", "spin", "gdb", "dot", "browser"}
    assert expected <= names(found, doctor.MISSING)
    assert "cache" in names(found, doctor.BROKEN)
    assert doctor.works(found)
    assert all(f.advice for f in found if f.status != doctor.OK)


def test_a_broken_core_is_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(*arguments: object) -> None:
        raise IsospinError("no")

    monkeypatch.setattr(pipeline, "load", fails)
    assert cli.main(["doctor", "--no-color"]) == 4
    assert "broken  interpreter      no" in capsys.readouterr().out
