# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all experiments make of outcomes: nothing breaks, whether everything that a paper needs is
there, or nothing was measured; and a claim is only made where the numbers allow it."""

import json
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pytest

from repro_shared import check_runs, configurations, runs
from xomp.bench.run import Outcome
from xomp.bench.stats import Ratio, Summary
from xomp.repro import balance, compare, doubt, drawing, published, registry, verdict, writing
from xomp.repro.experiments import p1_dlb, p1_tuning, p2_uts, paper1
from xomp.repro.experiments.p1_dlb import COLUMNS
from xomp.repro.model import Bars, Claim, Result, Schedule
from xomp.repro.plan import Measured, Plan
from xomp.repro.verdict import Verdict
from xomp.shared import apps, runtimes
from xomp.shared.runtimes import Runtime

DRAWN: set[type] = set()  # kinds of plots, in all tests
RUNNABLE = [each for each in registry.all_experiments() if not each.drawing]
HEAD = {
    "command": "xomp repro",
    "time": "now",
    "commit": "none",
    "cpu": "some",
    "processors": 2,
    "load": 0.0,
    "compiler": "gcc",
}


SAMPLES = (
    {"program": "sampled", "work": 0.09, "runtime": 0.02, "heap": 0.0},
    {"program": "threads", "work": "0.05,0.04", "runtime": "0.01,0.01", "heap": "0,0"},
)
BY_THREAD = dict.fromkeys(("create", "schedule", "fork", "mutex", "order", "kept_off"), "0,0")
BY_THREAD |= {"work": "0.05,0.04", "stall": "0.02,0.03", "outside": "0.01,0.01"}
LOGGED = {"program": "logged", "threads": 2, "tasks_made": "50,50", "tasks_run": "60,40"}
LOGGED |= BY_THREAD
TIMED = {"program": "timed", "threads": 2, "elapsed": 0.08, "missing": 0.0, "full": 0} | BY_THREAD


class Invented(dict):
    """The line of a program that tells everything it is asked for: a number."""

    def __contains__(self, key):
        return True

    def __missing__(self, key):
        return 3

    def get(self, key, default=None):
        return self[key]


def outcome(run, index):
    """One that took a little longer on each runtime, application and round."""
    seconds = 0.1 + 0.01 * (len(run.config) + len(run.tag)) + 0.001 * index
    first = Invented(program="app", seconds=seconds, tasks=1000, threads=run.threads)
    first |= {"nodes": 1000, "leaves": 800, "mhs": 1 / seconds, "began": 1.0}
    others = [
        *([LOGGED, TIMED] if run.job.program.name == "logged.py" else SAMPLES),
        {"program": "instructions", "all": 1000 + 1000 * int("granularity" in str(run.job.key))},
        {"program": "latency", "le16": 90, "le256": 10},
        {"program": "activities", **{f"a{index}": "0.05,0.04" for index in range(7)}},
        {"program": "counted", "NTASKS_IMM_EXEC": 900, "NTASKS_STATIC_PUSH": 100}
        | {"NTASKS_LOCAL": 20, "NTASKS_REMOTE": 5, "NREQ_SENT": 50, "NREQ_HANDLED": 40},
    ]
    return Outcome(run.job, index, None, [first, *others], {"wall": seconds})


BUILD, FIND, COUNT = cache(apps.build), cache(runtimes.find), cache(p2_uts.run_once)


@pytest.fixture(autouse=True)
def built_once(monkeypatch):
    """Nothing changes between the tests: what is up to date stays so."""
    monkeypatch.setattr(apps, "build", BUILD)
    monkeypatch.setattr(runtimes, "find", FIND)
    monkeypatch.setattr(p2_uts, "run_once", COUNT)  # the instructions of a hash, by valgrind


@pytest.fixture
def no_measurement(monkeypatch):
    """Experiments that first measure how large a task is get an answer at once."""

    def answer(job):
        return Outcome(job, 0, None, [{"program": "app", "cpu": 1.0, "tasks": 100000}])

    monkeypatch.setattr(paper1, "run_once", answer)


@pytest.fixture
def few_plots(monkeypatch):
    """One of each kind is drawn; matplotlib takes its time."""
    draw = drawing.draw

    def first_of_its_kind(plot, stem, under, beside):
        if type(plot) in DRAWN:
            return []
        DRAWN.add(type(plot))
        return draw(plot, stem, under, beside)

    monkeypatch.setattr(drawing, "draw", first_of_its_kind)


def plan_of(experiment, missing=None):
    return Plan(experiment, "test", (1, 2), 5, configurations(experiment), missing=missing or {})


# Papers 3 and 5 have tests of their own for it.
@pytest.mark.parametrize(
    "experiment", [each for each in RUNNABLE if each.paper in (1, 2, 4)], ids=lambda each: each.id
)
@pytest.mark.parametrize("size", ["test", "paper"])
def test_runs_name_variants_and_parameters_that_exist(experiment, size, library, no_measurement):
    found = runs(experiment, size)
    if not found:
        pytest.skip("none of its applications is here")
    plain = [run for run in found if "probes" not in str(run.job.program)]
    check_runs([run for run in plain if not run.job.program.name.endswith("-tbb")])


@pytest.mark.parametrize("experiment", RUNNABLE, ids=lambda each: each.id)
def test_a_page_is_made_when_everything_was_measured(
    experiment, library, no_measurement, few_plots, tmp_path
):
    plan = plan_of(experiment)
    made = experiment.jobs(plan) if experiment.jobs else []
    if not made and experiment.jobs:
        pytest.skip("none of its applications is here")
    outcomes = [outcome(run, index) for run in made for index in range(-1, 5)]
    measured = Measured(made, outcomes, HEAD)
    result = experiment.result(plan, measured)
    lacking = Verdict((), (), frozenset())
    text = writing.write(plan, result, measured, lacking, tmp_path)
    assert result.tables
    assert "## Measured here" in text and "## Published" in text
    assert json.loads((tmp_path / "result.json").read_text())["experiment"] == experiment.id
    for table in result.tables:
        assert all(len(row) == len(table.header) for row in table.rows), table.title


@pytest.mark.parametrize("experiment", RUNNABLE, ids=lambda each: each.id)
def test_nothing_is_claimed_when_every_run_failed(
    experiment, library, no_measurement, few_plots, tmp_path
):
    plan = plan_of(experiment)
    made = experiment.jobs(plan) if experiment.jobs else []
    if not made:
        pytest.skip("nothing is run for it, or none of its applications is here")
    outcomes = [Outcome(run.job, 0, "crashed") for run in made]
    measured = Measured(made, outcomes, HEAD)
    result = experiment.result(plan, measured)
    text = writing.write(plan, result, measured, Verdict((), (), frozenset()), tmp_path)
    assert "Failed, and counted nowhere" in text
    assert all(claim.holds is None for claim in result.claims)


def test_a_claim_holds_only_if_the_whole_interval_says_so():
    assert compare.faster("", Ratio(2.0, 1.5, 2.5, 9)).holds is True
    assert compare.faster("", Ratio(0.5, 0.4, 0.6, 9)).holds is False
    assert compare.faster("", Ratio(1.1, 0.9, 1.3, 9)).holds is None
    assert compare.faster("", None).holds is None
    assert compare.faster("", Ratio(2.0, 1.5, 2.5, 9), least=3).holds is False


def test_less_holds_only_if_the_quartiles_are_apart():
    low, high = Summary(5, 1.0, 0.9, 1.1), Summary(5, 2.0, 1.8, 2.2)
    wide = Summary(5, 1.5, 0.5, 2.5)
    assert compare.less("", low, high).holds is True
    assert compare.less("", high, low).holds is False
    assert compare.less("", low, wide).holds is None
    assert compare.less("", None, wide).holds is None


def test_few_rounds_and_tiny_inputs_prove_nothing():
    experiment = registry.find("p1-fig5")[0]
    result = Result(claims=[Claim("a", True, "2x"), Claim("b", None, "not measured")])
    few = doubt.cautious(result, Plan(experiment, "small", (2,), 2, {}), HEAD)
    assert [claim.holds for claim in few.claims] == [None, None]
    assert [claim.evidence for claim in few.claims] == ["2x (too few rounds)", "not measured"]
    tiny = doubt.cautious(result, Plan(experiment, "test", (2,), 9, {}), HEAD)
    assert tiny.claims[0] == Claim("a", None, "2x (size test)")
    assert doubt.cautious(result, Plan(experiment, "small", (2,), 5, {}), HEAD) == result


def test_counts_need_no_rounds():
    result = Result(claims=[Claim("a", True, "2x", counts=True)])
    counting = registry.find("p2-table2")[0]
    busy = {"load": 9.0, "processors": 2}
    assert doubt.cautious(result, Plan(counting, "test", (1,), 1, {}), busy) == result


def test_a_busy_machine_and_tiny_inputs_are_cautioned_against():
    plan = Plan(registry.find("p1-fig5")[0], "test", (8,), 5, {})
    found = " ".join(writing.cautions(plan, {"load": 7.5, "processors": 2}))
    assert "next to nothing" in found and "load 7.5" in found and "More threads" in found
    plan = Plan(plan.experiment, "small", (2,), 5, {})
    assert writing.cautions(plan, {"load": 0.2, "processors": 2}) == []


def test_settings_are_those_of_table_1():
    assert p1_dlb.best_settings("fib", "NA-RP") == {
        "XOMP_VICTIMS": "1",
        "XOMP_STEAL": "16",
        "XOMP_INTERVAL": "100000",
        "XOMP_LOCAL": "1",
    }
    assert p1_dlb.best_settings("sort", "NA-WS")["XOMP_LOCAL"] == "0.03"


@pytest.mark.parametrize(
    ("cycles", "strategy", "low", "high", "local"),
    [
        (50, "NA-WS", 1, 10, "1.0"),
        (200, "NA-WS", 10, 100, "1.0"),
        (800, "NA-WS", 100, 10**2.5, "1.0"),
        (5000, "NA-WS", 10**2.5, 1000, "0.5"),
        (1e6, "NA-RP", 1000, 1e4, "1.0"),
    ],
)
def test_guidelines_are_those_of_table_4(cycles, strategy, low, high, local):
    best, settings = p1_tuning.guideline(cycles)
    assert best == strategy
    assert low <= p1_tuning.steal_size(settings) <= high
    assert settings["XOMP_LOCAL"] == local


def test_p_local_is_judged_only_where_several_were_tried(library):
    """With one locality domain all P_local are one, and the only one that is run is 1."""
    experiment = registry.find("p1-table1")[0]
    plan = plan_of(experiment)
    made = experiment.jobs(plan)
    local = [run for run in made if run.tag.split()[-1] == "1"]
    for runs_, known in ((made, {True, False}), (local, {None})):
        outcomes = [outcome(run, index) for run in runs_ for index in range(5)]
        found = experiment.result(plan, Measured(runs_, outcomes, HEAD))
        assert {claim.holds for claim in found.claims} <= known
        assert len(found.claims) == 2


def test_counts_are_printed_as_the_paper_does():
    texts = [p1_dlb.short(value) for value in (310.8e6, 2.4e9, 658200, 192, 0, None)]
    assert texts == ["310.8 M", "2.4 B", "658.2 K", "192", "0", "-"]


def test_self_tasks_are_all_but_the_others(library):
    experiment = registry.find("p1-table3")[0]
    plan = plan_of(experiment)
    run = p1_dlb.statistics_jobs(plan)[0]
    measured = Measured([run], [outcome(run, index) for index in range(5)])
    found = p1_dlb.counts(measured, run.app, run.config)
    assert (found["Self tasks"], found["Local tasks"], found["Remote tasks"]) == (975, 20, 5)


@pytest.mark.parametrize("item", ["p2-fig2", "p2-fig5"])
def test_paper_2_draws_over_thousands_of_instructions(item, library, monkeypatch):
    """Ten hashes of 1.5 thousand instructions each are 15."""
    experiment = registry.find(item)[0]
    plan = plan_of(experiment)
    plan.facts["hash"] = 1.5
    monkeypatch.setattr(p2_uts.machine, "program", lambda name: name == "valgrind")
    plot = p2_uts.over_granularity(plan, {"xomp": [(10, 50.0)]}, "t", "y")
    assert (plot.xlabel, plot.panels["uts"]["xomp"]) == (
        "thousands of instructions per task",
        [(15.0, 50.0)],
    )
    monkeypatch.setattr(p2_uts.machine, "program", lambda name: False)
    plot = p2_uts.over_granularity(plan, {"xomp": [(10, 50.0)]}, "t", "y")
    assert (plot.xlabel, plot.panels["uts"]["xomp"]) == ("SHA-1 hashes per task", [(10, 50.0)])


def test_more_than_all_of_the_machine_is_a_mark_and_no_value(library, no_measurement, monkeypatch):
    experiment = registry.find("p2-fig2")[0]
    plan = plan_of(experiment)
    monkeypatch.setattr(p2_uts, "efficiency", lambda *_: 114.0)
    made = experiment.jobs(plan)
    monkeypatch.setattr(p2_uts, "kilo_instructions", lambda plan: None)
    result = experiment.result(plan, Measured(made, [outcome(run, 0) for run in made], HEAD))
    assert result.plots[0].most == 100.0
    assert {cell for row in result.tables[0].rows for cell in row[1:]} == {"over 100"}
    pyplot = drawing.looks.load()
    figure = drawing._lines(pyplot, result.plots[0])
    heights = [y for line in figure.axes[0].lines for y in line.get_ydata() if y == y]
    pyplot.close(figure)
    assert heights and set(heights) == {100.0}


def test_the_schedules_axis_is_cut_where_the_window_ends():
    """One leaf that ends late does not stretch it."""
    pyplot = drawing.looks.load()
    boxes = [(0, 0.0, 1.0, "a"), (1, 3.0, 50.0, "a")]
    for window, end in ((3.1, 3.1), (100.0, 53.0)):
        figure = drawing._schedule(pyplot, Schedule("t", "x", {"p": boxes}, window))
        limits = figure.axes[0].get_xlim()
        pyplot.close(figure)
        assert limits == (0.0, end)


def test_published_values_stand_below_the_picture():
    lines = writing.beside(published.load(5, "fig10"))
    assert "chunk size of the peak performance: 8 tasks" in lines
    assert writing.beside(published.load(5, "table4")) == []
    pyplot = drawing.looks.load()
    figure = drawing._bars(pyplot, Bars("t", "y", ["a"], {"s": [1.0]}))
    drawing._published(figure, lines)
    shown = [text.get_text() for text in figure.texts]
    assert all(line in shown for line in lines)
    pyplot.close(figure)


def test_many_published_values_stand_in_columns():
    lines = ["", "The paper:", *(f"value {number}" for number in range(10))]
    rows = drawing._rows_of(lines, 40)
    assert rows[:2] == [[""], ["The paper:"]]
    assert [len(row) for row in rows[2:]] == [4, 4, 4]
    assert [cell for column in zip(*rows[2:], strict=True) for cell in column if cell] == lines[2:]
    long = ["The paper:", "a long value " * 9]
    assert all(len(row) == 1 and len(row[0]) <= 40 for row in drawing._rows_of(long, 40))


def test_p_local_is_said_the_same_everywhere(root):
    settings = p1_tuning.guideline(1e6)[1]
    table = published.load(1, "table4")
    assert float(settings["XOMP_LOCAL"]) == 1.0
    assert any("P_local of NA-RP" in note and "take 1" in note for note in table.notes)
    assert "P_local of NA-RP is 1" in p1_tuning.LOCAL_NOTE
    assert "P_local of NA-RP is 1" in (root / "docs/repro.md").read_text()
    own = [published.load(1, "table1").value("P_local", f"{app} RP") for app in COLUMNS.values()]
    assert own.count(1) == 8


def test_surfaces_have_a_panel_for_each_p_local(library, no_measurement):
    experiment = registry.find("p1-fig9")[0]
    plan = plan_of(experiment)
    made = experiment.jobs(plan)
    measured = Measured(made, [outcome(run, index) for run in made for index in range(5)], HEAD)
    (plot,) = experiment.result(plan, measured).plots
    assert list(plot.panels) == ["P_local 1", "P_local 0.03"]
    sizes = {size for _, size, _ in plot.panels["P_local 1"]}
    assert sizes == {p1_tuning.steal_size(each) for each in p1_tuning.sweep(plan)}


def test_an_empty_plot_is_not_drawn():
    assert not drawing.has_something(Bars("t", "y", ["a"], {"s": [None]}))
    assert drawing.has_something(Bars("t", "y", ["a"], {"s": [1.0]}))


def test_a_plot_is_saved_as_png_and_svg(tmp_path):
    paths = drawing.draw(Bars("t", "y", ["a", "b"], {"s": [1.0, None]}), tmp_path / "plot")
    assert sorted(path.name for path in paths) == ["plot.png", "plot.svg"]
    assert all(path.stat().st_size > 1000 for path in paths)


def test_lacks_that_begin_alike_are_said_once():
    lacks = [verdict.Lack(name, f"no application {name}") for name in ("fft", "sort")]
    assert verdict.merged(lacks) == ["no application fft, sort"]


def test_a_runtime_of_its_own_is_no_openmp_runtime(library):
    """oneTBB's programs are another application, on a library that needs no place to be put in."""
    experiment = registry.find("p2-fig2")[0]
    tbb = next(config for config in experiment.configs if config.tasking == "tbb")
    plan = Plan(experiment, "test", (2,), 1, {tbb: Runtime(tbb.label, None, None)})
    try:
        run = plan.run(tbb.name, "uts", 2, "paper")
    except Exception as error:
        pytest.skip(str(error))
    assert run.job.program.name == "uts-tbb"
    assert run.app == "uts"
    assert run.job.runtime.folder is None


