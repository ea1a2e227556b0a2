"""C programs: verdicts, findings and their replay, reports, what cannot be controlled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isospin import UsageError, Verdict, check
from isospin.cli import main
from isospin.core.verdict import Outcome
from isospin.engines.stateless.protocol import Step
from isospin.engines.stateless.shorten import switches
from isospin.hosts.c.telling.explain import FAILS
from isospin.pipeline.programs.c import check_files as check_c_program
from isospin.pipeline.programs.c import replay_trace as replay_c_program
from isospin.pipeline.settings import CProgramOptions
from isospin.report.document import read_choices, trace_document
from tests.support import paths
from tests.support.expectations import expectation

CORPUS = sorted((paths.PROGRAMS / "c").glob("*.c*"))
EXAMPLES = paths.EXAMPLES / "c"
SMALL = [*CORPUS, *(EXAMPLES / name for name in ("bank.c", "philosophers.c", "queue.cpp"))]
WRONG = [path for path in SMALL if expectation(path).outcome == "violated"]
CLANG = {"compiler": "clang"}
FLAGS = {
    "--leaks": ("leaks", True), "--all-errors": ("all_errors", True), "--spurious": ("spurious", True),
    "--max-step=1": ("max_step", 1.0),
}  # fmt: skip

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def options_of(path: Path) -> dict[str, Any]:
    return dict(FLAGS[option] for option in expectation(path).options)


def found(verdict: Verdict) -> tuple[str, list[str]]:
    return verdict.outcome.value, [v.kind for v in verdict.violations]


def checked(tmp_path: Path, text: str, name: str = "prog.c", **options: Any) -> Verdict:
    file = tmp_path / name
    file.write_text(text)
    return check(file, **options)


def slow(*values: Any) -> Any:
    return pytest.param(*values, marks=[pytest.mark.slow])


# -------------------------------------------------------------------------------------------------- verdicts


@pytest.mark.slow
@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_every_finding_comes_again_twenty_times(path: Path) -> None:
    verdict = check(path, **options_of(path))
    (violation,) = verdict.violations
    document = json.loads(json.dumps(trace_document(violation, str(path), (), "0")))
    choices = read_choices(document)[0]
    endings = {replay_c_program(str(path), document, choices).ending for _ in range(20)}
    assert len(endings) == 1
    assert endings.pop().startswith(violation.kind)


@pytest.mark.slow
@pytest.mark.parametrize("path", SMALL, ids=lambda p: p.stem)
@pytest.mark.parametrize("how", [{"symmetry": "none"}, {"fork": True}, {"search": "optimal"}, CLANG], ids=str)
def test_other_ways_come_to_the_same(path: Path, how: dict[str, Any]) -> None:
    if how == CLANG and shutil.which("clang") is None:
        pytest.skip("clang is not installed")
    wanted = expectation(path)
    assert found(check(path, **options_of(path), **how)) == (wanted.outcome, list(wanted.kinds))


def test_there_are_enough_programs_of_both_kinds() -> None:
    kinds = [kind for path in CORPUS for kind in expectation(path).kinds]
    assert len(CORPUS) >= 40
    assert len(CORPUS) * 0.4 < len(kinds) < len(CORPUS) * 0.7
    assert {"race", "deadlock", "assertion", "lost-wakeup", "use-after-free", "double-free", "leak", "crash",
            "divergence", "lock-misuse", "exception"} == set(kinds)  # fmt: skip


# -------------------------------------------------------------------------------------------------- reports


def corpus(name: str, **options: Any) -> Verdict:
    return check(paths.PROGRAMS / "c" / name, **options)


def test_a_failure_is_shown_with_lines_values_and_few_switches() -> None:
    (violation,) = check(EXAMPLES / "bank.c").violations
    rows = violation.trace.steps
    assert violation.location.line == 26
    assert rows[-1].statement == "assert(balance >= 0);"
    changes = [change for row in rows for change in row.changes if change[0] == "balance"]
    assert changes == [("balance", ("100", "40")), ("balance", ("40", "-20"))]
    steps = [Step(row.pid) for row in rows if row.choice.action != FAILS]
    assert switches(steps) == 3
    assert any(line.strip().startswith("take(amount = 60)") for line in violation.details)


def test_a_race_has_two_stacks() -> None:
    (violation,) = corpus("half_locked.c").violations
    text = "\n".join(violation.details)
    assert "total, and nothing orders the two" in violation.message
    assert "careful(unused = NULL)" in text
    assert "careless(unused = NULL)" in text
    lines = {row.location.line for row in violation.trace.steps if row.pid}
    assert {10, 16} <= lines  # both accesses are steps of their own


def test_a_deadlock_names_locks_owners_places_and_the_cycle() -> None:
    (violation,) = corpus("ab_ba.c").violations
    assert "one 1 waits for b, held by two 2; two 2 waits for a, held by one 1" in violation.message
    assert violation.details[0] == "who waits for whom: one 1 → two 2 → one 1"
    assert any("ab_ba.c:9:" in line for line in violation.details)


def test_parts_of_variables_have_names(tmp_path: Path) -> None:
    text = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
static struct { int low; struct node *nodes[2]; } table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    table.nodes[1]->next->value += 5;
    table.low = 3;
    assert(table.nodes[1]->next->value == 5);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t a, b;
    table.nodes[1] = calloc(1, sizeof(struct node));
    table.nodes[1]->next = calloc(1, sizeof(struct node));
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}"""
    (violation,) = checked(tmp_path, text).violations
    changes = dict(change for row in violation.trace.steps for change in row.changes)
    assert changes["table.low"] == ("0", "3")
    assert changes["table.nodes[1]->next->value"] == ("5", "10")


