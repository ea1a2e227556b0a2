"""What works on this machine, and what to install for the rest.

What matters is tried out, not looked up: a model is checked by each engine, a program is run, a file is compiled.
Only what other tools do (SPIN, gdb, Graphviz, a browser) is looked up by name.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from .core.errors import IsospinError
from .core.verdict import Outcome

MODEL = "byte n; active [2] proctype p() { n++; n-- } active proctype q() { assert(n < 3) }"
PROGRAM = "import threading\nt = threading.Thread(target=print)\nlock = threading.Lock()\nwith lock:\n    pass\n"
C_PROGRAM = "int x;\nint main(void) { return x; }\n"
DISTRIBUTIONS = {"elftools": "pyelftools"}  # where the name to install is another one
OK, MISSING, BROKEN = "ok", "missing", "broken"
LITTLE_MEMORY = 1 << 30
LITTLE_DISK = 100 << 20
MOST_SECONDS = 20


class Checkup(NamedTuple):
    """One thing: is it here, what was seen, what is it for, and how does one get it."""

    name: str
    status: str
    seen: str
    needed_for: str
    advice: str = ""
    core: bool = False  # nothing works without it


def examined() -> list[Checkup]:
    """Everything that isospin may need here, tried out in a small way."""
    from . import pipeline

    def engine(name: str) -> str:
        verdict = pipeline.check(pipeline.load(MODEL), pipeline.options(engine=name))
        if verdict.outcome is not Outcome.HOLDS:
            raise IsospinError(f"a model that holds is said to be {verdict.outcome}")
        return f"a small model: {verdict.outcome}, {verdict.states} states"

    return [
        python(),
        tried("interpreter", lambda: engine("interp"), "models, slowly", "reinstall isospin", core=True),
        compiler(lambda: engine("explicit")),
        headers(),
        cache(),
        tried("Python programs", _python_program, "isospin check program.py, pytest --isospin", "pip install greenlet"),
        _c_programs(),
        _extra("symbolic", ("dd", "oxidd"), "--engine symbolic", lambda: engine("symbolic")),
        _extra("paper", ("matplotlib",), "plots of isospin paper", lambda: ""),
        memory(),
        _huge_pages(),
        _tool("spin", ("-V",), "replaying trails (--spin-trail), comparing counts", "apt-get install spin"),
        _tool("gdb", ("--version",), "stepping through a replayed C program", "apt-get install gdb"),
        _tool("clang", ("--version",), "a second C compiler for programs; gcc is enough", "apt-get install clang"),
        _tool("dot", ("-V",), "pictures from --heap-dot", "apt-get install graphviz"),
        browser(),
    ]


def works(found: list[Checkup]) -> bool:
    """Does the core work?  What is missing besides is no failure."""
    return all(f.status == OK for f in found if f.core)


def tried(name: str, run: Callable[[], str], purpose: str, advice: str, core: bool = False) -> Checkup:
    try:
        return Checkup(name, OK, run(), purpose, core=core)
    except Exception as error:  # whatever it is: a doctor does not die of the illness
        said = str(error).strip().split("\n")[0]
        return Checkup(name, BROKEN, said or type(error).__name__, purpose, advice, core)


# -------------------------------------------------------------------------------------------------- what is ours


def python() -> Checkup:
    seen = f"{platform.python_version()} ({platform.system()} {platform.machine()})"
    fine = sys.version_info >= (3, 11)
    return Checkup("Python", OK if fine else BROKEN, seen, "everything", "" if fine else "Python 3.11 or newer", True)


def compiler(run: Callable[[], str]) -> Checkup:
    from . import pipeline

    purpose = "the fast engine for models, C programs"
    advice = "apt-get install gcc, or pip install 'isospin[compiler]', or set CC"
    try:
        name = pipeline.compiler_version()
    except IsospinError as error:
        return Checkup("C compiler", MISSING, str(error).split(":")[0], purpose, advice)
    found = tried("C compiler", run, purpose, advice)
    return found._replace(seen=f"{name}; {found.seen}")


def headers() -> Checkup:
    there = Path(sysconfig.get_paths()["include"], "Python.h").exists()
    advice = "" if there else "apt-get install python3-dev"
    seen = sysconfig.get_paths()["include"] if there else "not found"
    return Checkup("Python.h", OK if there else MISSING, seen, "building Python packages that have no wheel", advice)


def cache() -> Checkup:
    from . import pipeline

    place, purpose = pipeline.cache_directory(), "compiled models are kept there"
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place):
            free = shutil.disk_usage(place).free
    except OSError as error:
        return Checkup("cache", BROKEN, f"{place}: {error.strerror}", purpose, "XDG_CACHE_HOME names another place")
    files = [f.stat().st_size for f in place.iterdir() if f.is_file()]
    seen = f"{place}: {len(files)} files, {sum(files) / 1e6:.0f} MB; {free / 1e9:.1f} GB free"
    return Checkup("cache", OK, seen, purpose, "the disk is nearly full" if free < LITTLE_DISK else "")


def _python_program() -> str:
    from . import check

    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "program.py")
        file.write_text(PROGRAM)
        verdict = check(file)
    if verdict.outcome is not Outcome.HOLDS:
        raise IsospinError(f"a program that holds is said to be {verdict.outcome} {verdict.reason}")
    return f"a small program: {verdict.outcome}"


def _c_programs() -> Checkup:
    purpose = "isospin check program.c"
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        return Checkup("C programs", MISSING, f"{platform.system()} {platform.machine()}", purpose, "x86-64 Linux")
    return _packages("C programs", ("capstone", "elftools"), purpose, _c_program, "pip install capstone pyelftools")


def _c_program() -> str:
    """Compiled with the calls that the thread sanitizer makes, linked to our runtime, and run."""
    from . import check

    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "program.c")
        file.write_text(C_PROGRAM)
        verdict = check(file)
    if verdict.outcome is not Outcome.HOLDS:
        raise IsospinError(f"a program that holds is said to be {verdict.outcome} {verdict.reason}")
    return f"a small program: {verdict.outcome}"


def _extra(name: str, packages: tuple[str, ...], purpose: str, run: Callable[[], str]) -> Checkup:
    return _packages(name, packages, purpose, run, f"pip install 'isospin[{name}]'")


def _packages(
    name: str, packages: tuple[str, ...], purpose: str, run: Callable[[], str], advice: str
) -> Checkup:  # fmt: skip
    missing = [p for p in packages if find_spec(p) is None]
    if missing:
        return Checkup(name, MISSING, f"{', '.join(missing)} not installed", purpose, advice)
    found = tried(name, run, purpose, advice)
    seen = ", ".join(f"{p} {_installed(p)}" for p in packages)
    return found._replace(seen=f"{seen}; {found.seen}" if found.seen else seen)


def _installed(package: str) -> str:
    try:
        return version(DISTRIBUTIONS.get(package, package))
    except PackageNotFoundError:
        return ""


# ------------------------------------------------------------------------------------------------ what is the machine's


def memory() -> Checkup:
    available = 0
    with suppress(OSError, IndexError, ValueError):
        text = Path("/proc/meminfo").read_text()
        available = int(text.split("MemAvailable:")[1].split()[0]) * 1024
    seen = f"{available / 1e9:.1f} GB available, {os.cpu_count()} processors" if available else "not known"
    advice = "little memory: --max-memory keeps a search within it" if 0 < available < LITTLE_MEMORY else ""
    return Checkup("memory", OK, seen, "the states of a search", advice)


def _huge_pages() -> Checkup:
    place, purpose = Path("/sys/kernel/mm/transparent_hugepage/enabled"), "searches with large tables run faster"
    try:
        chosen = place.read_text().split("[")[1].split("]")[0]
    except (OSError, IndexError):
        return Checkup("huge pages", MISSING, "not known here", purpose)
    if chosen == "never":
        return Checkup("huge pages", MISSING, chosen, purpose, f"echo madvise > {place} (as root)")
    return Checkup("huge pages", OK, chosen, purpose)


def _tool(name: str, question: tuple[str, ...], purpose: str, advice: str) -> Checkup:
    if (path := shutil.which(name)) is None:
        return Checkup(name, MISSING, "not found", purpose, advice)
    try:
        done = subprocess.run([path, *question], capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return Checkup(name, BROKEN, str(error), purpose, advice)
    said = (done.stdout or done.stderr).strip().split("\n")[0]
    return Checkup(name, OK, said or path, purpose)


def browser() -> Checkup:
    purpose = "looking at HTML reports; the tests of the web pages drive Chromium"
    for name in ("chromium", "chromium-browser", "google-chrome", "firefox"):
        if shutil.which(name):
            return Checkup("browser", OK, name, purpose)
    return Checkup("browser", MISSING, "no Chromium, Chrome or Firefox found", purpose, "any browser elsewhere will do")
