"""`isospin paper`: tables are measured, not written down; what was cut says so; a wrong count is noticed."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from isospin import cli
from isospin.experiments import TABLES, plot, run, show
from isospin.experiments import table as tables
from isospin.experiments.saved import SavedRows
from isospin.experiments.table import AT_MOST, EQUAL, Measured, Table, TableRun

NAMES = [t.name for t in TABLES]


def small(value: int, paper: float = 494, complete: bool = True) -> Table:
    def measure(limit: float) -> Measured:
        return Measured(value, 0.25, complete, "" if complete else f"stopped after {limit:.0f} s")

    first = TableRun("3", "a", paper, 0.5, measure, rule=EQUAL)
    long = TableRun("4", "a", 1.56e6, 2.0, measure, full=True, rule=EQUAL)
    rows = (first, long, TableRun("3", "b", None, 7.0))
    return Table("small", "A small table", "nobody", "states", "no note", rows, alone=True)


def quiet(text: str) -> None: ...


def test_the_tables_of_the_papers_are_there() -> None:
    assert {"peterson", "email", "list", "btree", "verisoft", "red-sizes", "red-mcs", "red-cycle"} <= set(NAMES)
    assert len(set(NAMES)) == len(NAMES)
    for table in TABLES:
        cells = [(r.size, r.method) for r in table.runs]
        assert len(set(cells)) == len(cells), table.name


def test_small_rows_are_equal_to_the_papers(capsys: pytest.CaptureFixture[str]) -> None:
    """Real runs, by the interpreter and the searches that need no compiler."""
    found = {t.name: t for t in TABLES}
    for name, sizes in (("verisoft", {"2", "3"}), ("red-sizes", {"mcs", "leader", "cycle"})):
        for one in found[name].runs:
            if one.size in sizes and one.method not in ("SL+PO", "SL+PO+SYM"):
                assert run.TableCell(one, run.one(one, 30.0)).agrees is True, (name, one.size, one.method)
    fewer = [r for r in found["verisoft"].runs if r.method.startswith("SL+PO") and r.size in ("2", "3", "4")]
    for one in fewer:
        measured = run.one(one, 30.0)
        assert measured is not None
        assert measured.value is not None
        assert one.paper is not None
        assert measured.value <= one.paper


@pytest.mark.slow
def test_peterson_is_equal_to_the_paper() -> None:
    (table,) = run.tables_named(["peterson"])
    for one in table.runs:
        if int(one.size) <= 6 and not one.full:
            assert run.TableCell(one, run.one(one, 60.0)).agrees in (True, None), (one.size, one.method)


def test_a_search_that_is_cut_has_only_a_lower_bound() -> None:
    model = "int x; active proctype p() { do :: x < 1000000 -> x++ od }"
    found = tables.states(lambda: model, {"engine": "interp"})(0.2)
    assert not found.complete
    assert "--max-time" in found.note
    cell = run.TableCell(TableRun("1", "a", 5), found)
    assert cell.agrees is None
    assert show.ours(cell).startswith("> ")


def test_long_rows_are_left_out_and_said_to_be() -> None:
    result = run.measure(small(494), False, None, quiet)
    assert [c.ours is None for c in result.cells] == [False, True, True]
    assert [show.note(c) for c in result.cells] == ["equal", "only with --full", ""]
    full = run.measure(small(1_557_370), True, None, quiet)
    assert [c.agrees for c in full.cells] == [False, True, None]


def test_a_count_that_must_be_equal_and_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for value, status in ((494, 0), (495, 1)):
        monkeypatch.setattr(run, "TABLES", (small(value),))
        assert cli.main(["paper", "small"]) == status
    assert "differs: small 3 a" in capsys.readouterr().out
    monkeypatch.setattr(run, "TABLES", (small(494, complete=False),))
    assert cli.main(["paper", "small"]) == 3, "it must be equal, and is not known"
    assert "not found: small 3 a" in capsys.readouterr().out


@pytest.mark.parametrize(("method", "change", "status"), [
    ("State Space", 0, 0), ("State Space", 1, 1), ("State Space", -1, 1),
    ("SL+PO", 0, 0), ("SL+PO", 1, 0), ("SL+PO", -1, 1),
])  # fmt: skip
def test_one_count_is_changed_on_purpose(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], method: str, change: int, status: int
) -> None:
    """Real rows; the paper's figure is what it is not."""
    table = next(t for t in TABLES if t.name == "verisoft")
    rows = [r for r in table.runs if r.size == "2" and r.method in ("State Space", "SL+PO")]
    spoilt = [replace(r, paper=(r.paper or 0) + change) if r.method == method else r for r in rows]
    monkeypatch.setattr(run, "TABLES", (replace(table, runs=tuple(spoilt), alone=True),))
    assert cli.main(["paper", "verisoft"]) == status


