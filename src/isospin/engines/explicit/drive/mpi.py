"""The MPI of this machine: how its programs are built and started, and how many ranks an allocation has.

A system's own MPI comes first (it knows the network); else the one of the extra `isospin[cluster]`, whose wheel brings
`mpicc` and `mpiexec` into the environment that isospin runs in.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ....core import deadline
from ....core.errors import InternalError, UsageError
from ....core.records import dataclass

AUTO = "auto"
# How many ranks an allocation is for, as batch systems say it: Slurm, PBS, LSF, Grid Engine.
COUNTS = ("SLURM_NTASKS", "PBS_NP", "LSB_DJOB_NUMPROC", "NSLOTS")
# Files with a line for each host, as MPI jobs of Kubernetes and PBS have them.
HOSTFILES = ("HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "PBS_NODEFILE")


class NoMpi(UsageError):
    """There is no MPI on this machine."""

    def __init__(self) -> None:
        super().__init__(
            "--mpi needs an MPI, and there is none here (no mpicc and mpiexec): `pip install isospin[cluster]` brings "
            "one, or load the module of your cluster"
        )


@dataclass(frozen=True)
class Mpi:
    """An implementation of MPI."""

    launcher: str
    flags: tuple[str, ...]  # for compiling
    libraries: tuple[str, ...]  # for linking

    def command(self, ranks: int, hostfile: str | None) -> list[str]:
        """What starts a program; its name and arguments come behind."""
        where = [] if hostfile is None else ["-hostfile", hostfile]
        return [self.launcher, "-n", str(ranks), *where]


def find() -> Mpi:
    """The system's MPI, or that of the extra."""
    for place in (os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)):
        wrapper, launcher = shutil.which("mpicc", path=place), shutil.which("mpiexec", path=place)
        if wrapper and launcher:
            flags, libraries = _flags(wrapper)
            return Mpi(launcher, flags, libraries)
    raise NoMpi


@cache
def _flags(wrapper: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the wrapper of the compiler would add: for compiling, for linking."""
    done = deadline.run([wrapper, "-show"], "asking mpicc for its options")
    if done.returncode != 0:
        raise InternalError(f"{wrapper} -show failed:\n{done.stderr[-4000:]}")
    words = shlex.split(done.stdout)[1:]
    linking = tuple(word for word in words if word.startswith(("-L", "-l", "-Wl")))
    return tuple(word for word in words if word.startswith(("-I", "-D"))), linking


def ranks(asked: str, hostfile: str | None, environment: Mapping[str, str] = os.environ) -> int:
    """How many ranks: what was asked for; with `auto` as many as the allocation has."""
    if asked != AUTO:
        return int(asked)
    files = [hostfile] if hostfile is not None else [environment[name] for name in HOSTFILES if name in environment]
    for name in COUNTS if hostfile is None else ():
        if environment.get(name, "").isdigit():
            return int(environment[name])
    for name in files:
        if slots := _slots(name):
            return slots
    raise UsageError(
        "--mpi auto: this is no allocation that isospin knows (Slurm, PBS, LSF, Grid Engine, a host file): say --mpi N"
    )


def _slots(hostfile: str) -> int:
    """`host`, `host:4` or `host slots=4`, a line each."""
    try:
        lines = [line.split("#")[0].strip() for line in Path(hostfile).read_text().splitlines()]
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {hostfile}: {getattr(error, 'strerror', None) or error}") from None
    found = [re.search(r"(?::|slots\s*=\s*)(\d+)", line) for line in lines if line]
    return sum(1 if match is None else int(match[1]) for match in found)
