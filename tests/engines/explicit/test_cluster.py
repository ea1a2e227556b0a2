"""A search by the ranks of an MPI job against the same search by one process."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isospin import pipeline
from isospin.core.errors import UsageError
from isospin.core.model import Model
from isospin.engines.contract import Exploration, Finding, Progress, Question
from isospin.engines.explicit import ModelSearch, explore
from isospin.engines.explicit.drive import mpi, run
from isospin.engines.explicit.drive.build import CLUSTER_SOURCES, RUNTIME, compiler, includes
from isospin.engines.explicit.drive.messages import Counts, understood
from isospin.experiments.peterson import peterson
from isospin.front.promela.load import load_text
from tests.engines.explicit.test_modes import FAULTY, LONG, WAITING
from tests.engines.explicit.test_search import PETERSON, children, endless, run_path
from tests.support import paths
from tests.support.spin_examples import ROWS, folder, name, needs_examples


def _there_is_one() -> bool:
    try:
        mpi.find()
    except mpi.NoMpi:
        return False
    return True


needs_mpi = pytest.mark.skipif(not _there_is_one(), reason="there is no MPI here")
RANKS = (1, 2, 3, 4)
PLAIN = [r for r in ROWS if r["plain_status"] == "complete"]


def what(found: Exploration) -> tuple[Any, ...]:
    """All that must be the same; of each violation its place and its length.  An atomic sequence is one move, of as
    many steps as it has on the path that was found first."""
    findings = sorted((f.kind, str(f.location), f.moves) for f in found.findings)
    return found.states, found.transitions, found.depth, findings, found.executed, found.incomplete


def assert_same(model: Model, ranks: tuple[int, ...], level: str = "-O0", **asked: Any) -> None:
    one = explore(model, Question(all_errors=True, **asked), level)
    for number in ranks:
        assert what(explore(model, Question(all_errors=True, mpi=number, **asked), level)) == what(one), number


# ------------------------------------------------------------------------------------------------ the same search


@needs_mpi
@pytest.mark.parametrize("text", [PETERSON, LONG], ids=["narrow", "wide"])
def test_the_counts_of_one_process(text: str) -> None:
    """The wide states do not fit into the slots of the table at first."""
    assert_same(load_text(text, "m"), (1, 3))


@needs_mpi
@pytest.mark.parametrize("wrong", ["atomic", "wide"])
def test_the_first_violation_is_a_shortest_one(wrong: str) -> None:
    model = load_text(FAULTY[wrong], wrong)
    one, found = explore(model, Question(), "-O0"), explore(model, Question(mpi=2), "-O0")
    assert [(f.kind, f.moves) for f in found.findings] == [(f.kind, f.moves) for f in one.findings]
    run_path(model, found)


@needs_mpi
def test_folded_states_are_shared_by_orbits() -> None:
    model = load_text(PETERSON.replace("turn[4]", "turn[5]"), "m")
    one, two = (
        pipeline.check(model, pipeline.options(engine="explicit", **more)) for more in ({"por": "static"}, {"mpi": "2"})
    )
    assert int(two.symmetry.group_order) > 1
    assert (two.outcome, two.states, two.statistics.transitions, two.orbit_sum) == (
        one.outcome, one.states, one.statistics.transitions, one.orbit_sum
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------ limits


@needs_mpi
@pytest.mark.parametrize(
    ("limit", "word"),
    [
        ({"max_states": 20_000}, "--max-states"), ({"max_depth": 7}, "--max-depth"),
        ({"max_memory": 1 << 22}, "--max-memory"), ({"max_time": 1.0}, "--max-time"),
    ],
    ids=str,
)  # fmt: skip
def test_limits(limit: dict[str, Any], word: str) -> None:
    found = explore(endless(), Question(mpi=2, **limit), "-O0")
    assert word in found.incomplete
    assert found.states >= limit.get("max_states", 1)
    assert found.depth <= limit.get("max_depth", found.depth)


@needs_mpi
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_gives_the_counts_so_far() -> None:
    sent: list[int] = []
    before = set(children())

    def interrupt(progress: Progress) -> None:
        if progress.states > 1000 and not sent:
            sent.append(progress.states)
            os.kill(os.getpid(), signal.SIGINT)

    found = explore(endless(), Question(mpi=2, progress=interrupt, progress_interval=0.01), "-O0")
    assert found.incomplete == "interrupted"
    assert found.states > 1000
    assert set(children()) <= before


@needs_mpi
def test_a_killed_rank_is_no_answer() -> None:
    calls: list[Progress] = []

    def kill(progress: Progress) -> None:
        calls.append(progress)
        for checker in _ranks()[:1]:
            os.kill(checker, signal.SIGKILL)

    found = explore(endless(), Question(mpi=2, progress=kill, progress_interval=0.01, max_time=60.0), "-O0")
    assert "the MPI job ended early" in found.incomplete
    assert found.states == calls[-1].states > 0


@needs_mpi
def test_a_killed_job_leaves_no_files() -> None:
    """What MPICH and its launcher have open has no name any more, so it goes with them, however they end."""
    seen: set[str] = set()

    def look(_: Progress) -> None:
        for pid in (*_ranks(), *_proxies()):
            seen.update(name for name in _open_files(pid) if "mpich_shm_" in name or "hydra_hwloc" in name)

    explore(endless(), Question(mpi=2, progress=look, progress_interval=0.01, max_states=20_000), "-O0")
    if not seen:
        pytest.skip("this MPI has no such files")
    assert all(name.endswith(" (deleted)") for name in seen)


def _open_files(pid: int) -> list[str]:
    names = []
    with suppress(OSError):  # it has ended
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                names.append(os.readlink(file))
    return names


def _proxies() -> list[int]:
    """What the launcher of our job has started on this host."""
    return _children_of(children())


def _ranks() -> list[int]:
    """The ranks of our job: children of the children of its launcher."""
    return _children_of(_proxies())


def _children_of(parents: list[int]) -> list[int]:
    return [int(c) for pid in parents for t in _tasks(pid) for c in (t / "children").read_text().split()]


def _tasks(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


# ------------------------------------------------------------------------------------------------ nothing is lost


@needs_mpi
@pytest.mark.parametrize("text", [PETERSON, LONG], ids=["narrow", "wide"])
def test_another_number_of_ranks_goes_on(text: str, tmp_path: Path) -> None:
    """Twice: what is found at the end leads back through files of two generations."""
    model, place = load_text(text, "m"), str(tmp_path / "saved")
    asked: dict[str, Any] = {"all_errors": True, "checkpoint": place}
    first = explore(model, Question(mpi=2, max_states=8_000, **asked), "-O0")
    assert f"--resume {place} goes on from level" in first.incomplete
    second = explore(model, Question(mpi=3, max_states=30_000, resume=place, **asked), "-O0")
    assert 30_000 <= second.states < 76_000
    whole = explore(model, Question(mpi=1, resume=place, all_errors=True), "-O0")
    assert what(whole) == what(explore(model, Question(all_errors=True), "-O0"))
    run_path(model, whole)


def _killed_and_resumed(model: Model, place: Path, seed: int) -> tuple[Exploration, int]:
    """A search of which a random rank is killed at a random time, again and again, until one comes to its end."""
    chance = random.Random(seed)
    kills = 0
    while True:
        ranks, after = chance.randint(2, 4), chance.uniform(0.0, 0.7)
        begin = time.monotonic()

        def kill(_: Progress, after: float = after, begin: float = begin) -> None:
            if time.monotonic() - begin > after:
                for checker in chance.sample(found, 1) if (found := _ranks()) else ():
                    os.kill(checker, signal.SIGKILL)

        resume = str(place) if (place / "manifest").exists() else None
        asked = Question(
            mpi=ranks, all_errors=True, checkpoint=str(place), checkpoint_interval=0.0, resume=resume,
            progress=kill if kills < 5 else None, progress_interval=0.001,
        )  # fmt: skip
        result = explore(model, asked, "-O0")
        if not result.incomplete:
            return result, kills
        assert "the MPI job ended early" in result.incomplete
        kills += 1


@pytest.mark.slow
@needs_mpi
def test_a_killed_rank_loses_one_level_at_most(tmp_path: Path) -> None:
    model = load_text(PETERSON, "m")
    found, kills = _killed_and_resumed(model, tmp_path / "saved", 1)
    assert kills
    assert what(found) == what(explore(model, Question(all_errors=True), "-O0"))


def test_a_line_that_a_launcher_went_on_with_is_no_message() -> None:
    """`mpiexec` writes that a rank was killed, wherever rank 0 was on its line."""
    whole = '{"states": 1, "transitions": 2, "depth": 3, "queue": 4, "memory": 5}'
    assert understood(f"{whole}\n") == Counts(1, 2, 3, 4, 5)
    for length in range(1, len(whole)):
        assert understood(f"{whole[:length]}=== BAD TERMINATION ===\n") is None
        assert understood(f"{whole[:length]}\n") is None


@pytest.mark.slow
@needs_mpi
def test_fifty_kills(tmp_path: Path) -> None:
    """On a quick machine many searches end before their time has come."""
    model, kills = load_text(LONG, "m"), 0
    one = what(explore(model, Question(all_errors=True), "-O0"))
    for seed in range(300):
        found, more = _killed_and_resumed(model, tmp_path / str(seed), seed)
        assert what(found) == one
        kills += more
        if kills >= 50:
            break
    assert kills >= 50


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with little room."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@needs_mpi
def test_a_full_disk_ends_the_job(small_disk: Path) -> None:
    model, place = load_text(PETERSON, "m"), str(small_disk / "saved")
    found = explore(model, Question(mpi=2, checkpoint=place, checkpoint_interval=0.0), "-O0")
    assert "no checkpoint can be written: No space left on device; --resume" in found.incomplete
    whole = explore(model, Question(mpi=2, resume=place), "-O0")
    assert what(whole) == what(explore(model, Question(), "-O0"))


@needs_mpi
def test_states_wait_on_the_disk_of_each_rank(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same counts with less memory; and on a full disk the memory is used up."""
    model, asked = load_text(WAITING, "m"), Question(mpi=2, all_errors=True, max_memory=6_750 << 10)
    one, found = explore(model, Question(all_errors=True), "-O0"), explore(model, asked, "-O0")
    assert what(found) == what(one)
    assert found.notes[0].endswith("are in a temporary file")
    (small_disk / "others").write_bytes(bytes(250 << 10))
    monkeypatch.setenv("TMPDIR", str(small_disk))
    cut = explore(model, asked, "-O0")
    assert cut.incomplete == "the memory is used up (--max-memory)"
    assert 0 < cut.states < one.states
    assert "cannot be written to a temporary file: No space left on device" in cut.notes[-1]


