"""The dialect of expectations: what is misspelt is an error, and a wrong expectation fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import expectations
from tests.support.expectations import Expectation, Misspelt, expectation, parse

HOLDS = "byte x;\nactive proctype P() { x = 1 }\n"
STUCK = "byte x;\nactive proctype P() { x == 1 }\n"


def test_what_can_be_said() -> None:
    assert parse("expect: holds") == Expectation("holds")
    said = parse("expect: violated leak race; options: --leaks -D 'N=2'; line: 7; why: all; of: it")
    assert (said.outcome, said.kinds, said.number("line")) == ("violated", ("leak", "race"), 7)
    assert said.options == ["--leaks", "-D", "N=2"]
    assert said.more["why"] == "all; of: it"


@pytest.mark.parametrize("line", [
    "expect holds", "expects: holds", "Expect: holds", "expect: hold", "expect: holds. All is well.",
    "expect: violated", "expect: violated dedlock", "expect: holds leak", "expect: incomplete deadlock",
    "expect: holds; state: 7", "expect: holds; states: seven", "expect: holds; states 7", "expect: holds; options:",
    "expect: holds; states: 7; states: 7",
])  # fmt: skip
def test_what_is_misspelt_is_an_error(line: str) -> None:
    with pytest.raises(Misspelt):
        parse(line)


@pytest.mark.parametrize("head", [
    "", "/* holds */\n", "/* expct: holds */\n", "/* EXPECT: holds */\n", "/* expected holds */\n",
    "/* expect: holds */\n// expect: holds\n",
])  # fmt: skip
def test_a_file_that_does_not_say_it_is_an_error(head: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(head + HOLDS)
    with pytest.raises(Misspelt, match=r"model\.pml"):
        expectation(path)


@pytest.mark.parametrize("line", ["holds", "violated assertion", "incomplete", "violated deadlock; line: 2",
                                  "violated deadlock; message: forks"])  # fmt: skip
def test_a_wrong_expectation_fails(line: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(f"// expect: violated deadlock; line: 3; message: P\n{STUCK}")
    expectations.check(path, "--engine", "interp")
    path.write_text(f"// expect: {line}\n{STUCK}")
    with pytest.raises(AssertionError):
        expectations.check(path, "--engine", "interp")
