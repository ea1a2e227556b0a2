"""From a file or a text to a model."""

from __future__ import annotations

from pathlib import Path

from ..core.deadline import stretch
from ..core.depth import room
from ..core.errors import InternalError, UsageError, shown
from ..core.files import read_text
from ..core.model import Model
from ..front.pointer.load import load_text as load_pointer
from ..front.promela.load import load_text, load_with_formula
from ..semantics import spec

PROMELA = (".pml", ".prom", ".promela", ".p")
POINTER = (".ptr",)
PROCESSES = 3  # of a pointer automaton, unless -N says otherwise
PROGRAMS = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".py")


def load(
    source: str | Path, defines: tuple[str, ...] = (), ltl: str | None = None, processes: int | None = None,
    include: tuple[str, ...] = (),
) -> Model:  # fmt: skip
    """Read a model from a file, or from Promela text (anything with a line break or a brace in it).

    `ltl` is the name of a claim of the model, or a formula, which becomes a claim with its own text for a name;
    `processes` is the size of a pointer automaton, `include` are further folders of files that are included.
    """
    with room(), stretch("reading the model"):
        return _read_model(source, defines, ltl, processes, include)


def _read_model(
    source: str | Path, defines: tuple[str, ...], ltl: str | None, processes: int | None, include: tuple[str, ...]
) -> Model:
    text, file = read(source)
    if file.endswith(POINTER):
        if ltl is not None:
            raise UsageError(f"--ltl: {shown(file)} is a pointer automaton, whose properties are the invariants in it")
        return checked(load_pointer(text, file, PROCESSES if processes is None else processes, defines))
    if processes is not None:
        raise UsageError(f"-N {processes}: {shown(file)} is Promela; -N is for pointer automata (.ptr)")
    model = load_text(text, file, defines, include)
    if ltl is not None and all(c.name != ltl for c in model.claims):
        model = load_with_formula(text, file, ltl, defines, [c.name for c in model.claims], include)
    return checked(model)


def read(source: str | Path) -> tuple[str, str]:
    """The text of a model, and the name of its file."""
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return source, "<text>"
    path = Path(source)
    if path.suffix in PROGRAMS:
        raise UsageError(f"{shown(str(path))} is a program: that is what `isospin check` and `replay` are for")
    if path.suffix not in PROMELA + POINTER:
        known = f"Promela models end in {', '.join(PROMELA)}, pointer automata in {', '.join(POINTER)}"
        raise UsageError(f"{shown(str(path))}: unknown kind of file; {known}")
    return read_text(path), str(path)


def checked(model: Model) -> Model:
    if wrong := spec.problems(model):
        raise InternalError("the front end made a model that is not well formed: " + "; ".join(wrong[:5]))
    return model