class TwoHosts:
    """Two network namespaces with a cable between them, and an MPI that starts processes there, over TCP."""

    def __init__(self, place: Path) -> None:
        self.place, self.names = place, [f"isospin{os.getpid()}{side}" for side in "ab"]

    def run(self, *command: str) -> None:
        subprocess.run(command, check=True, capture_output=True)

    def connect(self) -> None:
        for host in self.names:
            self.run("ip", "netns", "add", host)
        one, two = self.names
        self.run("ip", "link", "add", "cable", "netns", one, "type", "veth", "peer", "name", "cable", "netns", two)
        for number, host in enumerate(self.names, 1):
            self.run("ip", "-n", host, "addr", "add", f"10.77.9.{number}/24", "dev", "cable")
            self.run("ip", "-n", host, "link", "set", "cable", "up")
            self.run("ip", "-n", host, "link", "set", "lo", "up")
        end = time.monotonic() + 20
        while not all(map(self.is_up, self.names)) and time.monotonic() < end:
            time.sleep(0.05)

    def is_up(self, host: str) -> bool:
        """A cable takes its time until both ends know of each other."""
        command = ["ip", "-n", host, "-br", "link", "show", "cable"]
        return " UP " in subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def cut(self) -> None:
        self.run("ip", "-n", self.names[1], "link", "set", "cable", "down")

    def remove(self) -> None:
        """With all that still runs on the host that was lost: nobody can reach it there."""
        for host in self.names:
            found = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True, check=False)
            for pid in found.stdout.split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", host], check=False, capture_output=True)

    def launcher(self, there: str) -> str:
        """A launcher that enters the first namespace, and a remote shell for it that enters the one of a host."""
        shell, command = self.place / "shell", self.place / "mpiexec"
        shell.write_text(
            '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1; shift\n'
            f"name={self.names[0]}; [ $host = 10.77.9.2 ] && name={self.names[1]}\n"
            'exec ip netns exec $name sh -c "$*"\n'
        )
        command.write_text(
            "#!/bin/sh\nexport MPIR_CVAR_NOLOCAL=1 UCX_TLS=tcp,self UCX_NET_DEVICES=cable FI_PROVIDER=tcp\n"
            "export HYDRA_LAUNCHER=ssh\n"
            f'export HYDRA_LAUNCHER_EXEC={shell}\nexec ip netns exec {self.names[0]} {there} "$@"\n'
        )
        for script in (shell, command):
            script.chmod(0o755)
        return str(command)


