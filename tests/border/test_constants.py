"""What Python and C share is written once: in the table of each runtime."""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from isospin.engines.explicit import constants as of_explicit
from isospin.engines.explicit.drive.build import compiler
from isospin.engines.stateless.search import SearchRequest
from isospin.hosts.c import constants as of_c
from isospin.hosts.c.run import words
from isospin.hosts.processes import constants as of_processes
from isospin.hosts.processes.system.calls import CALLS
from tests.support import paths


class Border(NamedTuple):
    runtime: Path
    header: str

    @property
    def texts(self) -> dict[str, str]:
        """The files of C, without comments."""
        files = sorted(self.runtime.rglob("*.[ch]"))
        return {str(p): re.sub(r"/\*.*?\*/", " ", p.read_text(), flags=re.DOTALL) for p in files}


BORDERS = {
    "explicit": Border(paths.SOURCE / "engines" / "explicit" / "runtime", of_explicit.header()),
    "c": Border(paths.SOURCE / "hosts" / "c" / "runtime", of_c.header()),
    "processes": Border(paths.SOURCE / "hosts" / "processes" / "runtime", of_processes.header()),
}
DEFINED = re.compile(r"#define (\w+)")
ENUMERATED = re.compile(r"enum(?: \w+)? \{(.*?)\}", re.DOTALL)
OPTION = re.compile(r'\boption(?:_number|_real|_text)?\("(\w+)"')


def defined(text: str) -> set[str]:
    """The names that a text of C gives a value."""
    inside = (part for body in ENUMERATED.findall(text) for part in body.split(","))
    return {*DEFINED.findall(text), *(m[0] for part in inside if (m := re.match(r"\s*(\w+)", part)))}


def texts_sent(header: str) -> set[str]:
    return set(re.findall(r'#define \w+ "(.+)"', header))


@pytest.mark.parametrize("name", BORDERS)
def test_c_defines_nothing_that_the_table_has(name: str) -> None:
    border = BORDERS[name]
    table = defined(border.header)
    assert len(table) > 20
    assert {path: sorted(twice) for path, text in border.texts.items() if (twice := defined(text) & table)} == {}


@pytest.mark.parametrize("name", BORDERS)
def test_c_uses_all_that_the_table_has(name: str) -> None:
    """Nothing stays in a table that one of the sides has forgotten; enumerations are there as a whole."""
    border = BORDERS[name]
    every = set(re.findall(r"\w+", " ".join(border.texts.values())))
    single = set(DEFINED.findall(border.header)) - {"SITE_NONE", "RACE_READ"}  # the zeros, to be complete
    assert sorted(single - every) == []


def test_what_is_sent_is_sent_by_name() -> None:
    """A word of the protocol that stands in C as a text of its own could go out of step."""
    sending = r'(?:stop_because|message_begin|report_run|ASK|ASK_WITH|stop)\((?:\w+, )?"([^"]+)"|\.kind = "([^"]+)"'
    for border in BORDERS.values():
        words = texts_sent(border.header)
        for path, text in border.texts.items():
            assert not {a or b for a, b in re.findall(sending, text)} & words, path


def test_the_c_host_knows_every_option_that_it_is_given() -> None:
    """It ignores what it does not know, so a name that is not the same on both sides would say nothing."""
    read = {word for text in BORDERS["c"].texts.values() for word in OPTION.findall(text)}
    limits = SearchRequest(max_depth=1, max_executions=1, max_preemptions=1, max_time=1.0)
    sent = re.findall(r"(\w+)=", words(limits, True, {}))
    assert len(sent) > 8
    assert set(sent) <= read


def test_python_answers_every_call_of_a_process() -> None:
    assert {*CALLS, "fork", "outside"} == set(of_processes.CallKind)
    assert all(len(kind) < of_processes.KIND_SIZE for kind in of_processes.CallKind)


PROBE = """
#include <stdio.h>
#include "constants.h"
int main(void) {{
{lines}
    return 0;
}}
"""


@pytest.mark.parametrize("name", BORDERS)
def test_c_sees_the_values_of_python(name: str, tmp_path: Path) -> None:
    """Compiled, not read: numbers keep their signs and sizes on the way."""
    header, module = BORDERS[name].header, {"explicit": of_explicit, "c": of_c, "processes": of_processes}[name]
    numbers = [n for n in sorted(defined(header)) if isinstance(getattr(module, n, None), int)]
    (tmp_path / "constants.h").write_text(header)
    lines = "\n".join(f'    printf("%llu\\n", (unsigned long long)({n}));' for n in numbers)
    (tmp_path / "probe.c").write_text(PROBE.format(lines=lines))
    command = [*compiler(), f"-I{tmp_path}", str(tmp_path / "probe.c"), "-o", str(tmp_path / "probe")]
    subprocess.run(command, check=True)
    said = subprocess.run([tmp_path / "probe"], capture_output=True, text=True, check=True).stdout.split()
    assert numbers
    assert [int(word) for word in said] == [int(getattr(module, n)) for n in numbers]


def test_layouts_are_without_padding() -> None:
    """C's records have the natural alignment: the same sizes with it and without."""
    for layout in (of_processes.CALL, of_processes.ANSWER):
        assert struct.calcsize(layout.format.replace("<", "@")) == layout.size
