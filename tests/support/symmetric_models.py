"""Models as the symmetry tests use them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from isospin import pipeline
from isospin.experiments.peterson import peterson
from isospin.symmetry.detection.detect import detect
from isospin.symmetry.detection.prepare import prepare
from isospin.symmetry.detection.symmetries import Symmetries
from isospin.transform.optimise import optimise
from tests.support import paths

EXAMPLES = paths.EXAMPLES / "symmetry"
CORPUS = paths.CORPUS / "symmetry"


def symmetries_of(source: str | Path, level: str = "none", defines: tuple[str, ...] = ()) -> Symmetries:
    return detect(prepare(optimise(pipeline.load(source, defines), level)).model)


@cache
def example(name: str, level: str = "none", defines: tuple[str, ...] = ()) -> Symmetries:
    return symmetries_of(EXAMPLES / f"{name}.pml", level, defines)


@cache
def peterson_symmetries(n: int, level: str = "spin") -> Symmetries:
    return symmetries_of(peterson(n), level)
