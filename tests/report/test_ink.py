"""Text and tables on a terminal."""

from __future__ import annotations

from io import StringIO

import pytest

from isospin.report.ink import Console, Grid, Text, broken, cells


def printed(what: str | Text | Grid, **how: object) -> str:
    out = StringIO()
    given = {name: how.pop(name) for name in ("width", "no_color", "force_terminal") if name in how}
    Console(file=out, **given).print(what, **how)  # type: ignore[arg-type]
    return out.getvalue()


@pytest.mark.parametrize(("line", "width", "pieces"), [
    ("fits as it is", 20, ["fits as it is"]),
    ("never executed at all", 9, ["never", "executed", "at all"]),
    ("  an indent stays", 9, ["  an", "indent", "stays"]),
    ("averylongword b", 6, ["averyl", "ongwor", "d b"]),
    ("日本語です", 4, ["日本", "語で", "す"]),
    ("", 5, [""]),
])  # fmt: skip
def test_lines_are_broken_behind_words(line: str, width: int, pieces: list[str]) -> None:
    found = [line[begin:end] for begin, end in broken(line, width)]
    assert found == pieces
    assert all(cells(piece) <= width for piece in found)


def test_what_cannot_be_wider_is_broken_in_its_cell() -> None:
    table = Grid()
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("what")
    table.add_column("why", style="cyan")
    table.add_row("1", "a b", "c")
    table.add_row("10", "", "dd ee")
    assert printed(table, width=40) == " n  what  why\n 1  a b   c\n10        dd ee\n"
    assert printed(table, width=10) == (
        " n  wh  wh\n"
        "    at  y\n"
        " 1  a   c\n"
        "    b\n"
        "10      dd\n"
        "        ee\n"
    )  # fmt: skip
    assert "\x1b[36mdd ee\x1b[0m" in printed(table, width=40, force_terminal=True)


def test_styles_are_for_terminals_and_colours_for_those_who_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    text = Text.assemble("it is ", ("violated", "bold red"))
    assert printed(text) == "it is violated\n"
    assert printed(text, force_terminal=True) == "it is \x1b[1;31mviolated\x1b[0m\n"
    assert printed(text, force_terminal=True, no_color=True) == "it is \x1b[1mviolated\x1b[0m\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31" not in printed(text, force_terminal=True)
    monkeypatch.setenv("TERM", "dumb")
    assert printed(text, force_terminal=True) == "it is violated\n"


def test_a_text_never_moves_the_cursor() -> None:
    """SOUND: what a user's file says cannot rewrite a verdict on the screen."""
    assert "\x1b" not in printed("holds\x1b[2K")
    table = Grid()
    table.add_column("a\x1b[2K")
    table.add_row("b\rc")
    assert not {"\x1b", "\r"} & set(printed(table))


def test_long_lines_are_left_to_the_terminal_or_broken() -> None:
    assert printed("a b " * 4, width=5, soft_wrap=True) == "a b " * 4 + "\n"
    assert printed("a b " * 2, width=5, style="dim") == "a b a\nb\n"
