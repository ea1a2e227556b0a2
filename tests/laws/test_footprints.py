"""The law of footprints: what a step touches is what is said of it, and what a process may still do never grows.

The reference interpreter notes every variable, channel and process that a step reads or writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.analysis.ample import why_not
from isospin.analysis.queues import ChannelValues
from isospin.core.model import Model
from isospin.engines.contract import Question
from isospin.engines.interp.search import InterpreterSearch
from isospin.transform.optimise import optimise
from tests.analysis.test_ample import TRAPS
from tests.support import paths
from tests.support.generators import random_mobile, random_promela
from tests.support.oracles.tracking import Watch

CORPUS = sorted((paths.CORPUS / "promela").rglob("*.pml"))


def offences(model: Model, levels: Iterable[str], most: int) -> set[str]:
    found: set[str] = set()
    for level in levels:
        searched = optimise(model, level, por=True)
        if why_not(searched) or searched.objects:
            continue
        search = InterpreterSearch(searched, Question(all_errors=True, max_states=most))
        search.run()
        watch = Watch(search.interpreter)
        found |= {*watch.offences(search.states), *watch.growth(search.states)}
    return found


@pytest.mark.parametrize("name", TRAPS)
def test_traps(name: str) -> None:
    assert not offences(pipeline.load(TRAPS[name]), ("none",), 30)


@pytest.mark.parametrize("path", CORPUS[::9], ids=lambda p: p.stem)
def test_corpus(path: Path) -> None:
    assert not offences(pipeline.load(path), ("full",), 15)


@pytest.mark.parametrize("seed", range(10))
def test_random(seed: int) -> None:
    for generate in (random_mobile.generate, random_promela.generate):
        assert not offences(pipeline.load(generate(seed)), (("none", "full")[seed % 2],), 20), seed


@pytest.mark.slow
@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_whole_corpus(path: Path) -> None:
    assert not offences(pipeline.load(path), ("none", "spin", "full"), 150)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(50))
def test_more_random(block: int) -> None:
    for seed in range(100 + 10 * block, 110 + 10 * block):
        for generate in (random_mobile.generate, random_promela.generate):
            assert not offences(pipeline.load(generate(seed)), ("none", "full"), 100), seed


def test_the_law_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the two rules that were missing once, it says so."""
    uses = pipeline.load(TRAPS["the owner of a channel ends before it is used"])
    reads = pipeline.load(TRAPS["a started process reads when it is started"])
    again = pipeline.load(TRAPS["the number of a channel is used again"])
    monkeypatch.setattr(ChannelValues, "makers", lambda *_: frozenset())
    monkeypatch.setattr(ChannelValues, "reuse", lambda _: False)
    monkeypatch.setattr("isospin.analysis.effects.StepEffects.beginning", lambda *_: frozenset())
    assert any("c!1" in text for text in offences(uses, ("none",), 30))
    assert any("run R" in text for text in offences(reads, ("none",), 30))
    assert any("c!1" in text for text in offences(again, ("none",), 30))
