"""The user's modules, with hooks, executed afresh for each execution.

What is the user's: every module with a source file that is neither in the standard library nor installed
(site-packages) nor isospin itself.  The others stay as they are, and their state is not reset between executions.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import random
import sys
import sysconfig
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import get_ident
from types import ModuleType
from typing import Any

from ..border import known
from ..control.kernel import Kernel
from ..control.lifetimes import MORTAL
from ..control.records import AttributeSpace, ProgramFacts, SearchMemory
from ..control.surroundings import Surroundings
from ..hooking.libraries import Registries
from ..stdlib.packages import Packages
from ..stdlib.shim import REGISTRIES, names_for
from .rewrite import Rewritten, rewritten
from .sites import HOOKED, Sites, users_line

OUTSIDE = tuple(
    {str(Path(p).resolve()) for n, p in sysconfig.get_paths().items() if n.endswith("lib")}
    | {str(Path(__file__).resolve().parents[3])}
)  # fmt: skip
OWN = __name__.split(".")[0] + "."  # our modules


@lru_cache(maxsize=8192)
def is_users(file: str | None) -> bool:
    if not file or not file.endswith(".py") or file.startswith(OUTSIDE) or "site-packages" in file:
        return False
    path = str(Path(file).resolve())
    return not path.startswith(OUTSIDE) and "site-packages" not in path


class _Sink:
    """Where a program's output goes while nobody looks."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self) -> None:
        self.written: list[str] | None = None

    def write(self, text: str) -> int:
        if self.written is not None:
            self.written.append(text)
        return len(text)

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        raise OSError("the output of a checked program has no file")


class _RewrittenCode:
    """Rewritten code by file, for the whole check."""

    def __init__(self, memory: SearchMemory, sites: Sites) -> None:
        self.memory, self.sites = memory, sites
        self.known: dict[str, tuple[tuple[frozenset[str], bool], Rewritten]] = {}
        self.current: dict[str, Rewritten] = {}  # of them those that need no second look in this search
        self.search: ProgramFacts | None = None  # what is known in it
        self.files: set[str] = set()
        self.names: dict[tuple[str, str], dict[str, Any]] = {}  # builtins by file and module

    def of(self, file: str) -> Rewritten:
        if self.search is not self.memory.known:
            self.search = self.memory.known
            self.current.clear()
        return self.current.get(file) or self.look_up(file)

    def look_up(self, file: str) -> Rewritten:
        variable = frozenset(self.memory.known.variable.get(file, ()))
        key = (variable, self.memory.known.foreign)
        found = self.known.get(file)
        if found is None or found[0] != key:
            source = importlib.util.decode_source(Path(file).read_bytes())
            found = self.known[file] = (key, rewritten(source, file, self.sites, *key))
            self.files.add(file)
            HOOKED.add(file)
            self.memory.addressed |= self.sites.addressed
            self.memory.looks_inside |= self.sites.looks_inside
            self.memory.mortal |= MORTAL.search(source) is not None
        self.current[file] = found[1]
        return found[1]

    def execute(self, module: ModuleType, file: str, kernel: Kernel) -> None:
        space = module.__dict__
        found = self.of(file)
        key = (file, module.__name__)
        names = self.names.get(key)
        if names is None or names["_iso_code"] is not found:
            names = self.names[key] = names_for(space, file, found)
        names["_iso_module"] = space
        kernel.objects.records[id(space)] = AttributeSpace(None, f"module {file}", space)
        space["__builtins__"] = names
        exec(found.code, space)


class _Loader(importlib.machinery.SourceFileLoader):
    """Knows the file, too, so that a program finds its resources and its source."""

    def __init__(self, session: Session, name: str, file: str) -> None:
        super().__init__(name, file)
        self.session, self.file = session, file

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self.session.module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        assert self.session.kernel is not None
        self.session.code.execute(module, self.file, self.session.kernel)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the user's modules first, and gives them hooks."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if self.session.kernel is None:
            return None
        found = self.session.specs.get(name)
        if found is None:
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            if spec is None or not is_users(spec.origin):
                if spec is not None and not known.is_pythons(name):  # by `import_module`, `pickle`, or another package
                    self.session.code.memory.meet_package()
                return None
            found = self.session.specs[name] = (str(spec.origin), spec.submodule_search_locations)
        file, locations = found
        made = importlib.util.spec_from_file_location(
            name, file, loader=_Loader(self.session, name, file), submodule_search_locations=locations
        )
        return made


