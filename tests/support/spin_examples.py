"""SPIN's own example models, where its package is installed, with the figures recorded for them."""

import atexit
import csv
import gzip
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.support import paths

SHIPPED = Path("/usr/share/doc/spin/examples/Examples")
ROWS = list(csv.DictReader((paths.RECORDED / "spin-examples.csv").open()))
needs_examples = pytest.mark.skipif(not SHIPPED.is_dir(), reason="SPIN's examples are not installed")


@cache
def folder() -> Path:
    """The examples in a folder of our own: some packages ship them compressed."""
    place = Path(mkdtemp(prefix="spin-examples-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    copy = place / "Examples"
    shutil.copytree(SHIPPED, copy)
    for packed in copy.rglob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    return copy


def small(row: dict[str, str], most: int = 20000) -> bool:
    return row["plain_status"] == "complete" and int(row["states_plain_noclaim"]) <= most


def name(row: dict[str, str]) -> str:
    return row["file"]