@pytest.fixture
def two_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TwoHosts]:
    hosts, found = TwoHosts(tmp_path), mpi.find()
    if "HYDRA" not in subprocess.run([found.launcher, "--version"], capture_output=True, text=True, check=False).stdout:
        pytest.skip("the launcher is not hydra")
    try:
        hosts.connect()
    except (OSError, subprocess.CalledProcessError):
        hosts.remove()
        pytest.skip("no network namespaces can be made here")
    (tmp_path / "hosts").write_text("10.77.9.1:1\n10.77.9.2:1\n")
    with monkeypatch.context() as patch:
        patch.setattr(mpi, "find", lambda: replace(found, launcher=hosts.launcher(found.launcher)))
        patch.setattr(run, "SILENCE", 3.0)
        yield hosts
    hosts.remove()


LOST_HOST = (  # on a busy machine the launcher may end the job before the first rank has said why
    "process 1 of the MPI job, or its host, has said nothing for 3 s", "the MPI job ended early"
)  # fmt: skip


@pytest.mark.slow
@needs_mpi
def test_two_hosts_and_one_of_them_lost(two_hosts: TwoHosts, tmp_path: Path) -> None:
    model, place = load_text(PETERSON, "m"), str(tmp_path / "saved")
    asked: dict[str, Any] = {"mpi": 2, "hostfile": str(tmp_path / "hosts")}
    one = what(explore(model, Question(), "-O0"))
    assert what(explore(model, Question(**asked), "-O0")) == one
    times: list[int] = []

    def cut(progress: Progress) -> None:
        if progress.states > 10_000 and not times:
            times.append(progress.states)
            two_hosts.cut()

    saved = Question(checkpoint=place, checkpoint_interval=0.0, progress=cut, progress_interval=0.001, **asked)
    found = explore(model, saved, "-O0")
    assert times
    assert found.incomplete.startswith(LOST_HOST)
    assert f"; --resume {place} goes on from level" in found.incomplete
    assert found.states >= times[0]
    assert what(explore(model, Question(mpi=1, hostfile=asked["hostfile"], resume=place), "-O0")) == one


