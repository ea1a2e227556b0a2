"""Run the benchmarks: all of them, or those named on the command line; `--list` tells which there are."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
from pathlib import Path

PREFIX = "bench_"


def available() -> list[str]:
    """The names of the benchmarks, sorted: `bench_peterson.py` is called `peterson`."""
    modules = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    return sorted(name.removeprefix(PREFIX) for name in modules if name.startswith(PREFIX))


def run(name: str, asked: dict[str, object]) -> None:
    """One benchmark, or what is asked of it."""
    print(f"== {name}", flush=True)
    begin = time.perf_counter()
    importlib.import_module(f"benchmarks.{PREFIX}{name}").run(**asked)
    print(f"== {name}: {time.perf_counter() - begin:.1f} s\n", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run the benchmarks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which ones (default: all)")
    parser.add_argument("--rows", default="", metavar="A,B", help="only rows with this in their names")
    parser.add_argument("--programs", type=Path, metavar="DIR", help="peers: those of this folder instead of ours")
    parser.add_argument("--list", action="store_true", help="name the benchmarks and stop")
    arguments = parser.parse_args()
    known = available()
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; available: {', '.join(known) or 'none yet'}")
    if not known:
        print("There are no benchmarks yet.")
    elif arguments.list:
        print("\n".join(known))
    else:
        given = {"rows": [row for row in arguments.rows.split(",") if row], "programs": arguments.programs}
        for name in arguments.names or known:
            run(name, {key: value for key, value in given.items() if value})
    return 0


if __name__ == "__main__":
    sys.exit(main())