@pytest.mark.parametrize("experiment", RUNNABLE, ids=lambda each: each.id)
def test_on_a_busy_machine_nothing_is_concluded_about_times(experiment, library, no_measurement):
    """Of every claim of every experiment only those about counts are left."""
    if experiment.jobs is None:
        return
    plan = replace(plan_of(experiment), size="small")
    made = experiment.jobs(plan_of(experiment))
    if not made:
        pytest.skip("none of its applications is here")
    outcomes = [outcome(run, index) for run in made for index in range(-1, 5)]
    result = experiment.result(plan, Measured(made, outcomes, HEAD))
    for load, concluded in ((0.5, True), (1.5, False)):
        found = doubt.cautious(result, plan, {"load": load, "processors": 2}).claims
        for before, after in zip(result.claims, found, strict=True):
            kept = concluded or before.counts
            assert after.holds is (before.holds if kept else None), after.text


def test_the_load_balance_error_is_that_of_paper_4():
    """One of four threads did all: max is four times the mean. A thread never seen did nothing."""
    run = SimpleNamespace(threads=4)
    for work, error in (("0.2", 3.0), ("0.1,0.1,0.1,0.1", 0.0), ("0.3,0.1", 2.0)):
        record = {"program": "threads", "work": work, "runtime": "0", "heap": "0"}
        assert balance.error(Outcome(run, 0, None, [record])) == pytest.approx(error)


@pytest.mark.parametrize("processors", [1, 2])
def test_the_workers_of_paper_1_ask_again_and_again_where_threads_fit(
    processors, monkeypatch, library
):
    monkeypatch.setattr(paper1.machine, "processors", lambda: processors)
    for name in ("p1-fig5", "p1-fig7", "p1-fig8"):
        experiment = registry.find(name)[0]
        for run in experiment.jobs(plan_of(experiment)):
            wanted = run.config in ("XGOMP", "XGOMPTB", "NA-RP", "NA-WS")
            wanted = wanted and run.threads <= processors
            assert (("OMP_WAIT_POLICY", "active") in run.job.case.variables) == wanted