@needs_mpi
def test_what_is_damaged_is_refused(tmp_path: Path) -> None:
    model, place = load_text(PETERSON, "m"), tmp_path / "saved"
    explore(model, Question(mpi=2, max_states=8_000, checkpoint=str(place)), "-O0")
    for file in (place / "0.1", place / "manifest"):
        content = file.read_bytes()
        file.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
        with pytest.raises(UsageError, match="damaged"):
            explore(model, Question(mpi=2, resume=str(place)), "-O0")
        file.write_bytes(content)
    with pytest.raises(UsageError, match="another model"):
        explore(load_text(LONG, "m"), Question(mpi=2, resume=str(place)), "-O0")
    with pytest.raises(UsageError, match="a folder"):
        explore(model, Question(resume=str(place)), "-O0")


# ------------------------------------------------------------------------------------------------ what does not fit


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"search": "dfs"}, "breadth first"), ({"threads": 2}, "one thread each"), ({"bitstate": 1 << 20}, "exactly"),
        ({"engine": "interp"}, "explicit engine"), ({"engine": "symbolic"}, "explicit engine"),
        ({"mpi": "0"}, "expected a number"), ({"mpi": "many"}, "expected a number"), ({"mpi": None}, "--mpi N"),
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_fit_is_refused(asked: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        pipeline.options(**{"mpi": "2", "hostfile": "hosts", **asked})


def test_claims_are_refused() -> None:
    model = load_text("byte x; active proctype p() { x = 1 } ltl p { <> (x == 1) }", "m")
    with pytest.raises(UsageError, match="--no-claim"):
        pipeline.check(model, pipeline.options(mpi="2"))


def test_no_mpi_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(mpi.NoMpi, match=r"isospin\[cluster\]"):
        mpi.find()


def test_the_ranks_of_an_allocation(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("node1 slots=4\nnode2:3\n# none\nnode3\n")
    assert mpi.ranks("7", None, {"SLURM_NTASKS": "3"}) == 7
    assert mpi.ranks("auto", None, {"SLURM_NTASKS": "3"}) == 3
    assert mpi.ranks("auto", str(hosts), {"SLURM_NTASKS": "3"}) == 8
    assert mpi.ranks("auto", None, {"PBS_NODEFILE": str(hosts)}) == 8
    with pytest.raises(UsageError, match="say --mpi N"):
        mpi.ranks("auto", None, {})
    with pytest.raises(UsageError, match="cannot read"):
        mpi.ranks("auto", str(tmp_path), {})


@needs_mpi
def test_the_runtime_compiles_without_warnings(tmp_path: Path) -> None:
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-c", "-DCLUSTER=1", *mpi.find().flags]
    for source in (*CLUSTER_SOURCES, "search/parallel.c", "search/lint.c"):
        files = [*includes(tmp_path), str(RUNTIME / source), "-o", str(tmp_path / "out.o")]
        done = subprocess.run([*compiler(), *flags, *files], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


# ------------------------------------------------------------------------------------------------ many models


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, int | None]]:
    """How long the paths are that the engine finds."""
    lengths: list[tuple[str, str, int | None]] = []
    findings = ModelSearch.findings

    def watched(self: ModelSearch, *about: Any) -> list[Finding]:
        found = findings(self, *about)
        lengths.extend((f.kind, str(f.location), f.moves) for f in found)
        return found

    monkeypatch.setattr(ModelSearch, "findings", watched)
    return lengths


@pytest.mark.slow
@needs_mpi
@pytest.mark.parametrize("path", sorted(paths.CORPUS.glob("*/*.pml")), ids=lambda p: p.stem)
@pytest.mark.parametrize("asked", [{"por": "auto"}, {"symmetry": "none", "por": "off"}], ids=["default", "plain"])
def test_corpus(path: Path, asked: dict[str, Any], moves: list[Any]) -> None:
    seen = []
    for more in ({"por": "static"} if asked["por"] == "auto" else {}, *({"mpi": str(n)} for n in RANKS)):
        options = pipeline.options(engine="explicit", all_errors=True, no_claim=True, **{**asked, **more})
        verdict = pipeline.check(pipeline.load(path), options)
        places = sorted((v.kind, str(v.location)) for v in verdict.violations)
        counts = verdict.states, verdict.statistics.transitions, verdict.statistics.depth
        seen.append((counts, verdict.outcome, places, sorted(moves)))
        moves.clear()
    assert seen[1:] == seen[:1] * len(RANKS)


@pytest.mark.slow
@needs_mpi
@needs_examples
@pytest.mark.parametrize("row", PLAIN, ids=name)
def test_plain_counts_of_spin(row: dict[str, str]) -> None:
    model = replace(pipeline.load(folder() / row["file"]), claims=())
    for number in RANKS:
        found = explore(model, Question(all_errors=True, mpi=number))
        assert (found.states, found.transitions) == (
            int(row["states_plain_noclaim"]), int(row["transitions_plain_noclaim"])
        )  # fmt: skip
        assert bool(found.findings) == (row["errors_plain_noclaim"] != "0")


@pytest.mark.slow
@needs_mpi
@pytest.mark.parametrize("symmetry", ["auto", "none"])
@pytest.mark.parametrize("processes", [3, 4, 5, 6])
def test_peterson(processes: int, symmetry: str) -> None:
    seen = []
    for more in ({"por": "static"}, *({"mpi": str(n)} for n in RANKS)):
        options = pipeline.options(engine="explicit", symmetry=symmetry, **more)
        verdict = pipeline.check(load_text(peterson(processes), "m"), options)
        seen.append((verdict.states, verdict.statistics.transitions, verdict.statistics.depth, verdict.outcome))
    assert seen[1:] == seen[:1] * len(RANKS)
