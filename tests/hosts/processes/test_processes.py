"""C programs of processes: VeriSoft's table, random programs by every search."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from isospin.cli import main
from isospin.core.errors import IsospinError, SourceError, UsageError
from isospin.core.verdict import Outcome, Verdict
from isospin.engines.stateless.search import SearchResult
from isospin.hosts.processes.build import ForkingProgram, build
from isospin.hosts.processes.program import ProcessProgram
from isospin.pipeline.programs import road
from isospin.pipeline.programs.processes import ProcessHost, check_built, replay_built
from isospin.pipeline.programs.processes import check_files as check_processes
from isospin.pipeline.settings import ProcessOptions
from tests.support import paths

pytestmark = pytest.mark.skipif(which("gcc") is None and which("clang") is None, reason="needs a C compiler")

PROGRAMS = paths.PROGRAMS / "processes"
EXAMPLES = paths.EXAMPLES / "c"
SEARCHES = [
    ("dfs", "none"), ("dfs", "discovered"), ("persistent", "none"), ("persistent", "discovered"), ("dpor", "none"),
    ("dpor", "discovered"), ("optimal", "none"),
]  # fmt: skip

@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


def check(name: str, **options: object) -> Verdict:
    return check_processes([PROGRAMS / f"{name}.c"], ProcessOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("search", ["persistent", "dpor"])
def test_what_is_done_between_two_waits_is_not_lost(search: str) -> None:
    (violation,) = check("wait_early", search=search, symmetry="none", no_deadlock=True).violations
    assert (violation.kind, violation.location.line) == ("assertion", 19)


def test_the_order_of_ends_costs_nothing_if_nobody_looks() -> None:
    verdict = check("wait_sum", search="dpor", symmetry="none")
    assert (verdict.statistics.executions, verdict.transitions) == (1, 4)


def test_a_first_process_that_tells_a_failure(tmp_path: Path) -> None:
    text = "#include <sys/wait.h>\n#include <unistd.h>\n"
    text += "int main(void) { int s; if (!fork()) _exit(4); wait(&s); return %s; }"
    for result, kinds in (("s >> 8", ["exception"]), ("0", [])):
        path = tmp_path / "status.c"
        path.write_text(text % result)
        verdict = check_processes([path], ProcessOptions())
        assert [v.kind for v in verdict.violations] == kinds
        assert all("status 4" in v.message for v in verdict.violations)


@pytest.mark.parametrize("search", ["random", "pct"])
def test_random_searches_find_and_do_not_prove(search: str) -> None:
    assert check("counter_race", search=search, max_executions=300).outcome is Outcome.VIOLATED
    assert check("counter_atomic", search=search, max_executions=30).outcome is Outcome.INCOMPLETE


# -------------------------------------------------------------------------------------------------- memory


def test_plain_accesses_that_race_are_not_said_to_hold() -> None:
    verdict = check("peterson_plain")
    assert verdict.outcome is Outcome.INCOMPLETE
    assert re.search(r"plain (load|store) at .*peterson_plain\.c:\d+ of shared memory, which nothing", verdict.reason)
    assert check("peterson_plain", memory="sc").outcome is Outcome.HOLDS


def test_plain_accesses_that_are_ordered_hold() -> None:
    """Of memory that two processes use, by a semaphore, a pipe, the end of a child; and bytes that lie side by side."""
    assert check("ordered_plain").outcome is Outcome.HOLDS


# -------------------------------------------------------------------------------------------------- VeriSoft


def philosophers(n: int) -> ForkingProgram:
    return build([EXAMPLES / "philosophers_fork.c"], [f"-DN={n}"])


def transitions(n: int, **options: object) -> int:
    verdict = check_built(philosophers(n), "p.c", ProcessOptions(all_errors=True, **options))  # type: ignore[arg-type]
    assert [v.kind for v in verdict.violations] == ["deadlock"]
    return verdict.transitions


TABLE_1 = [(2, 18, 17, 9), (3, 1680, 67, 32), (4, 386816, 198, 90), (5, 0, 507, 220)]


@pytest.mark.parametrize(("n", "plain", "reduced", "rotated"), TABLE_1)
def test_table_1_of_the_verisoft_paper(n: int, plain: int, reduced: int, rotated: int) -> None:
    if n < 4:
        assert transitions(n, search="dfs", symmetry="none") == plain
    assert transitions(n, search="persistent", symmetry="none") <= reduced
    assert transitions(n, search="dpor", symmetry="none") <= reduced
    assert transitions(n, search="persistent", permutation="rotate") <= rotated
    assert transitions(n, search="dpor", permutation="rotate") <= rotated


@pytest.mark.slow
def test_plain_search_of_four_philosophers() -> None:
    assert transitions(4, search="dfs", symmetry="none") == 386816


# -------------------------------------------------------------------------------------------------- permutations


def variant(place: Path, number: int, old: str, new: str) -> Path:
    text = (EXAMPLES / "philosophers_fork.c").read_text()
    assert old in text
    path = place / f"variant{number}.c"
    path.write_text(text.replace(old, new))
    return path


WRONG = [
    # one of them takes the right fork first
    ("int left = me, right = (me + 1) % N;",
     "int left = me, right = (me + 1) % N;\n    if (me == N - 1) left = 0, right = me;"),
    # the last one gives back in another order: the difference comes late
    ("change(left, 1);\n    change(right, 1);",
     "change(me ? left : right, 1);\n    change(me ? right : left, 1);"),
    # one fork is there twice: the initial state is not symmetric
    ("semctl(forks, i, SETVAL, 1)", "semctl(forks, i, SETVAL, i == 1 ? 2 : 1)"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_wrong_permutation_is_an_error_with_its_place(tmp_path: Path, number: int) -> None:
    path = variant(tmp_path, number, *WRONG[number])
    for search in ("dfs", "persistent", "dpor"):
        with pytest.raises(SourceError, match=r"variant\d\.c:\d+.*rotate is not a symmetry"):
            check_processes([path], ProcessOptions(search=search, permutation="rotate", all_errors=True))


DISPATCHER = EXAMPLES / "dispatcher_fork.c"


@pytest.mark.parametrize(("search", "alone", "declared"), [("dfs", 54, 9), ("persistent", 9, 2), ("dpor", 9, 2)])
def test_processes_objects_and_tosses_change_places_by_a_file(search: str, alone: int, declared: int) -> None:
    """Two requests to three servers: the second one goes to the same server, or to another one."""
    file = str(DISPATCHER.with_suffix(".permutations"))
    for options, executions in (({"symmetry": "none"}, alone), ({"permutation": file}, declared)):
        verdict = check_processes([DISPATCHER], ProcessOptions(search=search, **options))  # type: ignore[arg-type]
        assert (verdict.outcome, verdict.statistics.executions) == (Outcome.HOLDS, executions)


def test_swaps_of_two_philosophers() -> None:
    assert transitions(2, search="persistent", permutation="swap") == 9
    with pytest.raises(SourceError, match="swap of main and child 1 is not a symmetry"):
        transitions(3, permutation="swap")


BELLS = "(semaphore 0 of set 1, semaphore 1 of set 1)"
BAD_FILES = [
    ("(child 1, child 2", 1, "expected cycles in parentheses"),
    ("(child 1,, child 2) ( )", 21, "there is nothing in this cycle"),
    ("(child 1, child 9)", 11, "only processes can take the place of a process"),
    ("(child 1, child 2) (child 1, child 3)", 21, "child 1 is named twice"),
    ("(semaphore 7 of set 1, semaphore 0 of set 1)", 2, "there is no semaphore 7 of set 1"),
    ("(semaphore 0 of set 1, segment 0)", 24, "cannot take the place of another kind"),
    ("(4 bytes at 4094 of segment 0, 4 bytes at 0 of segment 0)", 2, "there is no 4 bytes at 4094"),
    ("(fork 0, fork 1)", 2, "'fork 0' is neither a process, nor an object, nor an outcome"),
    ("(toss many, toss 1)", 2, "'toss many' is no outcome of a toss"),
    ("(toss 0 of child 1, toss 1 of child 2)", 21, "child 1 becomes child 1, so its outcomes become those of child 1"),
]


@pytest.mark.parametrize(("text", "column", "message"), BAD_FILES)
def test_a_bad_line_of_permutations_has_its_place(tmp_path: Path, text: str, column: int, message: str) -> None:
    file = tmp_path / "permutations"
    file.write_text(f"# wrong\n{text}  # here\n")
    with pytest.raises(SourceError) as error:
        check_processes([DISPATCHER], ProcessOptions(permutation=str(file)))
    (told,) = error.value.diagnostics
    assert (told.location.file, told.location.line, told.location.column) == (str(file), 2, column)
    assert message in told.message


@pytest.mark.parametrize("text", [
    "(child 1, child 2) (toss 0, toss 1)",  # without the bells
    f"(child 1, child 2) {BELLS}",  # the dispatcher tosses as before
    f"(child 1, child 2) {BELLS} (toss 0, toss 2)",
    f"(child 1, child 2) {BELLS} (toss 0, toss 3)",  # there is no such outcome
    f"(main, child 1) {BELLS} (toss 0, toss 1)",
    "(1 byte at 0 of segment 0, 1 byte at 1 of segment 0)",
])  # fmt: skip
@pytest.mark.parametrize("search", ["dfs", "persistent", "dpor"])
def test_a_wrong_file_of_permutations_is_refused(tmp_path: Path, text: str, search: str) -> None:
    file = tmp_path / "permutations"
    file.write_text(text)
    with pytest.raises(SourceError, match=r"dispatcher_fork\.c:\d+.*permutations:1 is not a symmetry"):
        check_processes([DISPATCHER], ProcessOptions(search=search, permutation=str(file)))


def test_permutations_that_make_no_sense() -> None:
    with pytest.raises(UsageError, match="expected swap, rotate or a file"):
        ProcessOptions(permutation="swop")
    with pytest.raises(UsageError, match="go together"):
        ProcessOptions(permutation="rotate", symmetry="none")
    with pytest.raises(UsageError, match="does not use symmetry"):
        check("counter_race", search="pct", permutation="rotate")


# -------------------------------------------------------------------------------------------------- replay


def test_a_failure_runs_again_from_its_file_20_times() -> None:
    built = build([PROGRAMS / "counter_race.c"])
    (violation,) = check_built(built, "counter_race.c", ProcessOptions()).violations
    rows = [{"pid": s.pid, "statement": s.statement} for s in violation.trace.steps]
    document = {"host": violation.trace.host, "trace": rows}
    for _ in range(20):
        run = replay_built(built, "counter_race.c", document, violation.trace.choices)
        assert run.violation
        assert run.ending == "assertion: *counter == 2"
    with pytest.raises(UsageError, match="not a run"):
        replay_built(build([PROGRAMS / "counter_atomic.c"]), "counter_atomic.c", document, violation.trace.choices)


def test_the_command_line_checks_and_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, trace = str(EXAMPLES / "philosophers_fork.c"), str(tmp_path / "trace.json")
    assert main(["check", path, "--search", "persistent", "--permutation", "rotate", "--trace", trace]) == 1
    assert main(["replay", path, trace]) == 1
    assert "waits to take semaphore" in capsys.readouterr().out
    assert main(["check", str(PROGRAMS / "counter_atomic.c")]) == 0
    both = tmp_path / "both.c"
    both.write_text(
        "#include <pthread.h>\n#include <unistd.h>\nint main(void) { fork(); pthread_create(0, 0, 0, 0); }\n"
    )
    assert main(["check", str(both)]) == 2
    assert "processes with several threads are not supported" in capsys.readouterr().err


def test_the_trace_has_lines_values_and_output() -> None:
    (violation,) = check("counter_race").violations
    step = next(s for s in violation.trace.steps if s.process == "child 2" and s.statement == "*counter += 1;")
    assert step.location.line == 14
    assert step.changes[0][1] == (None, "is 0")
    (violation,) = check_built(philosophers(2), "p.c", ProcessOptions()).violations
    assert "philosopher 0 thinks" in violation.trace.steps[0].output
    assert "main waits to take semaphore 0 of set 0 (line 18)" in violation.message


# -------------------------------------------------------------------------------------------------- refusals


def program(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "program.c"
    headers = ("signal.h", "stdio.h", "stdlib.h", "sys/socket.h", "sys/wait.h", "time.h", "unistd.h")
    heads = "".join(f"#include <{h}>\n" for h in headers)
    path.write_text(
        f"{heads}static void handler(int s) {{ (void)s; }}\nint main(int count, char **arguments) {{\n{body}\n}}\n"
    )
    return path


OUTSIDE = [
    ("signal(SIGTERM, handler); fork();", "signal handlers"),
    ("fork(); fopen(\"/tmp/x\", \"w\");", "fopen of a file for writing"),
    ("fopen(\"/etc/passwd\", \"r\"); fork();", "fork while a file is open"),
    ("fork(); execlp(\"true\", \"true\", NULL);", "execlp"),
    ("fork(); socket(1, 1, 0);", "socket"),
    ("int e[2]; pipe(e); fdopen(e[0], \"r\"); fork();", "fdopen of a pipe"),
    ("int e[2]; pipe(e); dup2(e[0], 0); fork();", "dup2 of a pipe"),
    ("while (1) fork();", "more than 64 processes"),
]  # fmt: skip


def test_what_cannot_be_controlled_is_said(tmp_path: Path) -> None:
    cases = "\n".join(f"case {i}: {{ {body} break; }}" for i, (body, _) in enumerate(OUTSIDE))
    built = build([program(tmp_path, f"switch (atoi(arguments[count - 1])) {{\n{cases}\n}}")])
    for i, (_, what) in enumerate(OUTSIDE):
        verdict = check_built(built, "program.c", ProcessOptions(arguments=(str(i),)))
        assert verdict.outcome is Outcome.INCOMPLETE
        assert what in verdict.reason
        assert "program.c:" in verdict.reason or "processes" in what


def test_time_and_process_numbers_are_the_same_in_each_run(tmp_path: Path) -> None:
    body = """
    (void)handler, (void)count, (void)arguments;
    srand(time(NULL) + getpid());
    if (rand() % 2) sleep(1000);
    fork();
    printf("%d", getpid());
    abort();"""
    path = program(tmp_path, body)
    first, second = (check_processes([path], ProcessOptions()).violations[0] for _ in range(2))
    assert first.trace.steps == second.trace.steps
    assert first.kind == "crash"


# -------------------------------------------------------------------------------------------------- random programs


def scripts(seed: int, letters: str, most: int) -> list[str]:
    chance = random.Random(seed)
    count = chance.randint(2, 3)
    found = ["".join(chance.choices(letters, k=chance.randint(1, most))) for _ in range(count)]
    return [("|" if {*"pq"} & {*"".join(found)} else "") + found[0].replace("e", "f"), *found[1:]]


def explored(built: ForkingProgram, arguments: list[str], search: str, symmetry: str, most: int = 3000) -> SearchResult:
    return explored_with_races(built, arguments, search, symmetry, most)[0]


def explored_with_races(
    built: ForkingProgram, arguments: list[str], search: str, symmetry: str, most: int = 3000
) -> tuple[SearchResult, bool]:
    process_program = ProcessProgram(built, arguments)
    if search == "dfs" and symmetry == "none":
        process_program.joins.most = 0  # nothing is taken together
    options = ProcessOptions(search=search, symmetry=symmetry, all_errors=True, max_executions=most)
    try:
        host = ProcessHost(process_program, "p.c", options)
        result = road.search_until_known(host, search, road.question(host))
        return result, process_program.races.first is not None
    finally:
        process_program.close()


def kinds(result: SearchResult) -> set[tuple[str, int]]:
    """Of deadlocks only that there is one: which one is a matter of order."""
    return {(f.found.kind, 0 if f.found.kind == "deadlock" else f.found.location.line) for f in result.findings}


LETTERS = ["0123rw", "01234rRwWaA", "scCaArwiA", "rRwWiaAx", "x+-taAsC", "0235rwae", "pqaAtrw", "rwitefa", "ttefffaAe"]


def compare(built: ForkingProgram, seed: int, most: int) -> Iterator[str]:
    arguments = scripts(seed, LETTERS[seed % len(LETTERS)], 4)
    plain, races = explored_with_races(built, arguments, "dfs", "none", most)
    if plain.incomplete:
        return
    yield "races" if races else "does not race"
    for search, symmetry in SEARCHES[1:]:
        result, told = explored_with_races(built, arguments, search, symmetry)
        assert told == races or plain.findings, (arguments, search, symmetry)  # a failure ends what comes after it
        assert not result.incomplete
        assert kinds(result) == kinds(plain), (arguments, search, symmetry)
        assert result.executions <= plain.executions, (arguments, search, symmetry)


def test_random_programs_by_every_search() -> None:
    built = build([PROGRAMS / "script.c"])
    compared = [word for seed in range(12) for word in compare(built, seed, 250)]
    assert len(compared) > 6
    assert {*compared} == {"races", "does not race"}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 3000, 200))
def test_many_random_programs_by_every_search(first: int) -> None:
    built = build([PROGRAMS / "script.c"])
    assert len([1 for seed in range(first, first + 200) for _ in compare(built, seed, 3000)]) > 100


def identical(seed: int) -> list[str]:
    chance = random.Random(seed)
    letters = LETTERS[seed % 6].replace("e", "")
    return [".", *["".join(chance.choices(letters, k=chance.randint(1, 3)))] * chance.randint(2, 3)]


@pytest.mark.parametrize("seed", range(3))
def test_identical_processes_need_fewer_executions(seed: int) -> None:
    built = build([PROGRAMS / "script.c"])
    arguments = identical(seed)
    plain, symmetric = (explored(built, ["", *arguments[1:]], "dpor", s) for s in ("none", "discovered"))
    assert kinds(plain) == kinds(symmetric)
    assert symmetric.executions <= plain.executions


def test_a_program_that_does_not_compile_or_has_no_main(tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("int main(void) { return x; }\n")
    with pytest.raises(IsospinError, match=r"bad\.c:1:25"):
        check_processes([tmp_path / "bad.c"], ProcessOptions())
