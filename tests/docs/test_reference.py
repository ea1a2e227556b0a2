"""The reference pages are those of this version: options by argparse, JSON by the schema, kinds by the reports."""

from __future__ import annotations

import argparse
import re

import pytest
from _pytest.config.argparsing import Parser

from isospin import cli
from isospin.completion import commands
from isospin.pytest_plugin import pytest_addoption
from isospin.report.words import KINDS
from tests.docs.reference import OPTIONS_PAGE, PAGE, TYPED, options_page, typed_module, written
from tests.support.paths import DOCS

OPTIONS = (DOCS / "reference" / "commands.md").read_text()
COMMANDS = commands(cli.parser())


def section(command: str) -> str:
    found = re.search(rf"^## isospin {command}\n(.*?)(?=^## |\Z)", OPTIONS, re.S | re.M)
    assert found is not None, f"docs/reference/commands.md has no section `## isospin {command}`"
    return found[1]


def rows(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("| `-")]


def described(text: str) -> set[str]:
    """The options in the first column of all tables."""
    cells = [re.split(r"(?<!\\)\|", row)[1] for row in rows(text)]
    return {option for cell in cells for option in re.findall(r"`(--?[A-Za-z][\w-]*)", cell)}


def options(command: str) -> dict[str, argparse.Action]:
    parser = COMMANDS[command]
    return {name: a for a in parser._actions for name in a.option_strings if name not in ("-h", "--help")}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_described_and_no_other(command: str) -> None:
    there, page = set(options(command)), described(section(command))
    missing = [f"| `{name} {options(command)[name].metavar or ''}` | {options(command)[name].help or ''} |"
               for name in sorted(there - page)]  # fmt: skip
    assert not missing, f"add to docs/reference/commands.md, isospin {command}:\n" + "\n".join(missing)
    assert not page - there, f"isospin {command} has no {', '.join(sorted(page - there))}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_value_is_described(command: str) -> None:
    text = section(command)
    for name, action in options(command).items():
        if action.choices is None or ("STRATEGY" in str(action.metavar) and command != "check"):
            continue
        (row,) = (line for line in rows(text) if name in described(line))
        assert not [c for c in action.choices if not re.search(rf"(?<![\w-]){re.escape(str(c))}(?![\w-])", row)], name


def test_every_option_of_pytest_is_described_and_no_other() -> None:
    parser = Parser(_ispytest=True)
    pytest_addoption(parser)
    there = {a for group in parser._groups for option in group.options for a in option.names()}
    page = described(OPTIONS.partition("## pytest --isospin")[2])
    assert page == there


def test_the_page_of_options_is_what_was_declared() -> None:
    assert OPTIONS_PAGE.read_text() == options_page(), "python -m tests.docs.reference writes it again"


def test_the_types_of_options_are_those_declared() -> None:
    assert TYPED.read_text() == typed_module(), "python -m tests.docs.reference writes them again"


def test_nothing_is_described_twice() -> None:
    listed, _, sections = OPTIONS.partition("\n## ")
    for command in COMMANDS:
        assert len(re.findall(rf"^isospin {command}\b", listed, re.M)) == 1, command
        assert len(re.findall(rf"^(?:## )?isospin {command}$", sections, re.M)) == 1, command
        first = [re.findall(r"`(--?[A-Za-z][\w-]*)", row)[0] for row in rows(section(command))]
        assert sorted(first) == sorted({*first}), command


def test_every_command_is_in_the_list() -> None:
    assert {c for c in COMMANDS if not re.search(rf"^isospin {c}\b", OPTIONS, re.M)} == set()


def test_the_json_page_is_what_the_schema_says() -> None:
    assert PAGE.read_text() == written(PAGE.read_text()), "python -m tests.docs.reference writes it again"


def test_every_kind_of_violation_is_explained() -> None:
    page = (DOCS / "reference" / "output.md").read_text()
    assert {kind for kind in KINDS if f"`{kind}`" not in page} == set()


def test_every_line_of_the_checklist_has_its_test() -> None:
    """Those that we have something to show for; that the tests are there is tested with all references."""
    page = (DOCS / "comparison.md").read_text()
    checklist, tests = re.findall(r"^\| \| .*\n\|[-|]+\|\n((?:\|.*\n)+)", page, re.M)[:2]
    lines = [[cell.strip() for cell in row.split("|")[1:3]] for row in checklist.splitlines()]
    shown = {row.split("|")[1].strip() for row in tests.splitlines() if "::test_" in row}
    wanted = {what for what, ours in lines if "`" in ours or not ours.startswith("\u2013")}
    assert len(lines) > 30
    assert shown == wanted
