"""What a user stumbled over once: a definition without effect, a module that is missing, a value of the wrong type."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import isospin
from isospin.cli import main
from isospin.report.html import page
from isospin.report.ink import Console
from isospin.report.terminal import change_text, show_trace, show_verdict
from tests.support.paths import EXAMPLES

MODEL = "#define N 3\nbyte x;\nactive [N] proctype P() { x++; assert(x < 4) }\n"
PROGRAM = "#include <assert.h>\n#define N 3\nint main(void) { assert(N == 3); return 0; }\n"


def told(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    status = main([str(word) for word in words])
    seen = capsys.readouterr()
    return status, seen.out + seen.err


@pytest.mark.parametrize(("name", "text", "line"), [("m.pml", MODEL, 1), ("m.c", PROGRAM, 2)])
def test_a_definition_that_the_file_overrides_is_an_error(
    name: str, text: str, line: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_text(text)
    status, said = told(capsys, "check", file, "-D", "N=9")
    assert status == 2
    assert f"{name}:{line}:" in said
    assert "-D N=9 has no effect" in said
    assert "#ifndef N" in said
    assert told(capsys, "check", file, "-D", "N=3")[0] == 0  # the same value: nothing is lost
    file.write_text(text.replace("#define N 3", "#ifndef N\n#define N 3\n#endif"))
    assert told(capsys, "check", file, "-D", "N=9")[0] == 1


def test_who_takes_a_definition_back_means_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.pml"
    file.write_text("#undef N\n" + MODEL)
    assert told(capsys, "check", file, "-D", "N=9")[0] == 0
    file.write_text("#define DEBUG\n" + MODEL)
    assert told(capsys, "check", file, "-D", "DEBUG")[0] == 0


def test_a_definition_that_nobody_uses_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.pml"
    file.write_text("/* N is the number */\n#ifdef USED\n#endif\n" + MODEL)
    status, said = told(capsys, "check", file, "-D", "n=9", "-D", "USED", "--engine", "interp")
    assert status == 0
    assert "warning: the model never uses n\n  n=9" in said
    assert "USED" not in said


def test_a_module_that_is_missing_is_an_error_of_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.py"
    file.write_text("import threading, there_is_no_such_module\n")
    status, said = told(capsys, "check", file)
    assert status == 2
    assert "p.py:1:1: error: no module named 'there_is_no_such_module'" in said
    file.write_text("try:\n    import there_is_no_such_module\nexcept ImportError:\n    pass\n")
    assert told(capsys, "check", file)[0] == 0


def test_an_exception_that_nobody_catches_has_its_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.py"
    file.write_text("def inner():\n    raise ValueError('bad')\n\ndef outer():\n    inner()\n\nouter()\n")
    status, said = told(capsys, "check", file)
    assert status == 1
    stack = [line.rpartition("p.py:")[2] for line in said.splitlines() if " in " in line and "p.py:" in line]
    assert stack == ["7 in <module>: outer()", "5 in outer: inner()", "2 in inner: raise ValueError('bad')"]


@pytest.mark.parametrize(("option", "value", "expected"), [
    ("max_states", "x", "a whole number"), ("max_time", "3", "a number of seconds"), ("fair", 1, "True or False"),
    ("defines", "N=3", "a tuple of texts"), ("ltl", 3, "a text"), ("max_memory", "4G", "a number of bytes"),
])  # fmt: skip
def test_a_value_of_the_wrong_type_is_told(option: str, value: Any, expected: str) -> None:
    with pytest.raises(isospin.UsageError, match=f"^{option}: expected {expected}, got "):
        isospin.check(MODEL, **{option: value})


def test_what_was_saved_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.pml").write_text(MODEL.replace("< 4", "< 2"))
    asked = ("check", "m.pml", "--html", "bug.html", "--trace", "bug.json", "--junit", "out.xml", "--engine", "interp")
    _, said = told(capsys, *asked)
    assert re.findall("^saved (.*)", said, re.M) == [
        "bug.html", "bug.json; isospin replay m.pml bug.json steps through it", "out.xml"
    ]  # fmt: skip
    assert "saved" not in told(capsys, *asked, "--quiet")[1]
    json.loads(told(capsys, *asked, "--json")[1])
    Path("m.pml").write_text(MODEL)
    assert re.findall("^saved (.*)", told(capsys, *asked)[1], re.M) == ["bug.html", "out.xml"]
    assert not Path("bug.json").exists()


@pytest.mark.parametrize("width", [60, 100])
def test_words_of_the_statistics_stay_whole(width: int) -> None:
    verdict = isospin.check(MODEL, engine="interp")
    seen = StringIO()
    show_verdict(Console(file=seen, width=width, force_terminal=True, no_color=True), verdict)
    lines = re.sub(r"\x1b\[\d*m", "", seen.getvalue()).splitlines()
    assert max(map(len, lines)) <= width
    words = {word for line in lines for word in re.findall(r"[a-z]{4,}", line)}
    assert {"states", "transitions", "depth", "symmetry", "exact", "partial", "orders"} <= words


def test_the_page_says_nothing_twice_and_nothing_wrong(tmp_path: Path) -> None:
    formula = "[] (x < 4)"
    checked = page(isospin.check(MODEL, ltl=formula, engine="interp"), "1")
    header = checked[: checked.index("<main>")]
    assert header.count("x &lt; 4") == 1
    assert "Safety means" not in header
    unfolded = page(isospin.check(MODEL, symmetry="none", engine="interp"), "1")
    assert "Symmetry was not asked for." in unfolded
    assert "take each other" not in unfolded


def test_the_page_of_a_c_program_lists_its_source_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    depth = len(tmp_path.resolve().parts) - 1
    relative = Path(*[".."] * depth, *EXAMPLES.resolve().parts[1:], "c", "bank.c")
    shown = page(isospin.check(relative), "1")
    assert shown.count('class="source"') == 1
    assert '"line":[0,' in shown


def test_every_step_has_a_statement() -> None:
    verdict = isospin.check(EXAMPLES / "heap" / "treiber_aba.pml")
    assert all(step.statement for step in verdict.violations[0].trace.steps)


def test_a_failing_execution_counts(tmp_path: Path) -> None:
    """No `0 executions` beside a violation: also where the very first execution fails."""
    program = tmp_path / "fails.c"
    program.write_text("#include <assert.h>\nint main(void) { assert(0); return 0; }\n")
    verdict = isospin.check(program)
    assert verdict.violations
    assert verdict.statistics.executions == 1


def test_a_lock_is_called_what_it_is(tmp_path: Path) -> None:
    """Not `lock a RLock`."""
    program = tmp_path / "locks.py"
    program.write_text(
        "import threading\nlock, count = threading.RLock(), 0\n"
        "def add():\n    global count\n    with lock:\n        seen = count\n    with lock:\n        count = seen + 1\n"
        "threads = [threading.Thread(target=add) for _ in range(2)]\nfor t in threads: t.start()\n"
        "for t in threads: t.join()\nassert count == 2\n"
    )
    said = changes_of(program)
    assert {"takes lock", "gives back lock"} <= set(said)
    assert not any("RLock" in line for line in said)


def changes_of(program: Path) -> list[str]:
    """What the rows of the counterexample say on the right."""
    (violation,) = isospin.check(program).violations
    return [change_text(step) for step in violation.trace.steps]


def test_a_value_that_changes_is_shown_before_and_after(tmp_path: Path) -> None:
    """Not `write`; and a read says what it saw."""
    program = tmp_path / "hits.py"
    program.write_text(
        "import threading\nhits = 0\ndef visit():\n    global hits\n    hits = hits + 1  # two steps\n"
        "threads = [threading.Thread(target=visit) for _ in range(2)]\nfor t in threads: t.start()\n"
        "for t in threads: t.join()\nassert hits == 2\n"
    )
    said = changes_of(program)
    assert said[:6] == ["hits is 0", "hits is 0", "hits: 0 → 1", "", "hits: 1 → 1", ""]
    assert not any("write" in line for line in said)


def test_a_statement_is_shown_without_its_comment_and_in_one_line_where_there_is_room(tmp_path: Path) -> None:
    program = tmp_path / "fails.py"
    program.write_text("import threading\ndone = []\ndef note(): done.append('#')  # who was here\n"
                       "threads = [threading.Thread(target=note) for _ in range(2)]\nfor t in threads: t.start()\n"
                       "assert done == ['#'] * 2  # too early\n")  # fmt: skip
    (violation,) = isospin.check(program).violations
    assert "assert done == ['#'] * 2" in {step.statement for step in violation.trace.steps}
    out = StringIO()
    show_trace(Console(file=out, width=140), violation.trace)
    assert all(line.split()[0].isdigit() for line in out.getvalue().splitlines()[1:])
