"""One style for our C: clang-format has nothing to change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FILES = sorted(str(path) for path in (ROOT / "src").rglob("*.[ch]"))
FORMATTER = Path(sys.executable).with_name("clang-format")  # the version that pyproject.toml names: others differ


@pytest.mark.skipif(not FORMATTER.exists(), reason="clang-format is not installed beside Python")
def test_c_files_have_the_style() -> None:
    command = [str(FORMATTER), "--dry-run", "--Werror", *FILES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]


def test_no_line_of_c_is_too_long() -> None:
    """Also where clang-format is not installed, or switched off."""
    lines = [(path, n, line) for path in FILES for n, line in enumerate(Path(path).read_text().splitlines(), 1)]
    assert len(lines) > 10_000
    assert [(path, n) for path, n, line in lines if len(line) > 120 or line != line.rstrip() or "\t" in line] == []