def test_every_count_of_a_paper_that_must_be_something_is_guarded() -> None:
    rules = {t.name: {r.rule for r in t.runs if r.paper is not None} for t in TABLES}
    for name in ("peterson", "red-sizes"):
        assert rules[name] == {EQUAL}
    for name in ("verisoft", "verisoft-c", "traces"):
        assert rules[name] == {EQUAL, AT_MOST}


def test_results_are_kept_as_they_come(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = str(tmp_path / "paper.jsonl")
    monkeypatch.setattr(run, "TABLES", (small(494),))
    assert cli.main(["paper", "small", "--save", file]) == 0
    monkeypatch.setattr(run, "TABLES", (small(495),))  # would be wrong, if it were measured
    assert cli.main(["paper", "small", "--save", file]) == 0
    with Path(file).open("a") as torn:
        torn.write('{"version": "1", "tab')
    assert cli.main(["paper", "small", "--save", file]) == 0
    table, row = small(494), small(494).runs[0]
    kept = SavedRows(file, "another version")
    assert kept.get(table, row, 1.0) is None
    kept.add(table, row, 10.0, Measured(7, 1.0, False, "time limit"))
    again = SavedRows(file, "another version")
    assert again.get(table, row, 10.0) == Measured(7, 1.0, False, "time limit")
    assert again.get(table, row, 20.0) is None, "now it has more time"
    assert cli.main(["paper", "small", "--save", str(tmp_path / "no" / "file")]) == 2


def test_the_limit_is_one_of_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that the clock has cut, and that did nothing meanwhile, gets more of the clock."""
    given: list[float] = []

    def measure(limit: float) -> Measured:
        given.append(limit)
        return Measured(1, 0.0, len(given) > 2, "time limit: cut")

    found = run.one(TableRun("1", "a", None, None, measure), 30.0)
    assert found is not None
    assert found.complete
    assert len(given) == 3
    assert given == sorted(given)


def test_rows_in_several_processes() -> None:
    sizes = next(t for t in TABLES if t.name == "red-sizes")
    told: list[str] = []
    result = run.measure(sizes, False, None, told.append)
    assert told[-1] == "red-sizes: 36 of 36 rows"
    assert all(c.ours is not None and c.ours.value for c in result.cells if c.run.paper)


def test_a_row_that_fails_does_not_end_the_table() -> None:
    wrong = tables.states(lambda: "active proctype p() { x = 1 }", {})
    measured = run.one(TableRun("1", "a", None, None, wrong), 1.0)
    assert measured is not None
    assert not measured.complete
    assert "x" in measured.note


@pytest.mark.slow  # the first use of matplotlib looks for all fonts
def test_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(run, "TABLES", (small(494),))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["paper", "all", "--full", "--csv", "tables", "--plots", "plots"]) == 1  # 494 is not 1.56e6
    page = (tmp_path / "paper.html").read_text()
    assert "<svg" in page
    assert "A small table" in page
    assert "http://" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )
    with (tmp_path / "tables" / "small.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["size"], r["method"], r["ours"], r["paper_seconds"]) for r in rows] == [
        ("3", "a", "494", "0.5"), ("4", "a", "494", "2.0"), ("3", "b", "", "7.0"),
    ]  # fmt: skip
    assert (tmp_path / "plots" / "small-states.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "plots" / "small-seconds.svg").read_text()


def test_without_matplotlib(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "TABLES", (small(494),))
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    assert cli.main(["paper", "small", "--plots", str(tmp_path)]) == 2
    assert "isospin[paper]" in capsys.readouterr().err
    assert cli.main(["paper", "small", "--out", str(tmp_path / "page.html")]) == 0
    assert "There are no plots" in (tmp_path / "page.html").read_text()


def test_what_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["paper", "nothing"]) == 2
    assert "available: all, peterson" in capsys.readouterr().err
    assert cli.main(["paper"]) == 0
    listed = capsys.readouterr().out
    assert [name for name in NAMES if name not in listed] == []
    assert [t.name for t in run.tables_named(["red"])] == [n for n in NAMES if n.startswith("red-")]
    with pytest.raises(SystemExit):
        cli.main(["paper", "--max-time", "0"])


def test_examples_are_found_in_an_installed_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A wheel has them inside the package."""
    (tmp_path / "isospin" / "examples" / "heap").mkdir(parents=True)
    (tmp_path / "isospin" / "examples" / "heap" / "btree.pml").write_text("")
    monkeypatch.setattr(tables, "PACKAGE", tmp_path / "isospin")
    assert tables.example("heap/btree.pml") == tmp_path / "isospin" / "examples" / "heap" / "btree.pml"
    with pytest.raises(Exception, match="is not here"):
        tables.example("heap/nothing.pml")


def test_pan_is_read() -> None:
    from isospin.experiments.own import pan_report

    assert pan_report("  38 states, stored\n", 1.0) == Measured(38, 1.0)
    assert pan_report("error: max search depth too small\n 38 states, stored", 1.0).complete is False
