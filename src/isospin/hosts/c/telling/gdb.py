"""A schedule inside gdb: the debugger sees the user's threads run in the order that failed, and stops where it does."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ....core.errors import UsageError
from ..constants import REGION_BASE, REGION_SIZE
from .explain import Setting

# The user's threads are no threads of the system: `isospin-thread N` goes to the stack of one that waits.
COMMANDS = f"""
set pagination off
set confirm off
set breakpoint pending on
set print thread-events off
handle SIGVTALRM SIGPROF SIGALRM nostop noprint pass
break program.c:fail
break replay.c:replay_ends
define isospin-thread
  set $isospin = (struct thread *)({REGION_BASE:#x} + $arg0 * {REGION_SIZE:#x})
  set $rsp = (unsigned long)$isospin->parked + sizeof(struct parked)
  set $rbp = $isospin->parked->rbp
  set $rip = $isospin->parked->back
  backtrace
end
document isospin-thread
Show where thread N of the program waits: isospin-thread N.
end
run
backtrace
"""


def run_gdb(setting: Setting, steps: Sequence[tuple[int, int]], place: Path, batch: bool = False) -> int:
    """Let gdb replay the schedule; `place` is a folder for the files that it reads."""
    if shutil.which("gdb") is None:
        raise UsageError("gdb is not installed; without --gdb the trace is shown step by step")
    (place / "steps").write_text("".join(f"{thread} {choice}\n" for thread, choice in steps))
    (place / "commands").write_text(COMMANDS)
    known = f" learnt={','.join(map(str, setting.learnt))}" if setting.learnt else ""
    environment = {**os.environ, "ISOSPIN": f"mode=replay steps={place / 'steps'} {setting.words}{known}"}
    command = ["gdb", "-q", *(["-batch"] if batch else []), "-x", str(place / "commands"), "--args"]
    command += [str(setting.executable), *setting.arguments]
    return subprocess.run(command, env=environment, check=False).returncode
