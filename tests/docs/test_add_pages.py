"""The pages on adding things, followed: what they say is written into a copy of the package, and works there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import blocks
from tests.support import paths

pytestmark = pytest.mark.slow


class Copy:
    """A copy of the package that somebody works on."""

    def __init__(self, place: Path, page: str) -> None:
        self.place, self.package = place, place / "isospin"
        shutil.copytree(paths.SOURCE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        self.blocks = [b.text for b in blocks((paths.DOCS / "develop" / page).read_text()) if b.language == "text"]

    def write(self, name: str, text: str) -> None:
        file = self.package / name
        assert not file.exists(), f"{name} is not new any more"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def insert(self, name: str, before: str, line: str) -> None:
        text = (self.package / name).read_text()
        assert text.count(before) == 1, f"{name}: where does it go?"
        (self.package / name).write_text(text.replace(before, line + before))

    def check(self, file: Path, *options: str) -> dict[str, Any]:
        """What `isospin check --json` of the copy says."""
        command = [sys.executable, "-m", "isospin", "check", str(file), "--json", *options]
        environment = {**os.environ, "PYTHONPATH": str(self.place)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=self.place)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return dict(json.loads(done.stdout))


def test_a_strategy(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "add-a-strategy.md")
    file, line = copy.blocks
    copy.write("symmetry/strategies/locals_sorted.py", file)
    copy.insert("symmetry/strategies/__init__.py", '    "exact":', line)
    said = copy.check(paths.EXAMPLES / "symmetry" / "families.pml", "--symmetry", "locals-sorted")
    assert (said["outcome"], said["engine"], said["symmetry"]["strategy"]) == ("holds", "interp", "locals-sorted")


def test_a_search(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "add-a-search.md")
    file, line = copy.blocks
    copy.write("engines/stateless/sleeping.py", file)
    copy.insert("engines/stateless/registry.py", '    "dpor":', line)
    copy.insert("engines/stateless/registry.py", '"optimal")\nSYMMETRIC', '"sleep", ')
    lockers = paths.EXAMPLES / "stateless" / "lockers.pml"
    said = copy.check(lockers, "--engine", "stateless", "--search", "sleep", "--symmetry", "none")
    assert (said["outcome"], said["search"], said["executions"]) == ("holds", "sleep", 6)


def test_a_front_end(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "add-a-front-end.md")
    net, door, file, line, shown = copy.blocks
    copy.write("front/net/__init__.py", door)
    copy.write("front/net/load.py", file)
    copy.insert("pipeline/kinds.py", '    InputKind("python"', line)
    (tmp_path / "too_many.net").write_text(net)
    (violation,) = copy.check(tmp_path / "too_many.net")["violations"]
    assert f"{violation['message']}  ({Path(violation['location']).name})" in shown
    assert len(violation["trace"]) == 2


def test_a_host(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "add-a-host.md")
    script, host, road, line, shown, _ = copy.blocks
    copy.write("hosts/scripts.py", host)
    copy.write("pipeline/programs/scripts.py", road)
    copy.insert("pipeline/kinds.py", '    InputKind("c"', line)
    (tmp_path / "crossed.locks").write_text(script)
    (violation,) = copy.check(tmp_path / "crossed.locks")["violations"]
    assert f"{violation['message']}  ({Path(violation['location']).name})" in shown
    assert len(violation["trace"]) == 2
