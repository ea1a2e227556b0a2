"""Names and values from the debugging information of C programs."""

from __future__ import annotations

import subprocess

import pytest

from isospin.hosts.c.binary.dwarf import Debug
from isospin.hosts.c.telling.names import AddressNames, StackFrame

TEXT = """#include <pthread.h>
#include <stdbool.h>
enum colour { RED, GREEN };
struct node { struct node *next; int value; bool ok; };
struct { pthread_mutex_t lock; struct node nodes[3]; enum colour c; } table = {.c = GREEN};
double half = 0.5; char text[8] = "hi"; const char *said = "yes"; int grid[2][3] = {{1, 2, 3}, {4, 5, -6}};
_Thread_local int mine = 7;
struct node *head;
int add(int a, struct node *n) {
    int sum = a;
    {
        long inner = n->value;
        sum += (int)inner + mine;
    }
    return sum;
}
int main(void) { return add(1, table.nodes); }
"""


@pytest.fixture(scope="module")
def debug(tmp_path_factory: pytest.TempPathFactory) -> Debug:
    place = tmp_path_factory.mktemp("names")
    (place / "t.c").write_text(TEXT)
    subprocess.run(["cc", "-g", "-O0", "-no-pie", "-pthread", "t.c", "-o", "t"], cwd=place, check=True)
    return Debug(place / "t")


class Memory:
    """What a process would have: the initial data, and a heap."""

    def __init__(self, debug: Debug) -> None:
        self.bytes: dict[int, int] = {}
        for segment in debug.elf.iter_segments():
            if segment["p_type"] == "PT_LOAD":
                data = segment.data().ljust(segment["p_memsz"], b"\0")
                self.bytes.update(enumerate(data, segment["p_vaddr"]))

    def write(self, at: int, data: bytes) -> None:
        self.bytes.update(enumerate(data, at))

    def read(self, at: int, size: int) -> bytes:
        return bytes(self.bytes[a] for a in range(at, at + size) if a in self.bytes)


def address(debug: Debug, name: str) -> int:
    return next(v.at for v in debug.variables[0] if v.name == name)


def test_static_variables_and_their_parts(debug: Debug) -> None:
    names = AddressNames(debug, Memory(debug).read)
    table, grid = address(debug, "table"), address(debug, "grid")
    assert names.name(table) == names.name(table + 8) == "table.lock"  # nobody wants to see the inside of a lock
    assert names.name(table + 40 + 16 + 8) == "table.nodes[1].value"
    assert names.name(grid + 20) == "grid[1][2]"
    assert names.name(0x10) == "the byte at 0x10"
    places = [names.static(address(debug, name)) for name in ("half", "text", "said", "grid")]
    shown = {place.name: names.value(place) for place in places if place is not None}
    assert shown == {"half": "0.5", "text": '"hi"', "said": '"yes"', "grid": "{{1, 2, 3}, {4, 5, -6}}"}
    colour = names.place(table + 40 + 3 * 16)
    assert colour is not None
    assert (colour.name, names.value(colour)) == ("table.c", "GREEN")


def test_what_was_allocated_is_called_by_how_it_is_reached(debug: Debug) -> None:
    memory = Memory(debug)
    first, second = 0x7000_0000, 0x7000_0040
    memory.write(address(debug, "head"), first.to_bytes(8, "little"))
    memory.write(first, second.to_bytes(8, "little") + (5).to_bytes(8, "little"))
    memory.write(second, bytes(16))
    names = AddressNames(debug, memory.read)
    assert names.name(first + 8) == "head->value"
    assert names.name(second + 12) == "head->next->ok"
    head = names.static(address(debug, "head"))
    assert head is not None
    assert names.value(head) == "0x70000000"  # what it points to has no other name
    memory.write(address(debug, "head"), (address(debug, "table") + 56).to_bytes(8, "little"))
    assert names.value(head) == "&table.nodes[1]"


def test_local_variables_of_a_frame(debug: Debug) -> None:
    function = next(f for f in debug.functions if f.name == "add")
    inside = next(pc for pc in range(function.low, function.high) if debug.place(pc).line == 13)
    base = 0x7fff_0000
    names = AddressNames(debug, Memory(debug).read)
    names.fresh({2: [StackFrame(inside + 1, base, function)]}, {2: 0x6000_0000})
    known = {v.name: v.at for v in debug.locals(function, inside)}
    assert set(known) == {"a", "n", "sum", "inner"}
    assert names.name(base + 16 + known["sum"]) == "sum of add 2"
    assert names.name(0x6000_0000 - debug.tls_size) == "mine of thread 2"
    outside = next(pc for pc in range(function.low, function.high) if debug.place(pc).line == 15)
    assert "inner" not in {v.name for v in debug.locals(function, outside)}


def test_lines(debug: Debug) -> None:
    main = next(f for f in debug.functions if f.name == "main")
    assert debug.place(main.low).line == 17
    assert debug.place(main.low).file.endswith("t.c")
    assert debug.place(0x10).line == 0
    assert debug.function(main.low + 1) == main
