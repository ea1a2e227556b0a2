"""What a user may give us by mistake or on purpose: never a traceback, always a place, and nothing without a limit."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from isospin import pipeline
from isospin.cli import main
from isospin.core import depth
from isospin.core.errors import SourceError, UsageError
from isospin.explorer import start
from isospin.front.pointer import meaning
from isospin.front.preprocessor import macros
from isospin.front.promela import meta

INIT = "init { skip }\n"
USAGE = 2


def said(*arguments: str) -> tuple[int, str]:
    """Exit status, and what was printed on both streams."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            status = main([*arguments])
        except SystemExit as leaving:
            status = int(leaving.code or 0)
    return status, output.getvalue()


def problem(text: str) -> str:
    """The first complaint about a Promela text, with its place."""
    with pytest.raises(SourceError) as error:
        pipeline.load(text)
    first = error.value.diagnostics[0]
    return f"{first.location.line}:{first.location.column} {first.message}"


# ------------------------------------------------------------------------------------------------ the preprocessor


@pytest.mark.parametrize("directive", ["if", "ifdef", "ifndef", "elif", "undef", "include", "define"])
def test_a_directive_without_argument(directive: str) -> None:
    before = "#if 0\n" if directive == "elif" else ""
    after = "#endif\n" if "if" in directive else ""
    line = 2 if before else 1
    assert problem(f"{before}#{directive}\n{after}{INIT}").startswith(f"{line}:1 ")


@pytest.mark.parametrize("ignored", ["#", "#line 3", "#pragma", "# 1 \"x\"", "#ident \"x\""])
def test_a_directive_that_says_nothing(ignored: str) -> None:
    pipeline.load(f"{ignored}\n{INIT}")


def test_files_that_include_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "b.h"\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n')
    model = tmp_path / "m.pml"
    model.write_text(f'#include "a.h"\n{INIT}')
    with pytest.raises(SourceError, match="include each other"):
        pipeline.load(model)


def test_a_name_with_a_zero_byte() -> None:
    assert "cannot find include file" in problem(f'#include "a\0b.h"\n{INIT}')


def test_a_pipe_is_no_model(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.pml")
    with pytest.raises(UsageError, match="no ordinary file"):
        pipeline.load(tmp_path / "m.pml")
    main_file = tmp_path / "main.pml"
    main_file.write_text(f'#include "m.pml"\n#include "/dev/zero"\n{INIT}')
    with pytest.raises(SourceError, match=r"m\.pml: it is no ordinary file.*/dev/zero: it is no ordinary file"):
        pipeline.load(main_file)


def test_macros_that_explode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macros, "MOST_WORDS", 10_000)
    doubling = "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(60))
    assert problem(f"{doubling}#define A60 x = 1;\nbyte x; init {{ A0 }}\n").startswith("62:16 the macros up to here")
    empty = "".join(f"#define B{i}(x) B{i + 1}(x) B{i + 1}(x)\n" for i in range(60))
    assert problem(f"{empty}#define B60(x)\ninit {{ B0(1) }}\n").startswith("62:8 the macros up to here")
    assert problem(f"{doubling}#define A60 1 +\n#if A0 1\n#endif\n{INIT}").startswith("62:5 the macros up to here")


def test_macro_calls_inside_each_other() -> None:
    text = f"#define f(x) x\nbyte x; init {{ x = {'f(' * 200}1{')' * 200} }}\n"
    assert "calls of macros inside each other" in problem(text)


def test_a_deep_condition() -> None:
    assert "levels in this condition" in problem(f"#if {'(' * 5000}1{')' * 5000}\n#endif\n{INIT}")
    assert "does not fit in 64 bits" in problem(f"#if {'9' * 10_000}\n#endif\n{INIT}")


def test_inlines_that_explode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meta, "MOST_EXPANSIONS", 1000)
    last = "inline A30() { x = 1 }\n"
    calls = "".join(f"inline A{i}() {{ A{i + 1}(); A{i + 1}() }}\n" for i in reversed(range(30)))
    with pytest.raises(SourceError, match="the inlines up to here are expanded more than"):
        pipeline.load(f"byte x;\n{last}{calls}init {{ A0() }}\n")


