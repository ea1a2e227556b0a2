"""C programs of the shapes on which stateless checkers differ, beside Nidhugg and GenMC.

What the peers need is measured in the same run where they are on the path; else their numbers of executions are those
that were recorded with Nidhugg 0.4 and GenMC 0.10.3 under sequential consistency, without symmetry.  The programs in
writes/ are those on which it counts whether the order of writes that nobody reads makes executions of its own.

`--programs DIR` takes a folder of others, such as a peer's own.  A file programs.txt in it says what to run, a line for
each: the name of a program, its sizes, and what was recorded (`-`: nothing), as in `casrot N=8 2048`; with `rc11`
behind that, the number is one of this memory model.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

HERE = Path(__file__).parent
PATIENCE = 60  # seconds for one program
# A program, its size, and the recorded number of executions of the best peer.
PROGRAMS: list[tuple[str, dict[str, int], int]] = [
    ("waiting/ticketlock", {"N": 4}, 24),
    ("waiting/ticketlock", {"N": 7}, 5040),
    ("waiting/ttaslock", {"N": 3}, 36),
    ("waiting/barrier", {"N": 5}, 720),
    ("waiting/mcs", {"N": 3}, 66),
    ("waiting/mutex", {"N": 3}, 6582),
    ("waiting/lamport", {"N": 3}, 9216),
    ("waiting/treiber", {"R": 2, "W": 2}, 80),
    ("waiting/msqueue", {"R": 2, "W": 2}, 1330),
    ("waiting/mpmc", {"R": 2, "W": 2}, 156),
    ("waiting/seqlock", {"R": 2, "W": 2}, 18),
    ("waiting/exchanges", {"N": 9}, 8597),
    ("waiting/additions", {"N": 5}, 1),
    ("writes/last_write", {"N": 5}, 5),
    ("writes/last_write", {"N": 7}, 7),
    ("writes/redundant_co", {"N": 5}, 91),
    ("writes/floating_read", {"N": 6}, 7),
    ("writes/sigma", {"N": 6}, 720),
]
PEERS = {  # the command, with a place for what the compiler is told, and how the answer is told
    "nidhugg": (["nidhuggc", "DEFINES", "--", "--sc", "--optimal"], r"Trace count: (\d+)"),
    "genmc": (["genmc", "--sc", "--", "DEFINES"], r"complete executions explored: (\d+)"),
}
Counts = tuple[str, float]


@dataclass(frozen=True)
class Row:
    """A program, what the compiler is told about its size, and what was recorded."""

    source: Path
    sizes: tuple[str, ...]
    recorded: str
    memory: str = "sc"

    def __str__(self) -> str:
        memory = () if self.memory == "sc" else (self.memory,)
        return " ".join([self.source.stem, *(size.partition("=")[2] for size in self.sizes), *memory])


OURS = [Row(HERE / f"{name}.c", tuple(f"{k}={v}" for k, v in size.items()), str(n)) for name, size, n in PROGRAMS]


def rows_of(folder: Path) -> list[Row]:
    """Those that programs.txt names, or all, as they are."""
    table = folder / "programs.txt"
    if not table.exists():
        return [Row(source, (), "-") for source in sorted(folder.glob("*.c"))]
    rows = []
    for name, *words in map(str.split, filter(str.strip, table.read_text(encoding="utf-8").splitlines())):
        sizes = tuple(word for word in words if "=" in word)
        recorded, memory = ([word for word in words if "=" not in word] + ["-", "sc"][len(words) - len(sizes) :])[:2]
        rows.append(Row(folder / f"{name}.c", sizes, recorded, memory))
    return rows


def measured(command: list[str], count: Callable[[str], str]) -> Counts:
    """What a command says about executions, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        said = count(done.stdout if done.stdout else done.stderr)
    except subprocess.TimeoutExpired:
        said = "-"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(row: Row, symmetry: str, search: str = "auto") -> Counts:
    command = [sys.executable, "-m", "isospin", "check", str(row.source), "--symmetry", symmetry, "--json"]
    command += ["--search", search, "--memory", row.memory]
    defines = [part for size in row.sizes for part in ("-D", size)]

    def count(text: str) -> str:
        told = json.loads(text[text.index("{") :])
        blocked = f" + {told['blocked']}" if told["blocked"] else ""
        return f"{told['executions']}{blocked}" if told["outcome"] == "holds" else told["outcome"]

    return measured([*command, *defines], count)


def peer(name: str, row: Row) -> Counts:
    command, pattern = PEERS[name]

    def count(text: str) -> str:
        found = re.search(pattern, text)
        return found[1] if found else "?"

    at = command.index("DEFINES")
    command = [f"--{row.memory}" if word == "--sc" else word for word in command]
    return measured([*command[:at], *(f"-D{size}" for size in row.sizes), *command[at + 1 :], str(row.source)], count)


def run(rows: Sequence[str] = (), programs: Path | None = None) -> None:
    present = [name for name, (command, _) in PEERS.items() if which(command[0])]
    print("Executions (+ blocked) and CPU seconds, start-up included; the best peer without symmetry as recorded")
    columns = ["no symmetry", "with symmetry", "optimal", *present]
    print(f"{'program':22} {'recorded':>9}", *(f"{name:>22}" for name in columns))
    for row in rows_of(programs) if programs else OURS:
        if rows and not any(part in str(row) for part in rows):
            continue
        found = [ours(row, "none"), ours(row, "auto"), ours(row, "auto", "optimal"), *(peer(p, row) for p in present)]
        cells = [f"{said:>13} {seconds:>6.2f} s" for said, seconds in found]
        print(f"{row!s:22} {row.recorded:>9}", *cells, flush=True)