# -------------------------------------------------------------------------------------------------- the command


def test_the_command_saves_and_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, trace = str(paths.PROGRAMS / "c" / "missed_signal.c"), str(tmp_path / "trace.json")
    assert main(["check", file, "--json", "--trace", trace]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["outcome"], document["engine"], document["search"]) == ("violated", "stateless", "dpor")
    assert document["executions"] >= 1
    assert document["violations"][0]["kind"] == "lost-wakeup"
    assert main(["replay", file, trace]) == 1
    said = "lost-wakeup: main waits for the end of waiter 1; waiter 1 waits to be signalled by ready"
    assert said in capsys.readouterr().out


def test_what_is_printed_is_shown_only_in_the_trace(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "prog.c"
    file.write_text('#include <assert.h>\n#include <stdio.h>\nint main(void) { puts("hello"); assert(0); }')
    assert main(["check", str(file)]) == 1
    shown = capfd.readouterr()
    assert "prints 'hello'" in shown.out
    assert shown.out.count("hello") == 2  # the statement, and what it printed


def test_several_files_flags_and_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(
        "#include <assert.h>\n#include <stdlib.h>\nint limit(void);\n"
        "int main(int n, char **words) { assert(atoi(words[1]) < limit()); return n - 2; }"
    )
    (tmp_path / "b.c").write_text("int limit(void) { return LIMIT; }")
    files = [str(tmp_path / "a.c"), str(tmp_path / "b.c")]
    assert main(["check", *files, "--cflags", "-DLIMIT=5", "--", "4"]) == 0
    assert "covered: all interleavings" in capsys.readouterr().out
    assert main(["check", *files, "-D", "LIMIT=5", "--", "6"]) == 1


def test_errors_are_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "prog.c"
    file.write_text("int main(void) {\n    return nothing;\n}\n")
    assert main(["check", str(file)]) == 2
    assert "prog.c:2:12: error: 'nothing' undeclared" in capsys.readouterr().err.replace("‘", "'").replace("’", "'")
    file.write_text("int main(void) { return 0; }")
    for words, message in [
        (["--ltl", "x"], "--ltl is for Promela models (.pml .prom .promela .p), not for C programs"),
        (["--symmetry", "declared"], "available for C programs: auto, none, discovered"),
        (["--search", "pct", "--symmetry", "discovered"], "does not use symmetry in C programs"),
        (["--search", "pct", "--fork"], "--fork is for --search dpor"),
    ]:
        assert main(["check", str(file), *words]) == 2
        assert message in capsys.readouterr().err
    assert main(["check", str(EXAMPLES.parent / "peterson.pml"), "--fork"]) == 2
    assert "--fork is for C programs" in capsys.readouterr().err
    with pytest.raises(UsageError, match="there is no option ltl for C programs"):
        check(file, ltl="x")


def test_bounds_leave_the_verdict_open() -> None:
    verdict = corpus("ab_ab.c", symmetry="none", max_executions=2)
    assert (verdict.outcome.value, verdict.reason) == ("incomplete", "stopped after 2 executions (--max-executions)")
    assert corpus("ab_ab.c", search="random", max_executions=3).outcome.value == "incomplete"


def test_races_that_are_only_noted() -> None:
    verdict = corpus("lost_update.c", races=False)
    assert found(verdict) == ("violated", ["exception"])  # what the race leads to: its status is not 0
    assert any("data race" in warning.message and warning.location.line == 8 for warning in verdict.warnings)


@pytest.mark.parametrize("search", ["dpor", "optimal", slow("random"), slow("pct")])
def test_a_failure_by_a_race_comes_again(tmp_path: Path, search: str) -> None:
    """Bytes that were learnt to be visible are so in the replay."""
    text = (paths.PROGRAMS / "c" / "lost_update.c").read_text()
    text = "#include <assert.h>\n" + text.replace("return counter == 2 ? 0 : 1;", "assert(counter == 2);")
    verdict = checked(tmp_path, text, races=False, search=search, max_executions=300)
    assert found(verdict) == ("violated", ["assertion"])


def test_all_errors_are_different(tmp_path: Path) -> None:
    text = """#include <assert.h>
#include <isospin.h>
int main(void) {
    switch (isospin_toss(2)) {
    case 0: assert(0 && "first");
    case 1: assert(0 && "second");
    }
}"""
    verdict = checked(tmp_path, text, all_errors=True)
    assert sorted(v.location.line for v in verdict.violations) == [5, 6]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_gdb_stops_where_it_fails(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    assert main(["check", str(EXAMPLES / "bank.c"), "--quiet", "--trace", str(trace)]) == 1
    command = [sys.executable, "-m", "isospin", "replay", str(EXAMPLES / "bank.c"), str(trace), "--gdb"]
    environment = {**os.environ, "PYTHONPATH": str(paths.ROOT / "src")}
    done = subprocess.run(command, input="quit\n", capture_output=True, text=True, env=environment, check=False)
    assert "take (amount=60)" in done.stdout
    assert "customer (unused=0x0)" in done.stdout


def test_a_program_with_a_makefile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(paths.PROGRAMS / "c" / "ab_ba.c", tmp_path / "main.c")
    Path("Makefile").write_text("prog: main.o\n\t$(CC) -o $@ main.o -pthread\n")
    verdict = check_c_program(["prog"], CProgramOptions(build="make -s"))
    assert found(verdict) == ("violated", ["deadlock"])
    assert verdict.violations[0].location.file == "main.c"
    with pytest.raises(UsageError, match="the build failed"):
        check_c_program(["prog"], CProgramOptions(build="make -s nothing"))
    with pytest.raises(UsageError, match="one file"):
        check_c_program(["prog", "more"], CProgramOptions(build="make -s"))


# -------------------------------------------------------------------------------------------------- state outside


def with_threads(head: str, work: str, after: str, before: str = "") -> str:
    """Two threads that do the same under a lock."""
    return f"""#include <assert.h>
#include <pthread.h>
{head}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {{
    pthread_mutex_lock(&lock);
    {work}
    pthread_mutex_unlock(&lock);
    return unused;
}}
int main(void) {{
    pthread_t a, b;
    {before}
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    {after}
}}
"""


@pytest.mark.parametrize("options", [{}, slow({"symmetry": "none"}), slow({"fork": True})])
def test_random_numbers_are_the_same_in_each_execution(tmp_path: Path, options: dict[str, Any]) -> None:
    head = "#include <stdlib.h>\nstatic long total, last;"
    before = "srand(7); long first = rand(), second = rand(); srand(7);"
    work = "last = rand(); total += last;"
    right = with_threads(head, work, "assert(total == first + second && last == second);", before)
    assert found(checked(tmp_path, right, **options)) == ("holds", [])
    between = "pthread_mutex_lock(&lock); last = rand(); pthread_mutex_unlock(&lock); pthread_create(&b"
    wrong = right.replace("pthread_create(&b", between)
    assert found(checked(tmp_path, wrong, **options)) == ("violated", ["assertion"])


@pytest.mark.parametrize("mode", [slow("w"), "a"])
@pytest.mark.parametrize("fork", [False, slow(True)])
def test_files_that_are_written_are_as_before_in_each_execution(tmp_path: Path, mode: str, fork: bool) -> None:
    path = tmp_path / "log.txt"
    head = f"""#include <stdio.h>
static int lines(void) {{
    FILE *file = fopen("{path}", "r");
    int count = 0, c;
    while (file && (c = fgetc(file)) != EOF)
        count += c == '\\n';
    if (file)
        fclose(file);
    return count;
}}"""
    work = f'FILE *file = fopen("{path}", "a"); fprintf(file, "line\\n"); fclose(file);'
    before = f'fclose(fopen("{path}", "{mode}"));'
    text = with_threads(head, work, "assert(lines() == 2);", before)
    assert found(checked(tmp_path, text, symmetry="none", fork=fork)) == ("holds", [])
    wrong = with_threads(head, "if (lines() < 2) { " + work + " }", "assert(lines() == 1);", before)
    assert found(checked(tmp_path, wrong, symmetry="none", fork=fork)) == ("violated", ["assertion"])


@pytest.mark.slow
def test_eight_megabytes_of_data(tmp_path: Path) -> None:
    head = "static char data[8 << 20] = {1};\nstatic int next;"
    work = "data[next] = 5; next += 1 << 20; data[(8 << 20) - 1]++;"
    right = with_threads(head, work, "assert(data[0] == 5 && data[1 << 20] == 5 && data[(8 << 20) - 1] == 2);")
    verdict = checked(tmp_path, right, symmetry="none")
    assert (found(verdict), verdict.statistics.executions) == (("holds", []), 2)
    wrong = right.replace("== 2);", "== 1);")
    assert found(checked(tmp_path, wrong)) == ("violated", ["assertion"])


def test_what_is_not_controlled_leaves_the_verdict_open(tmp_path: Path) -> None:
    text = """#include <sys/socket.h>
int main(void) { socket(AF_INET, SOCK_STREAM, 0); return 0; }"""
    verdict = checked(tmp_path, text)
    assert verdict.outcome.value == "incomplete"
    assert "socket" in verdict.reason


# -------------------------------------------------------------------------------------------------- larger programs


def arguments(name: str, threads: int, place: Path, count: int = 1) -> tuple[str, ...]:
    files = [place / file for file in ("a", "b", "c")[:count]]
    for file in files:
        file.write_text(f"hay needle hay\n{file.name} needle\n")
    given = ("needle", *map(str, files)) if name == "scanner" else (str(files[0]), str(place / "target"))
    return (str(threads), *given)


@pytest.mark.parametrize(("name", "flag", "kind"), [
    ("scanner", "RIGHT", ""), slow("scanner", "BUGGY_RACE", "race"), ("scanner", "BUGGY_DEADLOCK", "deadlock"),
    slow("scanner", "BUGGY_CLOSE", "lost-wakeup"), ("downloader", "RIGHT", ""), ("downloader", "BUGGY_SPLIT", "race"),
    slow("downloader", "BUGGY_DEADLOCK", "deadlock"), slow("downloader", "BUGGY_RACE", "race"),
])  # fmt: skip
def test_scanner_and_downloader(name: str, flag: str, kind: str, tmp_path: Path) -> None:
    words = arguments(name, 2, tmp_path, count=2 if flag == "BUGGY_RACE" else 1)
    verdict = check(EXAMPLES / f"{name}.c", cflags=(f"-D{flag}",), arguments=words)
    assert found(verdict) == (("violated", [kind]) if kind else ("holds", []))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "threads", "executions", "saves"), [
    ("scanner", 3, 2700, 10), ("downloader", 4, 2520, 2),
])  # fmt: skip
def test_symmetry_saves_most_executions(name: str, threads: int, executions: int, saves: int, tmp_path: Path) -> None:
    """Four workers of the downloader take a lock twice each: 8! / 2^4 orders."""
    words = arguments(name, threads, tmp_path)
    plain, symmetric = (check(EXAMPLES / f"{name}.c", arguments=words, symmetry=s) for s in ("none", "auto"))
    assert plain.outcome is symmetric.outcome is Outcome.HOLDS
    assert plain.statistics.executions == executions
    assert saves * (symmetric.statistics.executions or 0) <= executions


@pytest.mark.parametrize(("workers", "line"), [("2c", "pthread_mutex_lock(&totals);"), ("2m", "")])
def test_symmetry_says_what_tells_threads_apart_later(
    workers: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are alike at first; who counts its names is not like one with another count, where both come to a lock."""
    assert main(["symmetry", str(paths.PROGRAMS / "c" / "scanners.c"), "--", workers, "needle"]) == 0
    said = capsys.readouterr().out
    assert "group of order 2" in said
    assert ("threads that have come here are not alike: the numbers that they have" in said) == bool(line)
    assert line in said


def test_a_line_of_a_hundred_statements_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "prog.c"
    line = " ".join(f"x[{i}] = {i};" for i in range(100))
    file.write_text(f"#include <assert.h>\nint x[100];\nint main(void) {{ {line} assert(x[5] == 6); }}\n")
    assert main(["check", str(file)]) == 1
    said = capsys.readouterr().out
    assert "…" in said
    assert said.count("\n") < 30


def test_no_time_outs_at_all() -> None:
    verdict = corpus("semaphore_timed.c", time_outs=0)
    assert (verdict.outcome.value, "--time-outs" in verdict.reason) == ("incomplete", True)