# ------------------------------------------------------------------------------------------------ trees


def nested(opening: str, inner: str, closing: str, levels: int) -> str:
    return opening * levels + inner + closing * levels


@pytest.mark.parametrize(
    "statement",
    [
        f"x = {nested('(', '1', ')', 5000)}",
        f"x = {nested('(1 + ', '1', ')', 5000)}",
        f"x = {'+'.join(['1'] * 20_000)}",
        f"x = {nested('(', '1', '+ 1)', 600)}",
        f"x = {nested('a[', '1', ']', 5000)}",
        f"{'!' * 5000}x",
        f"{nested('(x -> ', '1', ': 2)', 3000)}",
        f"x = {nested('((', 'x', ' + 1) + 1)', 300)}",
    ],
)
def test_an_expression_that_is_too_high(statement: str) -> None:
    assert "inside each other" in problem(f"byte x, a[3]; init {{ {statement} }}\n")


@pytest.mark.parametrize(
    "statement",
    [
        nested("atomic { ", "skip", " }", 300),
        nested("if :: ", "skip", " fi", 3000),
        nested("{ ", "skip", " } unless { skip }", 3000),
        nested("for (x : 1 .. 2) { ", "skip", " }", 3000),
        "".join(f"L{i}: " for i in range(3000)) + "skip",
    ],
)
def test_statements_that_are_too_deep(statement: str) -> None:
    assert "more than 100 statements inside each other" in problem(f"byte x; init {{ {statement} }}\n")


@pytest.mark.parametrize("formula", [nested("(", "x == 1", ")", 5000), f"{'[] ' * 5000}x == 1", "x U " * 5000 + "x"])
def test_a_deep_formula(formula: str, tmp_path: Path) -> None:
    assert "inside each other" in problem(f"byte x; {INIT}ltl p {{ {formula} }}\n")
    model = tmp_path / "m.pml"
    model.write_text(f"byte x; {INIT}")
    status, text = said("check", str(model), "--ltl", formula)
    assert status == USAGE
    assert "--ltl:1:" in text


AS_HIGH_AS_ALLOWED = {
    "sum": f"x = {'+'.join(['x'] * 250)}",
    "right": f"x = {nested('x + (x * ', 'x', ')', 100)}",
    "and": nested("x == 0 && (", "x == 0", ")", 230),
    "not": nested("!(", "x == 0", ")", 240),
    "index": f"x = {nested('a[', 'x', ']', 200)}",
    "choice": f"x = {nested('(x == 1 -> 1 : ', '0', ')', 120)}",
    "blocks": nested("atomic { ", "x = 1", " }", 98),
    "options": nested("if :: ", "x = 1", " fi", 98),
}


@pytest.mark.parametrize("name", AS_HIGH_AS_ALLOWED)
def test_what_is_allowed_is_checked(name: str) -> None:
    """Whatever passes goes over the whole tree without meeting the end of a stack."""
    before = sys.getrecursionlimit()
    text = f"byte x, a[3]; active [2] proctype p() {{ {AS_HIGH_AS_ALLOWED[name]} }}\n"
    verdict = pipeline.check_files([text], pipeline.Options(engine="interp"))
    assert verdict.outcome.value == "holds"
    assert pipeline.symmetry(pipeline.load(text)).report.group_order == "2"
    assert pipeline.simulate(pipeline.load(text), 1, 20).ending
    assert sys.getrecursionlimit() == before


def test_room_is_given_back_by_the_last_one() -> None:
    before = sys.getrecursionlimit()
    first, second = depth.room(), depth.room()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert sys.getrecursionlimit() > before
    second.__exit__(None, None, None)
    assert sys.getrecursionlimit() == before


# ------------------------------------------------------------------------------------------------ sizes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("byte a[1000000000]; init { a[0] = 1 }\n", "1:6 'a' has 1000000000 elements, too many for a state"),
        ("byte a[1000000]; byte b[1000000]; init { a[0] = 1 }\n", "1:23 with 'b' there are more than"),
        (f"int a; init {{ a = {'9' * 10_000} }}\n", "1:19 9999999999999999999999999999999999999... does not fit"),
        (f"int a[{'9' * 10_000}]; {INIT}", "1:7 9999999999999999999999999999999999999... does not fit"),
        (f"chan q[100000] = [1] of {{ byte }}; {INIT}", "1:18 more than 2500 channels"),
    ],
)
def test_sizes_have_limits(text: str, message: str) -> None:
    assert problem(text).startswith(message)


