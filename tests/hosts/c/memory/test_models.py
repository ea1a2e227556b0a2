"""The search under each memory model, against oracles that build all execution graphs: final states, each with its
number of executions, on the classical litmus tests in all combinations of orders, and on random programs."""

from __future__ import annotations

import shutil
from itertools import islice
from pathlib import Path

import pytest

from tests.support.generators.random_litmus import random_litmus
from tests.support.litmus import families
from tests.support.litmus.engine import BATCH, MODELS, differences

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

PIECE = 200  # random programs in a test
PIECES = range(10)
STEP = 211  # of all tests of all families, every so many


def agree(found: list[str]) -> None:
    assert not found, f"{len(found)} differences, the first:\n{found[0]}"


def test_a_cross_section(tmp_path: Path) -> None:
    """What fits into one file, which is compiled once."""
    programs = [*islice(families.everything(), 0, None, STEP), *map(random_litmus, range(BATCH))][:BATCH]
    agree([told for memory in MODELS for told in differences(programs, memory, tmp_path)])


def test_loops(tmp_path: Path) -> None:
    """Threads that wait, and that try again: rounds that fail are left out, and no final state with them."""
    programs = [random_litmus(seed, loops=True) for seed in range(8)]
    agree([told for memory in MODELS for told in differences(programs, memory, tmp_path, counts=False)])


@pytest.mark.slow
@pytest.mark.parametrize("memory", MODELS)
def test_many_loops(memory: str, tmp_path: Path) -> None:
    programs = [random_litmus(seed, loops=True) for seed in range(400)]
    agree(list(differences(programs, memory, tmp_path, counts=False)))


@pytest.mark.slow
@pytest.mark.parametrize("memory", MODELS)
@pytest.mark.parametrize("shape", families.SHAPES)
def test_all_orders(shape: str, memory: str, tmp_path: Path) -> None:
    agree(list(differences(list(families.all_orders(shape)), memory, tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("memory", MODELS)
@pytest.mark.parametrize("shape", families.FENCED)
def test_all_fences(shape: str, memory: str, tmp_path: Path) -> None:
    agree(list(differences(list(families.fenced(shape)), memory, tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("memory", MODELS)
@pytest.mark.parametrize("piece", PIECES)
def test_random_programs(piece: int, memory: str, tmp_path: Path) -> None:
    programs = [random_litmus(seed) for seed in range(piece * PIECE, (piece + 1) * PIECE)]
    agree(list(differences(programs, memory, tmp_path)))
