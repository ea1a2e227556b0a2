"""The worked example of the table of states: what the comment says is what the header does."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from isospin.engines.explicit.constants import header
from tests.support import paths

RUNTIME = paths.SOURCE / "engines" / "explicit" / "runtime"
HEADER = RUNTIME / "table" / "table.inc.h"
PROGRAM = """
#define KEY_WORDS 1
#define KEY_BITS 12
#define STATE_WORDS 1
#define CHUNK 64
#define SLOTS 1
#define FAIR 0
#define POR 0
#include "table/table.inc.h"

#include <stdio.h>

struct shared shared;
static word lines[4 * LINE] __attribute__((aligned(64)));

/* A state of 12 bits: where it should be, and whether it is new; then the same with its home line full. */
int main(void)
{
    struct table *t = &shared.table;
    const word s = 0x123;
    *t = (struct table){.slots = lines, .line_bits = 2, .mask = 3, .quotient = true};
    t->squeeze = (struct squeeze){.keep = {0xFFF}, .half = 6, .low_mask = 0xFFF, .low_bits = 12, .bits = 12,
                                  .first_bits = 12};
    for (int full = 0; full < 2; full++) {
        for (int i = 0; i < 4 * LINE; i++)
            lines[i] = full && i / LINE == 3 ? 0xFFE1 : 0;
        struct look look = look_for(&s);
        enum verdict first = insert_quotient(t, look), again = insert_quotient(t, look);
        word there = full ? lines[2 * LINE] : lines[3 * LINE];
        printf("%llx %llu %llx %d %d\\n", (unsigned long long)key_of(t, &s).a, (unsigned long long)home_of(t, look),
               (unsigned long long)there, first == NEW, again == SEEN);
    }
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_example_of_the_table(tmp_path: Path) -> None:
    (tmp_path / "table.c").write_text(PROGRAM)
    (tmp_path / "constants.h").write_text(header())
    command = [
        "cc",
        "-O1",
        "-w",
        f"-I{RUNTIME}",
        f"-I{tmp_path}",
        str(tmp_path / "table.c"),
        "-o",
        str(tmp_path / "table"),
    ]
    subprocess.run(command, check=True)
    said = subprocess.run([str(tmp_path / "table")], check=True, capture_output=True, text=True).stdout.splitlines()
    assert said == ["c03 3 6001 1 1", "c03 3 6002 1 1"]
    comment = HEADER.read_text().split("A worked example", 1)[1].split("*/")[0]
    assert {"0xc03", "0x300", "0x6001", "0x6002"} <= set(re.findall(r"0x\w+", comment))
    assert 0x127 * 0x9E3779B97F4A7C15 % 0x1000 == 0xC33