def test_types_that_explode() -> None:
    types = "".join(f"typedef T{i + 1} {{ T{i} a; T{i} b }};\n" for i in range(60))
    assert "fields, " in problem(f"typedef T0 {{ byte x }};\n{types}T60 t; {INIT}")
    deep = "".join(f"typedef T{i + 1} {{ T{i} a }};\n" for i in range(3000))
    assert "101 inside each other" in problem(f"typedef T0 {{ byte x }};\n{deep}T300 t; {INIT}")


def test_a_long_string_takes_little() -> None:
    """It took 17 s and 3.4 GB; a quadratic or a backtracking way of reading it would be seen here, too."""
    model = pipeline.load(f'init {{ printf("{"a" * 3_000_000}") }}\n')
    assert len(model.templates) == 1


# ------------------------------------------------------------------------------------------------ pointer automata

AUTOMATON = "global discrete x: 0..1;\nprocess A {{ mode 0 {{ when {} do x = 1 goto 0; }} }}\ninvariant i: {};\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (AUTOMATON.format(nested("(", "x == 0", ")", 3000), "x < 2"), "150 operators inside each other"),
        (AUTOMATON.format("!" * 3000 + "(x == 0)", "x < 2"), "150 operators inside each other"),
        (AUTOMATON.format("=>".join(["x == 0"] * 3000), "x < 2"), "150 operators inside each other"),
        (AUTOMATON.format("x == " + "+".join(["x"] * 3000), "x < 2"), "150 operators inside each other"),
        (AUTOMATON.format("x == 0", "".join(f"forall a{i}: " for i in range(40)) + "x < 2"), "stand for more than"),
        ("global discrete x: 0..999999999;\nprocess A { mode 0 { goto 0; } }\n", "has more than 131,072 values"),
        (f"process A {{ mode {'9' * 10_000} {{ goto 0; }} }}\n", "numbers have at most 9 digits"),
        ("/* " * 300_000, "this comment has no end"),
    ],
)
def test_pointer_automata(text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "MOST_TERMS_IN_ALL", 2000)
    model = tmp_path / "m.ptr"
    model.write_text(text)
    status, shown = said("check", str(model), "--engine", "interp", "-N", "4")
    assert status == USAGE
    assert message in shown


def test_deciding_takes_no_exponential_time(tmp_path: Path) -> None:
    """Conditions nested to the right were gone through twice on each level."""
    model = tmp_path / "m.ptr"
    model.write_text(AUTOMATON.format("=>".join(["x == 0"] * 100), "x < 2"))
    assert said("check", str(model), "--engine", "interp")[0] == 0


# ------------------------------------------------------------------------------------------------ what is shown

EVIL = "\x1b[31mred\x1b]0;title\x07\x9b\u202e"


