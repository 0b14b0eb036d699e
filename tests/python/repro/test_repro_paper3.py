# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 3: its published values are complete and agree with each other, its experiments make runs
that can be started, and some of them run."""

import os
import shutil

import pytest

from repro_shared import check_runs, experiments, reproduce, runs
from xomp.repro import published
from xomp.repro.experiments import qthreads
from xomp.repro.experiments.p3_breakdown import PARTS, Breakdown, shares
from xomp.shared import apps

ITEMS = ["fig1", "fig2", "fig4", "fig10", "fig11", "fig12", "fig13", "fig18"]
ITEMS += ["table1", "table2", "table3"]

# The columns of the breakdown that are numbers.
NUMBERS = (*PARTS, "total", "r")

SAMPLES = [
    pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed"),
    pytest.mark.skipif(os.geteuid() != 0, reason="perf may not be allowed to sample"),
]


@pytest.mark.parametrize("item", ITEMS)
def test_everything_is_transcribed_with_its_place(item):
    told = published.load(3, item)
    assert told is not None
    assert told.rows
    assert "section" in told.source
    if told.numbers != "table":
        assert all("section" in where for where in told.column("where"))


def test_every_table_and_figure_is_an_experiment():
    assert set(experiments(3)) == set(ITEMS)


@pytest.mark.parametrize("item", ["table1", "table2"])
def test_the_decrease_is_that_of_the_times(item):
    told = published.load(3, item)
    for column in ("8 threads", "16 threads", "24 threads", "32 threads"):
        intel, locality = told.value("Intel", column), told.value("Q Locality", column)
        decrease = 100 * (1 - locality / intel)
        assert told.value("% Decrease", column) == pytest.approx(decrease, abs=0.06)


def test_the_texts_numbers_agree_with_the_tables():
    heat = published.load(3, "table2").value("Intel", "32 threads")
    sequential = published.load(3, "fig12").value("sequential time, Intel compiler")
    told = published.load(3, "fig4").value("speedup of Heat on 32 threads")
    assert told == pytest.approx(sequential / heat, abs=0.05)
    health = published.load(3, "table1").value("Intel", "32 threads")
    sequential = published.load(3, "fig10").value("sequential time, Intel compiler")
    told = published.load(3, "fig1").value("parallel efficiency of Health on 32 threads")
    assert told == pytest.approx(100 * sequential / health / 32, abs=0.6)


def test_the_drawn_parts_add_up_to_the_total_and_are_not_negative():
    for serial in (1.0, 3.0):  # less and more than the work
        found = Breakdown(serial=serial, work=2.0, heap=0.5, runtime=0.25, idle=0.75)
        parts = shares(found)
        assert sum(parts.values()) == found.total == 3.0
        assert min(parts.values()) >= 0


@pytest.mark.parametrize("size", ["test", "paper"])
@pytest.mark.parametrize("item", ITEMS)
def test_runs_can_be_started(library, monkeypatch, item, size):
    monkeypatch.setattr(qthreads, "locality_lack", lambda: None)
    experiment = experiments(3)[item]
    found = runs(experiment, size)
    check_runs(found)
    assert {run.app for run in found} == set(experiment.needs.apps) & set(apps.discover())
    assert {run.config for run in found} >= {c.name for c in experiment.configs if c.label}


def test_what_would_not_be_locality_based_is_left_out(library, monkeypatch):
    monkeypatch.setattr(qthreads, "locality_lack", lambda: "no such calls")
    configs = {run.config for run in runs(experiments(3)["fig11"])}
    assert "Q Locality" not in configs
    assert "Q Spread-init" not in configs
    assert "Qthreads" in configs


def test_elapsed_times_of_health_on_both_runtimes(library, capsys, tmp_path):
    result = reproduce(
        capsys,
        tmp_path,
        "p3-table1",
        "--runtimes",
        "libgomp,xomp",
        "--threads",
        "2",
        "--rounds",
        "2",
    )
    (table,) = result["tables"]
    times = {row[0]: row[1] for row in table["rows"]}
    assert float(times["libgomp"]) > 0
    assert float(times["xomp"]) > 0


def test_the_schedule_is_drawn_for_both_runtimes(library, capsys, tmp_path):
    result = reproduce(capsys, tmp_path, "p3-fig18", "--runtimes", "GCC,xomp", "--threads", "2")
    (table,) = result["tables"]
    leaves = {row[0]: int(row[1]) for row in table["rows"]}
    assert leaves["GCC"] == leaves["xomp"] > 0
    (plot,) = result["plots"]
    assert plot["kind"] == "Schedule"
    assert all(plot["panels"][name] for name in ("GCC", "xomp"))
    assert (tmp_path / "plot.png").stat().st_size > 1000


@SAMPLES[0]
@SAMPLES[1]
def test_the_breakdown_runs_on_both_runtimes(library, capsys, tmp_path):
    result = reproduce(
        capsys, tmp_path, "p3-fig4", "--runtimes", "GCC,xomp", "--threads", "2", "--rounds", "1"
    )
    (table,) = result["tables"]
    cells = (dict(zip(table["header"], row, strict=True)) for row in table["rows"])
    rows = {row["on"]: row for row in cells if row["application"] == "Health"}
    for name in ("GCC", "xomp"):
        # How the parts compare is a matter of the machine's mood; that they are parts is not.
        cells = {title: float(text) for title, text in rows[name].items() if title in NUMBERS}
        work = cells["sequential equivalent"] + cells["work time inflation"]
        assert work > 0
        assert cells["total"] == pytest.approx(
            work + cells["runtime"] + cells["idle"], rel=0.02, abs=0.002
        )
        assert cells["r"] == pytest.approx(
            work / cells["sequential equivalent"], rel=0.02, abs=0.006
        )
