"""Swarms: what they find is confirmed, what they have not seen is estimated, and they never say `holds`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from isospin import check
from isospin.cli import main
from isospin.core.errors import SourceError, UsageError
from isospin.core.verdict import Outcome
from isospin.engines.stateless.protocol import ExecutedStep, Op
from isospin.engines.stateless.sampling.random_walk import class_of
from isospin.pipeline.kinds import kind_of
from isospin.pipeline.swarm import SwarmReport, estimate_unseen, searches, swarm

COUNTERS = """
byte x[3];
active [3] proctype P() {
  do
  :: x[_pid] < 9 -> x[_pid]++
  :: x[_pid] > 0 && x[(_pid + 1) %% 3] > x[_pid] -> x[_pid]--
  :: %s -> assert(false)
  od
}
"""
RARE, NEVER = "x[0] == 9 && x[1] == 2 && x[2] == 7", "x[0] == 10"
PROGRAM = """
import threading
x = 0
def work():
    global x
    v = x
    x = v + 1
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
{check}
"""


class _Here(Executor):
    """Runs everything at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _swarm(file: Path, text: str, most: int, **given: Any) -> SwarmReport:
    file.write_text(text)
    return swarm(kind_of(str(file), None), [str(file)], given, 240, _Here(), 1, most)


def test_a_swarm_finds_what_is_rare(tmp_path: Path) -> None:
    found = _swarm(tmp_path / "counters.pml", COUNTERS % RARE, 8, no_deadlock=True)
    assert [v.kind for v in found.violations.values()] == ["assertion"]
    assert found.verdict("counters.pml").outcome is Outcome.VIOLATED


def test_a_swarm_never_says_holds(tmp_path: Path) -> None:
    """All states of the model are seen, and the estimate knows it; the statement that is never executed is named."""
    found = _swarm(tmp_path / "counters.pml", COUNTERS % NEVER, 3, no_deadlock=True, symmetry="none")
    assert found.verdict("counters.pml").outcome is Outcome.INCOMPLETE
    assert found.searches == 3
    seen, unseen = found.estimate
    whole = check(str(tmp_path / "counters.pml"), no_deadlock=True, symmetry="none").states
    assert 0.85 * whole < seen < 1.15 * whole
    assert unseen < 0.15 * whole
    assert {u.statement for u in found.unreached or ()} >= {"assert(false)"}


def test_a_swarm_of_executions(tmp_path: Path) -> None:
    found = _swarm(tmp_path / "add.py", PROGRAM.format(check="assert x == 2"), 9)
    assert [v.kind for v in found.violations.values()] == ["assertion"]
    found = _swarm(tmp_path / "fine.py", PROGRAM.format(check="assert x"), 3, max_executions=60)
    assert found.verdict("fine.py").outcome is Outcome.INCOMPLETE
    assert found.estimate == (4, 0)  # one after the other, or both read first and one of them writes last


def test_no_two_searches_are_the_same() -> None:
    for name in ("m.pml", "p.py"):
        made = [next_one for next_one, _ in zip(searches(kind_of(name, None), [name], {}, 60), range(12), strict=False)]
        assert len({tuple(sorted(map(str, s.options.items()))) for s in made}) == 12


def test_what_was_not_seen_is_estimated() -> None:
    """Ten searches that each see a third of ten thousand states, at random."""
    random = Random(1)
    states = [random.getrandbits(64) for _ in range(10_000)]
    samples = [tuple(sorted(random.sample(states, 3_333))[:512]) for _ in range(10)]
    seen, unseen = estimate_unseen(samples)
    assert 9_000 < seen < 11_000
    assert 50 < unseen < 600  # (2/3)^10 of them: 173
    assert estimate_unseen([(1, 2, 3), (1, 2, 3)]) == pytest.approx((3, 0))


def test_the_class_of_an_execution() -> None:
    """Steps that touch nothing in common may be exchanged, others may not."""
    x, y = frozenset("x"), frozenset("y")
    a, b, c = (ExecutedStep(0, 0, Op("write", writes=x)), ExecutedStep(1, 0, Op("read", reads=x)),
               ExecutedStep(2, 0, Op("write", writes=y)))  # fmt: skip
    assert class_of([a, b, c]) == class_of([c, a, b]) == class_of([a, c, b])
    assert class_of([a, b, c]) != class_of([b, a, c])


def test_a_model_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        swarm(kind_of("m.pml", None), [str(tmp_path / "nothing.pml")], {}, 5, _Here(), 1, 1)
    with pytest.raises(SourceError):
        _swarm(tmp_path / "wrong.pml", "active proctype P( { }", 1)


def test_what_was_seen_before_an_interruption_is_told(tmp_path: Path) -> None:
    file = tmp_path / "counters.pml"
    file.write_text(COUNTERS % NEVER)

    def interrupt(report: SwarmReport) -> None:
        raise KeyboardInterrupt

    kind, given = kind_of(str(file), None), {"no_deadlock": True}
    verdict = swarm(kind, [str(file)], given, 240, _Here(), 1, 5, interrupt).verdict("counters.pml")
    assert verdict.outcome is Outcome.INCOMPLETE
    assert verdict.reason.startswith("interrupted; a swarm of 1 searches")


class Simple(_Here):
    """As Dask's: it cannot leave out what has not begun."""

    def shutdown(self, wait: bool = True) -> None:  # type: ignore[override]
        self.is_closed = True


def test_an_executor_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "add.py"
    file.write_text(PROGRAM.format(check="assert x == 2"))
    assert main(["swarm", str(file), "--searches", "9", "--time", "240", "--workers", f"{__name__}:Simple"]) == 1
    assert "assertion" in capsys.readouterr().out


def test_the_first_search_has_all_the_time(tmp_path: Path) -> None:
    """Where it is cut while it compiles, nobody ever gets further."""
    asked: list[float] = []

    class Asked(_Here):
        def submit(self, function: Any, /, search: Any) -> Any:  # type: ignore[override]
            asked.append(search.options["max_time"])
            return super().submit(function, search)

    file = tmp_path / "counters.pml"
    file.write_text(COUNTERS % NEVER)
    swarm(kind_of(str(file), None), [str(file)], {"no_deadlock": True}, 240, Asked(), 1, 2)
    assert asked[0] > 200
    assert asked[1] <= 240 / 8


def test_workers_may_import_the_main_module() -> None:
    """As those of mpi4py do: nothing runs then."""
    import_module("isospin.__main__")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, trace = tmp_path / "add.py", str(tmp_path / "bug.json")
    file.write_text(PROGRAM.format(check="assert x == 2"))
    assert main(["swarm", str(file), "--searches", "9", "--time", "240", "--workers", "1", "--trace", trace]) == 1
    assert "a swarm of" in capsys.readouterr().out
    assert main(["replay", str(file), trace]) == 1
    with pytest.raises(SystemExit, match="2"):
        main(["swarm", str(file), "--time", "-3"])
    assert main(["swarm", str(file), "--workers", "nowhere:executor"]) == 2
    assert "MODULE:NAME" in capsys.readouterr().err