class Session:
    """The world around a checked program: modules, arguments, output; put back as it was at the end."""

    def __init__(self, memory: SearchMemory, sites: Sites, file: str, name: str, arguments: Sequence[str]) -> None:
        self.file, self.name = file, name
        self.code = _RewrittenCode(memory, sites)
        self.arguments = [file, *arguments]
        self.kernel: Kernel | None = None
        self.specs: dict[str, tuple[str, list[str] | None]] = {}
        self.finder = _Finder(self)
        self.sink = _Sink()
        self.surroundings = Surroundings()
        self.packages = Packages()
        self.outer: dict[str, Any] | None = None
        self.modules: dict[str, ModuleType] = {}  # the user's

    def enter(self) -> None:
        """Take the user's modules out of the way."""
        if self.outer is not None:
            return
        mine = {"__main__": sys.modules["__main__"]} if "__main__" in sys.modules else {}
        for name, module in sys.modules.items():
            if not name.startswith(OWN):  # they are many
                file = getattr(module, "__file__", None)
                if file and not file.startswith(OUTSIDE) and is_users(file):
                    mine[name] = module
        self.outer = {
            "modules": mine, "argv": sys.argv, "path": list(sys.path), "stdout": sys.stdout, "stderr": sys.stderr,
            "random": random.getstate(), "hook": sys.unraisablehook,
        }  # fmt: skip
        for name in mine:
            del sys.modules[name]
        sys.argv = self.arguments
        if self.name == "__main__":
            sys.path.insert(0, str(Path(self.file).resolve().parent))
        sys.meta_path.insert(0, self.finder)
        sys.stdout = sys.stderr = self.sink
        sys.unraisablehook = lambda _: None
        self.watch_real_threads()
        self.surroundings.enter()
        self.packages.enter()
        REGISTRIES.append(Registries())

    def watch_real_threads(self) -> None:
        """A library may start a thread of the system, which nobody controls: that must be said."""
        assert self.outer is not None
        mine = get_ident()
        for name in ("_start_new_thread", "_start_joinable_thread"):
            original = getattr(threading, name, None)
            if original is None:
                continue

            def start(*args: Any, original: Any = original, **kwargs: Any) -> Any:
                if self.kernel is not None and get_ident() == mine:
                    self.kernel.border.uncontrolled.setdefault("a thread that a library starts", users_line())
                return original(*args, **kwargs)

            self.outer[name] = original
            setattr(threading, name, start)

    def leave(self) -> None:
        if self.outer is None:
            return
        self.kernel = None
        self.packages.leave()
        self.surroundings.leave()
        sys.modules.update(self.outer["modules"])
        sys.argv, sys.path[:] = self.outer["argv"], self.outer["path"]
        sys.stdout, sys.stderr = self.outer["stdout"], self.outer["stderr"]
        sys.meta_path.remove(self.finder)
        sys.unraisablehook = self.outer["hook"]
        random.setstate(self.outer["random"])
        for name in ("_start_new_thread", "_start_joinable_thread"):
            if name in self.outer:
                setattr(threading, name, self.outer[name])
        REGISTRIES.pop().put_back()
        self.outer = None

    def forget(self) -> None:
        """The user's modules of an execution that is over; they are emptied, or their functions would keep them."""
        self.surroundings.put_back()
        if REGISTRIES:
            REGISTRIES[-1].put_back()
        for name in [*self.specs, self.name]:
            module = sys.modules.pop(name, None)
            if module is not None:
                module.__dict__.clear()

    def module(self, name: str) -> ModuleType:
        """An empty module: the one that the last execution had, so that classes that know its globals can stay."""
        module = self.modules.setdefault(name, ModuleType(name))
        ModuleType.__init__(module, name)
        return module

    def fresh(self, kernel: Kernel) -> ModuleType:
        """A new main module, not yet executed."""
        self.kernel = kernel
        if kernel.memory.known.random:
            random.seed(0)
        module = self.module(self.name)
        module.__file__ = self.file
        module.__dict__["__cached__"] = None
        if "." in self.name:
            module.__package__ = self.name.rpartition(".")[0]
        sys.modules[self.name] = module
        return module
