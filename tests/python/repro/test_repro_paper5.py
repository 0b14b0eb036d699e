# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 5: its published values are complete and agree with each other, its experiments make runs
that can be started, and some of them run."""

import pytest

from repro_shared import check_runs, experiments, reproduce, runs
from xomp.repro import published
from xomp.repro.experiments.p5_speedup import deviation
from xomp.repro.experiments.p5_steals import difference
from xomp.shared import apps

FIGURES = [f"fig{number}" for number in range(1, 11)]
TABLES = [f"table{number}" for number in range(2, 7)]  # Table 1 has no runs


@pytest.mark.parametrize("item", [*FIGURES, *TABLES])
def test_everything_is_transcribed_with_its_place(item):
    told = published.load(5, item)
    assert told is not None
    assert told.rows
    assert "section 4" in told.source
    if told.numbers == "table":
        assert all(isinstance(value, int | float | str) for row in told.rows for value in row)
    else:
        assert all("section 4" in where or "Fig." in where for where in told.column("where"))


@pytest.mark.parametrize(
    ("figure", "row", "program"),
    [
        ("fig1", "MTS speedup on 32 cores", "Health"),
        ("fig2", "MTS speedup", "Sort"),
        ("fig9", "MTS speedup", "Strassen"),
    ],
)
def test_the_speedups_of_the_text_are_those_of_the_times(figure, row, program):
    times = published.load(5, "table2")
    serial = times.value("GCC -O2 Serial", program)
    parallel = times.value("Qthreads MTS 32 workers", program)
    assert published.load(5, figure).value(row) == pytest.approx(serial / parallel, abs=0.06)


@pytest.mark.parametrize("item", ["table5", "table6"])
def test_the_differences_are_in_percent_of_the_sum(item):
    for row in published.load(5, item).rows:
        assert float(difference(row[1], row[2])) == pytest.approx(row[3], abs=0.5)


def test_variability_names_what_was_not_measured():
    told = published.load(5, "table3")
    assert told.value("GCC 32 threads", "SparseLU (for)") == "N/A"
    numbers = [value for row in told.rows for value in row[1:-1] if value != "N/A"]
    assert len(numbers) == 4 * 9 - 1
    assert all(0 < number < 10 for number in numbers)


def test_work_stealing_steals_more_often_than_shepherds_do_but_for_one_program():
    told = published.load(5, "table4")
    assert len(told.rows) == 9
    fewer = [row[0] for row in told.rows if row[3] < row[1]]
    assert fewer == ["Fib"]


def test_deviation_is_that_of_the_sample_in_percent_of_the_fastest():
    assert deviation([2.0, 2.0, 2.0]) == 0
    assert deviation([1.0, 3.0]) == pytest.approx(141.42, abs=0.01)
    assert deviation([1.0]) is None


@pytest.mark.parametrize("size", ["test", "paper"])
@pytest.mark.parametrize("item", [*FIGURES, *TABLES])
def test_runs_can_be_started(library, item, size):
    experiment = experiments(5)[item]
    found = runs(experiment, size)
    check_runs(found)
    assert {run.app for run in found} == set(experiment.needs.apps) & set(apps.discover())


def test_a_figure_runs_on_both_runtimes(library, capsys, tmp_path):
    result = reproduce(
        capsys, tmp_path, "p5-fig3", "--runtimes", "GCC,xomp", "--threads", "1,2", "--rounds", "2"
    )
    (table,) = result["tables"]
    assert [row[0] for row in table["rows"]] == ["GCC", "xomp"]
    assert all("[" in cell for row in table["rows"] for cell in row[1:])
    assert (tmp_path / "plot.png").stat().st_size > 1000


def test_variability_runs_on_both_runtimes(library, capsys, tmp_path):
    result = reproduce(
        capsys, tmp_path, "p5-table3", "--runtimes", "GCC,xomp", "--threads", "2", "--rounds", "2"
    )
    (table,) = result["tables"]
    cells = {row[0]: dict(zip(table["header"], row, strict=True)) for row in table["rows"]}
    assert cells["GCC"]["Fib"].endswith("(2.8)")
    assert float(cells["xomp"]["Fib"].split()[0]) >= 0


def test_the_schedulers_of_table_1_have_a_stand_in_each(library, capsys, tmp_path):
    (table,) = reproduce(capsys, tmp_path, "p5-table1")["tables"]
    assert [row[0] for row in table["rows"]] == [row[0] for row in published.load(5, "table1").rows]
    here = {row[0]: row[2] for row in table["rows"]}
    assert here["MTS"] == "xomp@XOMP_SCHEDULER=mts" and here["GCC"] == "libgomp"


def test_counters_are_shown_where_there_are_some(library, capsys, tmp_path):
    result = reproduce(
        capsys,
        tmp_path,
        "p5-table4",
        "--runtimes",
        "MTS",
        "--topology",
        "pack:2 core:2 pu:1",
        "--rounds",
        "1",
    )
    as_printed, counters = result["tables"]
    assert as_printed["header"] == ["benchmark", "MTS steals", "MTS failed"]
    assert "Health" in [row[0] for row in as_printed["rows"]]
    assert "NSTEALS_REMOTE" in counters["header"]
    for column in range(1, len(counters["header"])):
        assert any(row[column] != "0" for row in counters["rows"]), counters["header"][column]
