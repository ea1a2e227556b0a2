"""Help in layers: the common options on one screen, all of them by kind of input; what a wrong word was meant to be."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterable
from typing import NoReturn

from ..pipeline.declare import GROUPS, Option
from ..pipeline.kind_options import audience, every_option, takes
from ..pipeline.kinds import KINDS
from ..pipeline.settings import OutputOptions
from .screen import USAGE

__all__ = ["CommandParser"]

ENDING = """
examples:
  isospin check model.pml --html bug.html       a Promela model; its counterexample as a page
  isospin check lock.ptr -N 6                   pointer automata, six processes
  isospin check program.py                      a Python program under every schedule that matters
  isospin check program.c -- 2 input.txt        a C program, with arguments of its own

exit status:
  0 holds   1 violated   2 an error in the source or the options   3 incomplete   4 an error of ours
"""

BEGINNING = """
to begin with:
  isospin check FILE                  a model (.pml, .ptr) or a program (.py, .c, .cpp)
  isospin check FILE --html bug.html  the counterexample as a page to step through
  isospin COMMAND --help              what a command can do; isospin --version says which this is
"""

_TITLES = ["every input", "models", "programs"]  # what comes first


class CommandParser(argparse.ArgumentParser):
    """argparse, which guesses what a wrong word was meant to be, and has the whole help one hint away."""

    layered = False

    def add_layers(self) -> None:
        """Show only the common options; `--help-all` shows all of them, by kind of input."""
        self.layered = True
        self.add_argument("--help-all", action=_HelpAll, nargs=0, help="all options, by kind of input")

    def format_help(self) -> str:
        if self._commands():
            return _first_page(self)
        return _common_page(self) if self.layered else super().format_help()

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {self._guessed(message)}\n{self.prog} --help lists what is available\n")

    def _guessed(self, message: str) -> str:
        """A message of argparse with the word that was probably meant."""
        if found := re.match(r"unrecognized arguments: (-[^\s=]*)", message):
            known = [name for action in self._all_actions() for name in action.option_strings]
            return f"there is no option {found[1]}{_meant(found[1], known)}"
        if found := re.match(r"argument COMMAND: invalid choice: '(.*?)' \(", message):
            known = self._commands()
            return f"there is no command {found[1]}{_meant(found[1], known)}; available: {', '.join(known)}"
        return message

    def _commands(self) -> list[str]:
        return [name for a in self._actions if isinstance(a, argparse._SubParsersAction) for name in a.choices]

    def _all_actions(self) -> Iterable[argparse.Action]:
        """Its own, and those of its commands: argparse tells the parser above about words that nobody knows."""
        yield from self._actions
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for below in action.choices.values():
                    yield from below._actions


def _meant(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, sorted({*known}), 1)
    return f"; did you mean {close[0]}?" if close else ""


def _first_page(parser: argparse.ArgumentParser) -> str:
    """What to begin with, and the commands."""
    page = argparse.HelpFormatter(parser.prog, max_help_position=16, width=110)
    page.add_usage("%(prog)s COMMAND ...", [], [])
    page.add_text(parser.description)
    page.start_section("commands")
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            page.add_arguments(action._get_subactions())
    page.end_section()
    return page.format_help() + BEGINNING


def _common_page(parser: argparse.ArgumentParser) -> str:
    """What most people need."""
    page, options = _opened(parser), _declared()
    for group in GROUPS:
        named = [name for name, told in options.items() if told.common and told.group == group]
        _add_section(parser, page, group or "what to check", named)
    page.add_text("`isospin check --help-all` lists all options.")
    return page.format_help() + ENDING


def _whole_page(parser: argparse.ArgumentParser) -> str:
    """All options: those of every input first, then those of some."""
    page, options = _opened(parser), _declared()
    for whom in dict.fromkeys(sorted(map(_whom, options), key=_rank)):
        named = [name for name in options if _whom(name) == whom]
        _add_section(parser, page, whom, sorted(named, key=lambda name: GROUPS.index(options[name].group)))
    return page.format_help() + ENDING


def _opened(parser: argparse.ArgumentParser) -> argparse.HelpFormatter:
    page = argparse.HelpFormatter(parser.prog, max_help_position=28, width=110)
    page.add_usage("%(prog)s FILE [FILE ...] [OPTION ...] [-- ARGUMENT OF THE PROGRAM ...]", [], [])
    page.add_text(parser.description)
    return page


def _add_section(
    parser: argparse.ArgumentParser, page: argparse.HelpFormatter, title: str, named: list[str]
) -> None:
    """The arguments of these names, in this order."""
    page.start_section(title)
    page.add_arguments([action for name in named for action in parser._actions if action.dest == name])
    page.end_section()  # which is not shown if there is nothing in it


class _HelpAll(argparse.Action):
    """Print all options, and end."""

    def __call__(self, parser: argparse.ArgumentParser, *given: object) -> NoReturn:
        print(_whole_page(parser), end="")
        parser.exit()


def _declared() -> dict[str, Option]:
    return {**every_option(), **OutputOptions.declared}


def _whom(name: str) -> str:
    """Whom an option is for, as a title."""
    kinds = [kind for kind in KINDS.values() if kind.endings]
    takers = [kind for kind in kinds if takes(kind, name)]
    if takers == kinds:
        return _TITLES[0]
    return _TITLES[2] if takers == [kind for kind in kinds if kind.is_program] else audience(name)


def _rank(whom: str) -> int:
    return _TITLES.index(whom) if whom in _TITLES else len(_TITLES)