def obeyed(text: str) -> list[str]:
    """The control characters in it that a terminal would obey."""
    return [c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u202e")]


@pytest.mark.parametrize("options", [(), ("--annotations", "github")])
def test_escape_sequences_are_shown_not_obeyed(options: tuple[str, ...], tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text(f"init {{ {EVIL} = 1 }} // {EVIL}\n#error {EVIL}\n", encoding="utf-8")
    status, text = said("check", str(model), "--no-color", *options)
    assert status == USAGE
    assert "red" in text
    assert not obeyed(text)
    model.write_text(f'byte x; init {{ printf("{EVIL}"); x = \'\x1b\'; assert(x == 0) /* {EVIL} */ }}\n')
    for arguments in (("check", "--engine", "interp", *options), ("simulate", "--seed", "1")):
        status, text = said(arguments[0], str(model), "--no-color", *arguments[1:])
        assert status == 1
        assert not obeyed(text)


@pytest.mark.parametrize("name", ["two\nlines.pml", "two\n::error::lines.pml", "\x1b[31m.pml", "caf\udce9.pml"])
def test_names_of_files(name: str, tmp_path: Path) -> None:
    model = tmp_path / name
    for arguments in (["check", str(tmp_path / f"no such {name}")], ["check", f"{model}.txt"]):
        status, text = said(*arguments)
        assert status == USAGE
        assert text.count("\n") == 1
        assert not obeyed(text)
    model.write_text("init { x = 1 }\n")
    status, text = said("check", str(model), "--no-color", "--annotations", "github")
    assert status == USAGE
    assert ":1:8: error: unknown name 'x'\n  init { x = 1 }\n" in text
    notes = [line for line in text.splitlines() if line.startswith("::")]
    assert len(notes) == 1
    assert notes[0].endswith("::unknown name 'x'")
    assert not obeyed(text)
    model.write_text("init { assert(false) }\n")
    report, page = tmp_path / "r.xml", tmp_path / "p.html"
    shown = said("check", str(model), "--engine", "interp", "--junit", str(report), "--html", str(page), "--no-color")
    assert shown[0] == 1
    assert report.exists()
    assert page.exists()


def test_an_included_file_from_elsewhere_is_not_shown(tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret.h", tmp_path / "models"
    secret.write_text("root:x:0:0:hunter2\n")
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "part.h").write_text("this is shown\n")
    (folder / "link.h").symlink_to(secret)
    model = folder / "m.pml"
    for include, is_shown in (("../secret.h", False), ("link.h", False), (str(secret), False), ("below/part.h", True)):
        model.write_text(f'#include "{include}"\n{INIT}')
        status, text = said("check", str(model), "--no-color")
        assert status == USAGE
        assert ("hunter2" in text or "this is shown" in text) == is_shown
    status, text = said("check", str(model), "--include", str(tmp_path), "--no-color")
    model.write_text(f'#include "secret.h"\n{INIT}')
    status, text = said("check", str(model), "--include", str(tmp_path), "--no-color")
    assert status == USAGE
    assert "hunter2" in text
    assert "cannot find include file" in said("check", str(model), "--no-color")[1]


# ------------------------------------------------------------------------------------------------ traces

STEP = {"choice": [0, 0], "statement": "x = 1", "pid": 0, "process": "p", "partner": None, "location": "m:1:1"}
TRACE = {"kind": "assertion", "message": "m", "property": "safety", "trace": [STEP], "file": "m.pml"}
WRONG: dict[str, Any] = {
    "list": [], "number": 5, "text": "x", "nothing": None, "empty": {}, "step": [5], "no steps": {"trace": None},
    "steps": {"trace": {"a": 1}}, "number as step": {"trace": [5]}, "cycle": {"cycle_start": 17},
    "defines": {"defines": 5}, "start": {"start": [1, 2]}, "unknown start": {"start": {"y": 1}}, "host": {"host": 5},
    "processes": {"processes": "many"}, "statement": {"trace": [{**STEP, "statement": 7}]},
    **{f"choice {c}": {"trace": [{**STEP, "choice": c}]} for c in (
        5, [0] * 9, [float("inf"), 0], ["a", "b"], [10**40, 0], [7, 99], [-1, -1], [0, 0, 9, 9],
    )},
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_traces_of_the_wrong_shape(name: str, tmp_path: Path) -> None:
    model, trace = tmp_path / "m.pml", tmp_path / "t.json"
    model.write_text("byte x; init { x = 1; assert(false) }\n")
    wrong = WRONG[name]
    trace.write_text(json.dumps({**TRACE, **wrong} if wrong and isinstance(wrong, dict) else wrong))
    status, text = said("replay", str(model), str(trace))
    assert status == USAGE, text
    with pytest.raises(UsageError):
        start.opened(str(model), str(trace), (), None, "0")


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "9" * 10_000, "", "\0", "1:2:3\nx", "{", "1:1:" + "9" * 5000]
)
def test_traces_that_are_none(text: str, tmp_path: Path) -> None:
    model, trace = tmp_path / "m.pml", tmp_path / "t.json"
    model.write_text("byte x; init { x = 1; assert(false) }\n")
    trace.write_text(text)
    assert said("replay", str(model), str(trace))[0] == USAGE
    os.mkfifo(tmp_path / "fifo.json")
    assert said("replay", str(model), str(tmp_path / "fifo.json"))[0] == USAGE
