"""The preprocessor: what it expands, and that every token keeps its place."""

import shutil
import subprocess
from pathlib import Path

import pytest

from isospin import pipeline
from isospin.core.errors import SourceError
from isospin.front.common.tokens import Token
from isospin.front.preprocessor.preprocess import Source, preprocess
from isospin.front.promela.lexer import tokenize
from tests.support.generators import random_macros


def tokens(text: str, *defines: str) -> list[Token]:
    return tokenize(preprocess(text, "m.pml", defines))[:-1]


def texts(text: str, *defines: str) -> list[str]:
    return [t.text for t in tokens(text, *defines)]


def test_macros_conditionals_and_definitions() -> None:
    source = "#define ADD(a, b) a + b\n#if N > 2 && defined(M)\nx = ADD(N, y)\n#else\nz\n#endif\n"
    assert texts(source, "N=3", "M") == ["x", "=", "3", "+", "y"]
    assert texts(source, "N=1") == ["z"]


def test_places_survive_expansion() -> None:
    found = tokens("#define N 17\n  a = N; /* two\nlines */ b\n")
    assert [(t.text, t.location.line, t.location.column) for t in found] == [
        ("a", 2, 3), ("=", 2, 5), ("17", 2, 7), (";", 2, 8), ("b", 3, 10)
    ]  # fmt: skip


def test_question_marks_are_no_trigraphs() -> None:
    assert texts("q??<x> q??(y)") == ["q", "??", "<", "x", ">", "q", "??", "(", "y", ")"]


def test_ranges_are_no_floating_point_numbers() -> None:
    assert texts("1..3 1 .. 3") == ["1", "..", "3", "1", "..", "3"]


def test_continued_lines() -> None:
    assert texts("#define A x \\\n  + y\nA\n") == ["x", "+", "y"]


def test_included_files_are_found_beside_the_model(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "part.h").write_text("byte x;\nbyte x;\n")
    path = tmp_path / "m.pml"
    path.write_text('#include "inc/part.h"\ninit { x = 1 }\n')
    with pytest.raises(SourceError) as error:
        pipeline.load(path)
    (diagnostic,) = error.value.diagnostics
    assert Path(diagnostic.location.file).name == "part.h"
    assert (diagnostic.location.line, diagnostic.location.column) == (2, 6)


def test_missing_include_and_error_directive() -> None:
    with pytest.raises(SourceError, match=r"cannot find include file"):
        preprocess('#include "nowhere.h"\n', "m.pml")
    with pytest.raises(SourceError, match="too small"):
        preprocess("#error too small\n", "m.pml")


# ------------------------------------------------------------------------------------------------ against GNU cpp


def read_by_gcc(text: str) -> list[tuple[str, bool]] | None:
    """The words, and whether a line ended before them; None: an error."""
    command = ["gcc", "-std=gnu99", "-undef", "-E", "-x", "c", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    plain = "\n".join("" if line.startswith("# ") else line for line in done.stdout.split("\n"))
    return [(t.text, t.after_newline) for t in tokenize(Source(plain))[:-1]]


def read_by_us(text: str) -> list[tuple[str, bool]] | None:
    try:
        return [(t.text, t.after_newline) for t in tokens(text)]
    except SourceError:
        return None


def agree(seeds: range) -> int:
    """How many of the random texts have no error; all must be read as gcc reads them."""
    good = 0
    for seed in seeds:
        text = random_macros.text(seed)
        expected = read_by_gcc(text)
        assert read_by_us(text) == expected, f"seed {seed}:\n{text}"
        good += expected is not None
    return good


needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


@needs_gcc
def test_random_texts_as_gcc_reads_them() -> None:
    assert agree(range(60)) > 20


@needs_gcc
@pytest.mark.slow
def test_many_random_texts_as_gcc_reads_them() -> None:
    assert agree(range(1000, 4000)) > 1000
