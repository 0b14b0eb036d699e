# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 3: its published values are complete and agree with each other, its experiments make runs
that can be started, and some of them run."""

import os
import shutil

import pytest

from repro_shared import check_runs, configurations, experiments, reproduce, runs
from xomp.bench.run import Outcome
from xomp.repro import published, verdict
from xomp.repro.experiments import p3_latency, qthreads
from xomp.repro.experiments.p3_breakdown import PARTS, Breakdown, shares
from xomp.repro.experiments.p3_limits import fig5, limit
from xomp.repro.plan import Measured, Plan
from xomp.repro.probes import latency
from xomp.shared import apps

ITEMS = [f"fig{number}" for number in (1, 2, 3, 4, *range(10, 19))]
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
    result = reproduce(capsys, tmp_path, "p3-fig18", "--runtimes", "GCC,xomp", "--topology", "real")
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
        work = cells["work as on one thread"] + cells["work time inflation"]
        assert work > 0
        assert cells["total"] == pytest.approx(
            work + cells["overhead"] + cells["idle"], rel=0.02, abs=0.002
        )
        assert cells["r"] == pytest.approx(
            work / cells["work as on one thread"], rel=0.02, abs=0.006
        )


def test_the_limit_of_speedup_is_that_of_the_text():
    """With r = 1.25 less than 26 on 32 threads (section 3)."""
    assert limit(32, 1.25) == pytest.approx(25.6)
    result = fig5(Plan(experiments(3)["fig5"], "test", (2,), 5, {}), Measured([], []))
    (table,) = result.tables
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["r = 1.25"][-1] == "25.6"


def test_the_limit_is_drawn_without_a_run(library, capsys, tmp_path):
    result = reproduce(capsys, tmp_path, "p3-fig5")
    assert result["claims"] == []
    assert (tmp_path / "plot.png").stat().st_size > 1000
    assert "Nothing is run for it." in (tmp_path / "result.md").read_text()


def test_loads_are_counted_by_powers_of_two_of_their_cycles():
    lines = [" 1\n", "2", "3", "33", "64", "65", "", "unknown", "0"]
    assert latency.histogram(lines) == {1: 1, 2: 1, 4: 1, 64: 2, 128: 1}


def test_the_time_of_a_load_is_the_low_end_of_its_range():
    """One access of 256 cycles contributes what 16 of 16 do (section 6.1), by the low ends."""
    shares = p3_latency.contributions({16: 11, 64: 3})
    assert shares == {16: pytest.approx(50), 64: pytest.approx(50)}
    assert p3_latency.cumulative({16: 3, 64: 1}) == [(16, 75.0), (64, 100.0)]


def test_without_perf_mem_latencies_are_not_offered(monkeypatch):
    monkeypatch.setattr(verdict, "loads_lack", lambda: "no such events")
    found = verdict.judge(experiments(3)["fig14"], None)
    assert str(found) == verdict.NO
    assert "latency of loads: not offered here (no such events)" in found.blocking


def test_bandwidth_is_read_by_every_thread(library, capsys, tmp_path):
    result = reproduce(capsys, tmp_path, "p3-fig3", "--threads", "1,3", "--rounds", "1")
    (table,) = result["tables"]
    assert all(float(cell) > 0 for cell in table["rows"][0][1:])
    assert len(table["rows"][0]) == 3


def test_the_best_of_the_runs_counts(library):
    """Section 6: of ten trials."""
    experiment = experiments(3)["fig11"]
    assert experiment.rounds == 10
    plan = Plan(experiment, "test", (2,), 3, configurations(experiment))
    runs = experiment.jobs(plan)
    times = {"serial": (6.0, 8.0, 7.0), "parallel": (3.0, 9.0, 9.0)}
    outcomes = [
        Outcome(run.job, index, None, [{"program": "health", "seconds": seconds}])
        for run in runs
        for kind in ("serial" if run.job.case.variant == "serial" else "parallel",)
        for index, seconds in enumerate(times[kind])
    ]
    measured = Measured(runs, outcomes, {})
    assert qthreads.best(measured, qthreads.HEALTH, "xomp", 2) == 2.0
    (table,) = experiment.result(plan, measured).tables
    assert all(row[1].startswith("2") for row in table.rows if row[1] != "-")
